import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { editorBefore, fieldAt, openPiece, PIECE, untilStored } from './editors.ts'
import { pasteInto, PICTURE } from './paste.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('Markdown before its editor has loaded', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const field = () => fieldAt(page, 'body')
  const tool = (name: string) => field().getByRole('button', { name, exact: true })
  const body = (documentId: string) => async () =>
    (await server.ask('GET', `${PIECE}/${documentId}`)).data.body

  const CODE = /\/code-editor-[^/]+\.js$/
  let load = (): void => {}
  const hold = async (): Promise<void> => {
    await page.unroute(CODE)
    const isLoading = new Promise<void>((resolve) => (load = resolve))
    await page.route(CODE, async (route) => {
      await isLoading
      await route.continue()
    })
  }
  beforeEach(hold)
  afterEach(async () => {
    load()
    await page.unroute(CODE)
  })

  const plain = () => field().locator('textarea')
  const openPlain = async (text: string, from: number, to: number): Promise<string> => {
    const data = { title: 'Text', body: text }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await openPiece(page, server, documentId)
    await plain().click()
    await plain().evaluate(
      (area: HTMLTextAreaElement, [start, end]) => area.setSelectionRange(start, end),
      [from, to] as const,
    )
    return documentId
  }

  it('applies pressed tools to the selection of their time, once it has loaded', async () => {
    const documentId = await openPlain('one two', 0, 3)
    await tool('Bold').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' three')
    await tool('Bold').click({ force: true })
    await expectAccessible(page, 'Markdown with a waiting tool')
    await takePicture(page, 'markdown-waiting')
    expect(await tool('Bold').getAttribute('aria-disabled')).to.equal('true')
    load()
    await untilStored(body(documentId), '**one** two three')
    expect(await tool('Bold').getAttribute('aria-disabled')).to.equal(null)
    await field().locator('[data-code]:focus').waitFor()
    await page.keyboard.type('!')
    await untilStored(body(documentId), '**one** two three!')
  })

  it('applies a tool of the keyboard to the word that is typed after it', async () => {
    const documentId = await openPlain('so ', 3, 3)
    await tool('Italic').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('ne')
    await untilStored(body(documentId), 'so ne')
    load()
    await untilStored(body(documentId), 'so _ne_')
    await page.keyboard.type('w')
    await untilStored(body(documentId), 'so _new_')
  })

  it('keeps the focus of another field', async () => {
    const documentId = await openPlain('Head', 0, 0)
    await tool('Heading').click()
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.focus()
    load()
    await untilStored(body(documentId), '## Head')
    await page.keyboard.press('End')
    await page.keyboard.type(' of it')
    expect(await title.inputValue()).to.equal('Text of it')
  })

  const untilBody = (documentId: string, wanted: RegExp): Promise<void> =>
    untilStored(async () => wanted.test(await body(documentId)()), true)

  it('inserts pictures that are pasted or chosen meanwhile, each at its place', async () => {
    const pasted = await openPlain('before after', 6, 6)
    await pasteInto(plain(), { files: [PICTURE] })
    await plain().press('End')
    await page.keyboard.type('wards')
    load()
    await untilBody(pasted, /^before!\[.*\]\(\/uploads\/\S+\.png\) afterwards$/)
    await hold()
    const chosen = await openPlain('before after', 6, 6)
    await tool('Image').click()
    const chooser = page.getByRole('dialog')
    await chooser.getByRole('row', { name: 'shore.png' }).click()
    await chooser.waitFor({ state: 'detached' })
    load()
    await untilBody(chosen, /^before!\[.*\]\(\/uploads\/\S+\.png\) after$/)
  })
})
