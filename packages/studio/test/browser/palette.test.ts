import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { editorBefore, fieldAt, openPiece, PIECE, untilPublished, untilStored } from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('the palette on an entry', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const openPublished = async (): Promise<string> => {
    const data = { title: 'Stays public', body: 'Read the manual', story: STORY }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    await openPiece(page, server, documentId)
    await untilPublished(page)
    return documentId
  }
  const box = () => page.getByRole('searchbox', { name: 'Search or go to' })
  const stateOf = async (documentId: string) =>
    (await server.ask('GET', PIECE)).meta.states[documentId] as unknown

  it('preselects no command after Escape', async () => {
    const documentId = await openPublished()
    await page.keyboard.press('Control+k')
    await box().waitFor()
    await page.keyboard.type('ci')
    await page.keyboard.press('Escape')
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[role=dialog] input')?.value === '',
    )
    expect(await box().getAttribute('aria-activedescendant')).to.equal(null)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await box().waitFor({ state: 'detached' })
    expect(await stateOf(documentId)).to.equal('published')
  })

  it('takes the text that is typed while it loads, and keeps it out of the page', async () => {
    await openPublished()
    const PALETTE = /\/palette-[^/]+\.js$/
    let load = (): void => undefined
    const isLoading = new Promise<void>((resolve) => (load = resolve))
    await page.route(PALETTE, async (route) => {
      await isLoading
      await route.continue()
    })
    await page.reload()
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Stayx')
    await page.keyboard.press('Backspace')
    const isPassed = (key: string, isAltGr: boolean): Promise<boolean> =>
      page.evaluate(
        ([name, alt]) => {
          const modifiers = { ctrlKey: alt, altKey: alt, bubbles: true, cancelable: true }
          return document.body.dispatchEvent(
            new KeyboardEvent('keydown', { key: name, ...modifiers }),
          )
        },
        [key, isAltGr] as const,
      )
    expect(await isPassed('F5', false), 'a reload').to.equal(true)
    expect(await isPassed('@', true), 'AltGr').to.equal(false)
    await page.keyboard.press('Backspace')
    load()
    await box().waitFor()
    await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') !== null)
    await page.keyboard.type('s pub')
    expect(await box().inputValue()).to.equal('Stays pub')
    await page
      .getByRole('menuitem', { name: /Stays public/ })
      .first()
      .waitFor()
    await page.unroute(PALETTE)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await box().waitFor({ state: 'detached' })
    expect(await title.inputValue()).to.equal('Stays public')
  })

  it('lists commands with a confirmation last, and asks before it runs them', async () => {
    const documentId = await openPublished()
    await page.keyboard.press('Control+k')
    await box().waitFor()
    const last = page.getByRole('menuitem').last()
    expect(await last.innerText()).to.equal('Unpublish')
    await page.keyboard.type('unpublish')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Unpublish?' })
    await dialog.waitFor()
    await expectAccessible(page, 'a confirmation')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stateOf(documentId)).to.equal('published')
    await page.keyboard.press('Control+k')
    await box().fill('unpublish')
    await page.getByRole('menuitem', { name: 'Unpublish' }).click()
    await dialog.getByRole('button', { name: 'Unpublish' }).click()
    await untilStored(() => stateOf(documentId), 'draft')
  })

  it('leaves Ctrl-K to a rich text selection, which becomes a link', async () => {
    const documentId = await openPublished()
    const story = fieldAt(page, 'story').getByRole('textbox')
    await story.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+k')
    const address = fieldAt(page, 'story').getByRole('textbox', { name: 'Link address' })
    await address.fill('https://example.org/guide')
    await address.press('Enter')
    expect(await box().count()).to.equal(0)
    await fieldAt(page, 'body').getByRole('textbox').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('https://example.org')
    const stored = async () => {
      const { body, story: blocks } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
      return [body, blocks[0].children.find(({ type }: { type: string }) => type === 'link')?.url]
    }
    await untilStored(stored, [
      '[Read the manual](https://example.org)',
      'https://example.org/guide',
    ])
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+k')
    await box().waitFor()
  })
})

const STORY = [{ type: 'paragraph', children: [{ type: 'text', text: 'See the guide' }] }]
