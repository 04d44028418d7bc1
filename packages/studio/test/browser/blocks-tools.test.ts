import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openPiece, PIECE, untilStored } from './editors.ts'
import { holdUpload, pasteInto, PICTURE } from './paste.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

interface Block {
  readonly type: string
  readonly level?: number
  readonly format?: string
  readonly image?: { readonly url: string; readonly name: string }
  readonly children: readonly (Block & { readonly text?: string; readonly bold?: boolean })[]
}

const text = (words: string): object => ({ type: 'text', text: words })
const paragraph = (words: string): object => ({ type: 'paragraph', children: [text(words)] })
const item = (words: string): object => ({ type: 'list-item', children: [text(words)] })

/** `heading2 One`, `image` and so on. */
const short = ({ type, level, children }: Block): string => {
  const words = children.map((one) => one.text ?? one.children.map((part) => part.text)).join('')
  return `${type}${level ?? ''} ${words}`.trim()
}

describeInBrowser('the tools of blocks', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const open = async (story: readonly object[] | null): Promise<string> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Tools', story } }))
      .data
    await openPiece(page, server, documentId)
    await editor().click()
    return documentId
  }
  const field = () => fieldAt(page, 'story')
  const editor = () => field().locator('.ProseMirror')
  const menu = () => page.getByRole('listbox', { name: 'Insert a block' })
  const bar = () => page.getByRole('toolbar', { name: 'Formatting of the selection' })
  const read = async (documentId: string): Promise<readonly Block[]> =>
    (await server.ask('GET', `${PIECE}/${documentId}`)).data.story ?? []
  const blocks = (documentId: string) => async () => (await read(documentId)).map(short)

  it('inserts the block of a menu that opens with a slash', async () => {
    const documentId = await open(null)
    await page.keyboard.type('/')
    await menu().waitFor()
    await field().getByRole('status').getByText('8 kinds of blocks').waitFor()
    const active = async (): Promise<string | null> =>
      await editor().evaluate((element) => {
        const id = element.getAttribute('aria-activedescendant') ?? ''
        return document.getElementById(id)?.textContent ?? null
      })
    expect(await active()).to.equal('Heading 1')
    await page.keyboard.press('ArrowDown')
    await menu().getByRole('option', { name: 'Heading 2', selected: true }).waitFor()
    expect(await active()).to.equal('Heading 2')
    await expectAccessible(page, 'the menu of blocks')
    await takePicture(page, 'blocks-menu')
    await page.keyboard.press('Enter')
    await menu().waitFor({ state: 'detached' })
    await page.keyboard.type('One')
    await page.keyboard.press('Enter')
    await page.keyboard.type('/num')
    await menu().getByRole('option', { name: 'Numbered list', selected: true }).waitFor()
    expect(await menu().getByRole('option').count()).to.equal(1)
    await page.keyboard.press('Enter')
    await page.keyboard.type('first')
    await untilStored(blocks(documentId), ['heading2 One', 'list first'])
    expect(await editor().getAttribute('aria-activedescendant')).to.equal(null)
  })

  it('leaves a slash as text after Escape, and takes one step back for a chosen block', async () => {
    const documentId = await open(null)
    await page.keyboard.type('/quo')
    await menu().waitFor()
    await page.keyboard.press('Escape')
    await menu().waitFor({ state: 'detached' })
    await page.keyboard.type('t')
    await untilStored(blocks(documentId), ['paragraph /quot'])
    expect(await menu().count()).to.equal(0)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('/quo')
    await menu().getByRole('option', { name: 'Quote' }).click()
    await page.keyboard.type('Said')
    await untilStored(blocks(documentId), ['quote Said'])
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await untilStored(blocks(documentId), ['paragraph /quo'])
    await page.keyboard.press('End')
    await page.keyboard.type(' and more words')
    await menu().waitFor({ state: 'detached' })
  })

  it('shows tools at selected text, which Tab reaches and Escape closes', async () => {
    const documentId = await open([paragraph('One word more')])
    await editor()
      .getByText('One word more')
      .dblclick({ position: { x: 8, y: 10 } })
    await bar().waitFor()
    const [tools, line] = [await bar().boundingBox(), await editor().locator('p').boundingBox()]
    expect(tools?.y, 'the toolbar stays visible').to.be.above((line?.y ?? 0) + 10)
    await bar().getByRole('button', { name: 'Bold' }).click()
    await untilStored(
      async () => (await read(documentId))[0]?.children.some(({ bold }) => bold === true),
      true,
    )
    expect(await bar().getByRole('button', { name: 'Bold' }).getAttribute('aria-pressed')).to.equal(
      'true',
    )
    await expectAccessible(page, 'the tools at a selection')
    await takePicture(page, 'blocks-selection')
    await page.keyboard.press('Tab')
    await bar().getByRole('button', { name: 'Bold' }).and(page.locator(':focus')).waitFor()
    await page.evaluate(() => {
      const nextFrame = window.requestAnimationFrame.bind(window)
      window.requestAnimationFrame = (work) => nextFrame(() => setTimeout(work, 1000))
    })
    await page.keyboard.press('Escape')
    await bar().waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await field().getByRole('textbox', { name: 'Link address' }).fill('https://example.org')
    await page.keyboard.press('Enter')
    await untilStored(
      async () => (await read(documentId))[0]?.children.some(({ type }) => type === 'link'),
      true,
    )
  })

  it('uploads pasted pictures, and keeps the text that is typed meanwhile', async () => {
    const documentId = await open([paragraph('One'), paragraph('Two')])
    await editor().getByText('One').click()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/admin/files', async (route) => {
      await held
      await route.continue()
    })
    await pasteInto(editor(), { files: [PICTURE] })
    await field().getByRole('progressbar', { name: 'Uploading shore.png' }).waitFor()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Zero ')
    await untilStored(blocks(documentId), ['paragraph Zero One', 'paragraph Two'])
    await expectAccessible(page, 'blocks with an upload')
    release()
    await untilStored(blocks(documentId), ['paragraph Zero One', 'image', 'paragraph Two'])
    await page.unroute('**/admin/files')
    expect((await read(documentId))[1]?.image?.url).to.match(/^\/uploads\/.+\.png$/)
    await page.keyboard.press('Control+z')
    await untilStored(blocks(documentId), ['paragraph Zero One', 'paragraph Two'])
    await pasteInto(editor().getByText('Two'), { files: [PICTURE] }, 'drop')
    await untilStored(blocks(documentId), ['paragraph Zero One', 'paragraph Two', 'image'])
  })

  it('keeps the order of pasted pictures when the last one arrives first', async () => {
    const documentId = await open([paragraph('One'), paragraph('Two')])
    await editor().getByText('One').click()
    const held = await holdUpload(page, 'first.png')
    const files = ['first.png', 'second.png', 'third.png'].map((name) => ({ ...PICTURE, name }))
    await pasteInto(editor(), { files })
    await held.others(2)
    await page.keyboard.press('End')
    await page.keyboard.type(' more')
    await untilStored(blocks(documentId), ['paragraph One more', 'paragraph Two'])
    await held.release()
    const wanted = ['paragraph One more', 'image', 'image', 'image', 'paragraph Two']
    await untilStored(blocks(documentId), wanted)
    const names = (await read(documentId)).flatMap(({ image }) => image?.name ?? [])
    expect(names).to.deep.equal(['first.png', 'second.png', 'third.png'])
  })

  it('says that the upload of a picture failed', async () => {
    const documentId = await open([paragraph('kept')])
    await page.route('**/admin/files', (route) => route.abort())
    await pasteInto(editor(), { files: [PICTURE] })
    await field().getByRole('alert').waitFor()
    await field().getByRole('button', { name: 'Remove shore.png' }).click()
    await page.unroute('**/admin/files')
    expect(await blocks(documentId)()).to.deep.equal(['paragraph kept'])
  })

  it('moves blocks and list items by keys, and says their position', async () => {
    const documentId = await open([
      paragraph('One'),
      { type: 'list', format: 'unordered', children: [item('a'), item('b')] },
      { type: 'paragraph', children: [{ type: 'text', text: 'Two', bold: true }] },
    ])
    // A pressed tool shows that the editor has read the selection of a click.
    const tool = (name: string) => field().getByRole('button', { name, pressed: true })
    await editor().getByText('Two').click()
    await tool('Bold').waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await field().getByRole('status').getByText('Moved to position 2 of 3').waitFor()
    await page.keyboard.type('!')
    await untilStored(
      async () => (await blocks(documentId)()).map((one) => one.replace('!', '')),
      ['paragraph One', 'paragraph Two', 'list ab'],
    )
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await untilStored(blocks(documentId), ['paragraph One', 'list ab', 'paragraph Two'])
    await editor().getByText('b', { exact: true }).click()
    await tool('Bulleted list').waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await untilStored(blocks(documentId), ['paragraph One', 'list ba', 'paragraph Two'])
    await page.keyboard.press('Alt+ArrowUp')
    await untilStored(blocks(documentId), ['list ba', 'paragraph One', 'paragraph Two'])
    await field().getByRole('button', { name: 'Move down' }).click()
    await untilStored(blocks(documentId), ['list ab', 'paragraph One', 'paragraph Two'])
  })

  it('moves a block by dragging its grip, in one step of undo', async () => {
    const documentId = await open([paragraph('One'), paragraph('Two'), paragraph('Three')])
    await editor().getByText('Three').hover()
    const grip = field().locator('[data-grip]')
    const from = await grip.boundingBox()
    const to = await editor().getByText('One').boundingBox()
    if (from === null || to === null) throw new Error('The grip is not shown')
    await takePicture(page, 'blocks-grip')
    await page.mouse.move(from.x + 8, from.y + 8)
    await page.mouse.down()
    await page.mouse.move(to.x + 40, to.y + 40, { steps: 5 })
    await page.mouse.move(to.x + 40, to.y + 3, { steps: 5 })
    await page.mouse.up()
    await untilStored(blocks(documentId), ['paragraph Three', 'paragraph One', 'paragraph Two'])
    await page.keyboard.press('Control+z')
    await untilStored(blocks(documentId), ['paragraph One', 'paragraph Two', 'paragraph Three'])
  })

  it('fits a phone', async () => {
    await open([paragraph('One word more')])
    const size = page.viewportSize()
    await page.setViewportSize({ width: 360, height: 780 })
    try {
      await editor().click()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.keyboard.type('/')
      await menu().waitFor()
      await expectNoSidewaysScrolling(page, 'the menu of blocks on a phone')
      await takePicture(page, 'blocks-phone')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+a')
      await bar().waitFor()
      await expectNoSidewaysScrolling(page, 'the tools at a selection on a phone')
    } finally {
      if (size !== null) await page.setViewportSize(size)
    }
  })

  it('has its menu in German', async () => {
    const documentId = await open(null)
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await editor().click()
    await page.keyboard.type('/auf')
    const german = page.getByRole('listbox', { name: 'Block einfügen' })
    await german.getByRole('option', { name: 'Aufzählung', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('eins')
    await untilStored(blocks(documentId), ['list eins'])
  })
})
