import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openPiece, PIECE, untilStored } from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('copies of components', () => {
  let server: Server
  let page: Page
  editorBefore(async (opened) => {
    server = opened.server
    page = opened.window.page
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  })

  const create = async (data: object): Promise<string> =>
    (await server.ask('POST', PIECE, { data: { title: 'Parts', ...data } })).data.documentId
  const textsOf = (documentId: string, name: string) => async () => {
    const { data } = await server.ask('GET', `${PIECE}/${documentId}?populate=${name}`)
    return data[name].map(({ heading, text }: Record<string, string>) => heading ?? text)
  }
  const paste = (place: string) => fieldAt(page, place).getByRole('button', { name: 'Paste' })

  it('go to a zone and a list of another entry, by keyboard', async () => {
    const from = await create({
      sections: [
        { __component: 'parts.chapter', heading: 'One' },
        { __component: 'parts.quote', text: 'Two', source: 'Emily' },
      ],
    })
    const to = await create({ sections: [{ __component: 'parts.chapter', heading: 'Zero' }] })
    await openPiece(page, server, from)
    await fieldAt(page, 'sections')
      .getByRole('button', { name: /Actions.*2/ })
      .press('Enter')
    await page.getByRole('menuitem', { name: 'Copy' }).press('Enter')
    await page.getByText('Quote copied').waitFor()
    await openPiece(page, server, to)
    await paste('sections').press('Enter')
    await untilStored(textsOf(to, 'sections'), ['Zero', 'Two'])
    await page.waitForFunction(
      () => document.activeElement?.closest('[data-item]')?.matches(':nth-child(2)') === true,
    )
    await expectAccessible(page, 'a pasted component')
    await takePicture(page, 'entry-paste')
    await paste('quotes').press('Enter')
    await untilStored(textsOf(to, 'quotes'), ['Two'])
    const [original] = await textsOf(from, 'sections')()
    expect(original, 'the original stays').to.equal('One')
  })

  it('are refused where their type does not belong', async () => {
    const from = await create({ sections: [{ __component: 'parts.chapter', heading: 'One' }] })
    await openPiece(page, server, from)
    await fieldAt(page, 'sections')
      .getByRole('button', { name: /Actions.*1/ })
      .click()
    await page.getByRole('menuitem', { name: 'Copy' }).click()
    await page.getByText('Chapter copied').waitFor()
    await paste('quotes').click()
    await page.getByText('The clipboard has no component that fits here').waitFor()
    expect(await textsOf(from, 'quotes')()).to.deep.equal([])
  })

  it('are offered in German', async () => {
    const documentId = await create({ quotes: [{ text: 'Zitat' }] })
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    const quotes = fieldAt(page, 'quotes')
    await quotes
      .locator('[data-item] [aria-haspopup=true], [data-item] [aria-haspopup=menu]')
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Kopieren' }).click()
    await page.getByText('Quote kopiert').waitFor()
    await quotes.getByRole('button', { name: 'Einfügen' }).click()
    await untilStored(textsOf(documentId, 'quotes'), ['Zitat', 'Zitat'])
  })
})
