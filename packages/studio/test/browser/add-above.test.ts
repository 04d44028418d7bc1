import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openPiece, PIECE, untilStored } from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('components above others', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const create = async (data: object): Promise<string> =>
    (await server.ask('POST', PIECE, { data: { title: 'Parts', ...data } })).data.documentId
  const actions = (place: string, name: RegExp) =>
    fieldAt(page, place).getByRole('button', { name })

  it('are added by the keyboard, with the focus in their first field', async () => {
    const documentId = await create({
      sections: [
        { __component: 'parts.chapter', heading: 'One' },
        { __component: 'parts.quote', text: 'Two' },
      ],
    })
    await openPiece(page, server, documentId)
    await actions('sections', /Actions.*2/).focus()
    await page.keyboard.press('Enter')
    const above = page.getByRole('group', { name: 'Add above' })
    await above.getByRole('menuitem', { name: 'Quote' }).waitFor()
    expect(await above.getByRole('menuitem').count()).to.equal(2)
    await expectAccessible(page, 'actions of a component')
    await above.getByRole('menuitem', { name: 'Quote' }).press('Enter')
    await page.waitForFunction(
      () => document.activeElement?.closest('[data-item]')?.matches(':nth-child(2)') === true,
    )
    await page.keyboard.type('Between')
    const stored = async () => {
      const { sections } = (await server.ask('GET', `${PIECE}/${documentId}?populate=sections`))
        .data
      return sections.map(({ heading, text }: Record<string, string>) => heading ?? text)
    }
    await untilStored(stored, ['One', 'Between', 'Two'])
  })

  it('are not offered in a full list', async () => {
    const quotes = ['a', 'b', 'c'].map((text) => ({ text }))
    await openPiece(page, server, await create({ quotes }))
    await actions('quotes', /Actions.*1/).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor()
    expect(await page.getByRole('group', { name: 'Add above' }).count()).to.equal(0)
    await page.keyboard.press('Escape')
  })

  it('are offered in German', async () => {
    const documentId = await create({ quotes: [{ text: 'a' }] })
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await fieldAt(page, 'quotes')
      .locator('[data-item] [aria-haspopup=true], [data-item] [aria-haspopup=menu]')
      .last()
      .click()
    await page
      .getByRole('group', { name: 'Darüber hinzufügen' })
      .getByRole('menuitem', { name: 'Quote' })
      .click()
    await untilStored(async () => await fieldAt(page, 'quotes').locator('[data-item]').count(), 2)
  })
})
