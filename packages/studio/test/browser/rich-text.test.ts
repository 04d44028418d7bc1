import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { editorBefore, fieldAt, openPiece, PIECE, untilSaved, untilStored } from './editors.ts'
import type { Server } from './server.ts'

const text = (words: string): object => ({ type: 'text', text: words })
const item = (words: string): object => ({ type: 'list-item', children: [text(words)] })
const link = { type: 'link', url: 'https://example.org/', children: [text('a link')] }
const unsafe = { type: 'link', url: 'javascript:alert(1)', children: [text('another')] }
const list = (format: string, ...children: readonly object[]): object => ({
  type: 'list',
  format,
  children,
})

describeInBrowser('rich text', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const open = async (story: readonly object[]): Promise<string> => {
    const data = { title: 'Rich', story }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await openPiece(page, server, documentId)
    await editor().waitFor()
    return documentId
  }
  const editor = () => fieldAt(page, 'story').locator('.ProseMirror')
  const stored = async (documentId: string): Promise<unknown> =>
    (await server.ask('GET', `${PIECE}/${documentId}`)).data.story

  it('exposes lists, items and links to screen readers', async () => {
    await open([
      list('unordered', item('one'), list('ordered', item('within')), item('two')),
      { type: 'paragraph', children: [text('See '), link, text(' and '), unsafe, text('.')] },
    ])
    const lists = editor().getByRole('list')
    expect(await lists.evaluateAll((all) => all.map(({ tagName }) => tagName))).to.deep.equal([
      'UL',
      'OL',
    ])
    expect(await editor().getByRole('listitem').count()).to.equal(4)
    expect(await editor().locator('ul > ol, ol > ul').count()).to.equal(0)
    expect(await editor().getByRole('link').allInnerTexts()).to.deep.equal(['a link', 'another'])
    expect(await editor().locator('a[href^="javascript"]').count()).to.equal(0)
    await expectAccessible(page, 'rich text with lists and links')
  })

  it('keeps nested lists when an item is edited', async () => {
    const documentId = await open([
      list('unordered', item('one'), list('ordered', item('within')), item('two')),
    ])
    await editor().getByText('within').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' it')
    await untilSaved(page)
    await untilStored(
      () => stored(documentId),
      [list('unordered', item('one'), list('ordered', item('within it')), item('two'))],
    )
  })

  it('does not extend a link by text typed at its end', async () => {
    const documentId = await open([{ type: 'paragraph', children: [text('See '), link] }])
    await editor().getByText('a link').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' and on')
    await untilSaved(page)
    await untilStored(
      () => stored(documentId),
      [{ type: 'paragraph', children: [text('See '), link, text(' and on')] }],
    )
  })

  /** An editor that still loads sets its selection once more. The key is pressed until the caret stays at the end. */
  const moveToEndOf = async (words: string): Promise<void> => {
    for (let held = 0; held < 5;) {
      await page.keyboard.press('End')
      await page.waitForTimeout(50)
      const isThere = await editor().evaluate((element, value) => {
        const { anchorNode, anchorOffset } = document.getSelection() ?? {}
        const isInside = anchorNode?.textContent === value && element.contains(anchorNode)
        return isInside && anchorOffset === value.length
      }, words)
      held = isThere ? held + 1 : 0
    }
  }

  it('separates the cells of a pasted table', async () => {
    const documentId = await open([{ type: 'paragraph', children: [text('Table')] }])
    await editor().click()
    await moveToEndOf('Table')
    await page.keyboard.press('Enter')
    await editor().evaluate((element) => {
      const data = new DataTransfer()
      data.setData(
        'text/html',
        '<table><tr><td>1</td><td><p>2</p></td></tr><tr><td>3</td><td>4</td></tr></table>',
      )
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    })
    await untilSaved(page)
    const paragraph = (words: string): object => ({ type: 'paragraph', children: [text(words)] })
    await untilStored(
      () => stored(documentId),
      [paragraph('Table'), paragraph('1 | 2'), paragraph('3 | 4')],
    )
  })
})
