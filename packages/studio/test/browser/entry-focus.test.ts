import type { Locator, Page } from 'playwright-core'
import { expect } from 'chai'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import {
  editorBefore,
  fieldAt,
  openPiece,
  PIECE,
  titleOf,
  untilPublished,
  untilSaved,
} from './editors.ts'
import { pasteInto, PICTURE } from './paste.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

/** Until it has the focus. */
async function untilFocused(wanted: Locator): Promise<void> {
  await wanted.and(wanted.page().locator(':focus')).waitFor()
}

describeInBrowser('the focus in an entry', function () {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const open = async (): Promise<void> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Focus' } })).data
    await openPiece(page, server, documentId)
  }

  it('starts in the title of a new entry, and stays there after the creation', async () => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await untilFocused(titleOf(page))
    await page.keyboard.type('Typed')
    await page.waitForURL(/pieces\/(?!new)/)
    await page.keyboard.type(' at once')
    await untilSaved(page)
    await untilFocused(titleOf(page))
  })

  it('moves to an added component, and back to its button after the removal', async () => {
    await open()
    const seal = fieldAt(page, 'seal')
    await seal.getByRole('button', { name: 'Add Quote' }).click()
    await untilFocused(fieldAt(page, 'seal/text').getByRole('textbox'))
    await seal.getByRole('button', { name: 'Remove Seal' }).click()
    await untilFocused(seal.getByRole('button', { name: 'Add Quote' }))
  })

  it('stays at a to-one relation when an entry is chosen and removed', async () => {
    await open()
    const author = fieldAt(page, 'author')
    await author.getByRole('combobox').fill('Walt')
    await page.getByRole('option', { name: 'Walt', exact: true }).click()
    await untilFocused(author.getByRole('link', { name: 'Walt' }))
    await author.getByRole('button', { name: 'Remove Walt' }).press('Enter')
    await untilFocused(author.getByRole('combobox'))
    await page.keyboard.press('Escape')
  })

  it('moves to the next link after a removal', async () => {
    await open()
    const readers = fieldAt(page, 'readers')
    for (const name of ['Walt', 'Emily']) {
      await readers.getByRole('combobox').fill(name)
      await page.getByRole('option', { name, exact: true }).click()
    }
    await readers.getByRole('button', { name: 'Remove Walt' }).press('Enter')
    await untilFocused(readers.getByRole('link', { name: 'Emily' }))
  })

  it('moves to the next component after a removal, and to the add button after the last one', async () => {
    await open()
    const zone = fieldAt(page, 'sections')
    const quotes = zone.getByRole('group', { name: /^Quote/ })
    for (const count of [1, 2]) {
      await zone.getByRole('button', { name: 'Add a component' }).click()
      await page.getByRole('menuitem', { name: 'Quote' }).click()
      await untilFocused(quotes.nth(count - 1).getByRole('textbox', { name: 'Text' }))
    }
    for (const next of [
      quotes.first().getByRole('button', { name: 'Quote', exact: true }),
      zone.getByRole('button', { name: 'Add a component' }),
    ]) {
      await zone.getByRole('button', { name: 'Actions for Quote 1' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Remove' }).press('Enter')
      await untilFocused(next)
    }
  })

  it('moves to the first field of a linked entry, and returns', async () => {
    await open()
    const search = fieldAt(page, 'author').getByRole('combobox')
    await search.fill('Nobody yet')
    await page.getByRole('option', { name: /Nobody yet/ }).click()
    await untilFocused(page.getByRole('dialog').getByRole('textbox', { name: 'Name' }))
    await page.keyboard.press('Escape')
    await untilFocused(search)
  })

  it('passes the toolbar with one Tab, and moves within it by arrow keys', async () => {
    await open()
    const tools = fieldAt(page, 'story').getByRole('toolbar', { name: 'Formatting' })
    const text = fieldAt(page, 'story').getByRole('textbox')
    await tools.waitFor()
    await fieldAt(page, 'body').getByRole('textbox').click()
    await page.keyboard.press('Tab')
    await untilFocused(tools.getByRole('combobox'))
    for (const name of ['Bold', 'Italic']) {
      await page.keyboard.press('ArrowRight')
      await untilFocused(tools.getByRole('button', { name }))
    }
    await page.keyboard.press('Tab')
    await untilFocused(text)
    await page.keyboard.press('Shift+Tab')
    await untilFocused(tools.getByRole('button', { name: 'Italic' }))
    await page.keyboard.press('Shift+Tab')
    await page.locator('[data-field=body] [data-code]:focus').waitFor()
    await tools.getByRole('button', { name: 'Link' }).press('Enter')
    const address = fieldAt(page, 'story').getByRole('textbox', { name: 'Link address' })
    await page.keyboard.type('ab')
    await page.keyboard.press('ArrowLeft')
    await untilFocused(address)
    await page.keyboard.press('Escape')
    await untilFocused(text)
  })

  it('stays in the side panel after a schedule, its cancellation and a restore', async () => {
    await open()
    const add = page.getByRole('button', { name: 'Schedule …' })
    await add.press('Enter')
    await page
      .getByLabel('Date and time')
      .fill(new Date(Date.now() + 864e5).toISOString().slice(0, 16))
    await page.keyboard.press('Enter')
    await untilFocused(add)
    await page.getByRole('button', { name: 'Cancel schedule' }).press('Enter')
    await page.getByRole('button', { name: 'Cancel schedule' }).waitFor({ state: 'detached' })
    await untilFocused(add)
    await titleOf(page).fill('Focus, and on')
    await untilSaved(page)
    const all = page.getByRole('button', { name: 'All versions' })
    await all.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('option').last().click()
    await dialog.getByRole('button', { name: 'Restore this version' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await untilFocused(all)
    await page.waitForFunction(() => document.title.startsWith('Focus ·'))
  })

  it('starts at the first choice of a missing language, then moves to its title', async () => {
    await open()
    await page.getByRole('link', { name: 'Translate: German' }).press('Enter')
    const begin = page.getByRole('button', { name: 'Start from English' })
    await untilFocused(begin)
    await begin.press('Enter')
    await untilFocused(titleOf(page))
  })
})

describeInBrowser('the focus in an editor that loads on demand', function () {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  /** Holds the code of editors back. Returns a function that lets it through. */
  const holdEditorCode = async (): Promise<() => void> => {
    let release: () => void = () => undefined
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    await page.route(/\/code-editor-[^/]+\.js$/, async (route) => {
      await isReleased
      await route.continue()
    })
    return release
  }

  it('moves into the editor once it is loaded', async () => {
    await page.goto(`${server.address}/studio/content/homepage`)
    await page.getByRole('button', { name: 'Add a component' }).first().click()
    await page.getByRole('menuitem', { name: 'Rich text' }).click()
    const body = page.locator('[data-field$="/body"]').getByRole('textbox')
    await page.locator('[data-field$="/body"] [data-code]:focus').waitFor()
    await page.keyboard.type('Typed at once')
    await body.getByText('Typed at once').waitFor()
  })

  for (const way of ['a press', 'the keyboard'] as const) {
    it(`moves into an editor that ${way} reaches before it is loaded`, async () => {
      await page.goto(`${server.address}/studio/content/articles/new`)
      await titleOf(page).fill(`Reached by ${way}`)
      await untilSaved(page)
      const load = await holdEditorCode()
      await page.reload()
      const unloaded = page.locator('[data-field=body] textarea')
      await unloaded.waitFor()
      await expectAccessible(page, 'an editor that is not loaded')
      if (way === 'a press') await unloaded.click()
      else {
        await page.getByRole('button', { name: 'Formatted' }).focus()
        await page.keyboard.press('Tab')
      }
      await untilFocused(unloaded)
      await page.keyboard.type('Typed it')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowLeft')
      await pasteInto(unloaded, { files: [PICTURE] })
      load()
      await page.locator('[data-field=body] [data-code]:focus').waitFor()
      await page.keyboard.type('into ')
      const body = page.locator('[data-field=body] .cm-content')
      await body.getByText(/^Typed into !\[.*\]\(.*\)it$/).waitFor()
      await untilSaved(page)
      await page.unroute(/\/code-editor-[^/]+\.js$/)
    })
  }

  it('waits for the end of a word of an input method', async () => {
    const load = await holdEditorCode()
    await page.goto(`${server.address}/studio/content/articles/new`)
    await page.locator('[data-field=body] textarea').click()
    const input = await page.context().newCDPSession(page)
    await input.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 })
    const loaded = page.waitForResponse(/\/code-editor-[^/]+\.js$/)
    load()
    await (await loaded).finished()
    await page.locator('[data-field=body] textarea[data-composing]:focus').waitFor()
    await input.send('Input.insertText', { text: '你' })
    await page.locator('[data-field=body] .cm-content').getByText('你', { exact: true }).waitFor()
    await page.unroute(/\/code-editor-[^/]+\.js$/)
  })

  it('replaces the plain text in one task, so that no key reaches both', async () => {
    const load = await holdEditorCode()
    await page.goto(`${server.address}/studio/content/articles/new`)
    await page.locator('[data-field=body] textarea').waitFor()
    const counts = page.evaluate(async () => {
      const { port1, port2 } = new MessageChannel()
      const field = document.querySelector('[data-field=body]')
      const inputs = () => [
        ...(field?.querySelectorAll('textarea') ?? []),
        ...(field?.querySelector('[data-code]')?.shadowRoot?.querySelectorAll('.cm-content') ?? []),
      ]
      const seen = new Set<number>()
      while (field?.querySelector('[data-open]') === null) {
        seen.add(inputs().length)
        await new Promise((resolve) => {
          port1.addEventListener('message', resolve, { once: true })
          port1.start()
          port2.postMessage(null)
        })
      }
      return [...seen]
    })
    await page.locator('[data-field=body] textarea').click()
    load()
    expect(await counts).to.deep.equal([1])
    await page.unroute(/\/code-editor-[^/]+\.js$/)
  })

  it('keeps the text that is typed although the editor cannot be loaded', async () => {
    await page.route(/\/code-editor-[^/]+\.js$/, (route) => route.abort())
    await page.goto(`${server.address}/studio/content/articles/new`)
    await titleOf(page).fill('Without an editor')
    await page.locator('[data-field=body]').getByRole('alert').waitFor()
    await page.locator('[data-field=body] textarea').fill('Typed without it')
    await untilSaved(page)
    await page.unroute(/\/code-editor-[^/]+\.js$/)
    await page.reload()
    await page.locator('[data-field=body] .cm-content').getByText('Typed without it').waitFor()
  })

  it('moves to a field that prevents publishing, including Markdown', async () => {
    await page.goto(`${server.address}/studio/content/articles/new`)
    await titleOf(page).fill('Without a body')
    await untilSaved(page)
    await page.keyboard.press('Control+Enter')
    await page.locator('[data-field=body] [data-code]:focus').waitFor()
    await page.keyboard.type('Now with one')
    await page.keyboard.press('Control+Enter')
    await untilPublished(page)
  })

  it('moves to the field within a zone, or to its collapsed component', async () => {
    await page.getByRole('button', { name: 'Add a component' }).click()
    await page.getByRole('menuitem', { name: 'Quote' }).click()
    await page.keyboard.type('A quote')
    await page.getByRole('button', { name: 'Add a component' }).click()
    await page.getByRole('menuitem', { name: 'Quote' }).click()
    await page.getByRole('textbox', { name: 'Source' }).nth(1).focus()
    await untilSaved(page)
    await page.keyboard.press('Control+Enter')
    await page.locator('[data-field$="/text"] [aria-invalid=true]:focus').waitFor()
    const quote = page.getByRole('group', { name: 'Quote, 2 of 2' })
    await quote.getByRole('button', { name: /^Quote/ }).click()
    await titleOf(page).focus()
    await page.keyboard.press('Control+Enter')
    await quote.locator('[aria-expanded=false]:focus').waitFor()
  })
})
