import type { Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import { DOCS_HTML, WORD_HTML } from './clipboard-html.ts'
import { editorBefore, fieldAt, openPiece, PIECE, untilStored } from './editors.ts'
import { pasteInto } from './paste.ts'
import type { Server } from './server.ts'

const text = (words: string, look = {}): object => ({ type: 'text', text: words, ...look })
const link = (url: string, words: string): object => ({
  type: 'link',
  url,
  children: [text(words)],
})
const item = (...children: readonly object[]): object => ({ type: 'list-item', children })
const paragraph = (...children: readonly object[]): object => ({ type: 'paragraph', children })
const heading = (level: number, words: string): object => ({
  type: 'heading',
  level,
  children: [text(words)],
})
const list = (format: string, ...children: readonly object[]): object => ({
  type: 'list',
  format,
  children,
})
const nested = (format: string, ...children: readonly object[]): object => ({
  type: 'list',
  format,
  indentLevel: 1,
  children,
})

describeInBrowser('text pasted into blocks', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const expectPasted = async (html: string, wanted: readonly object[]): Promise<void> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Pasted' } })).data
    await openPiece(page, server, documentId)
    const editor = fieldAt(page, 'story').locator('.ProseMirror')
    await editor.click()
    await pasteInto(editor, { html })
    await untilStored(
      async () => (await server.ask('GET', `${PIECE}/${documentId}`)).data.story,
      wanted,
    )
  }

  it('keeps headings, marks, links and nested lists of Word', async () => {
    await expectPasted(WORD_HTML, [
      heading(1, 'Tides'),
      paragraph(
        text('The '),
        text('moon', { bold: true }),
        text(' '),
        text('pulls', { italic: true }),
        text(' at the '),
        link('https://example.org/sea', 'sea'),
        text(', twice a day.'),
      ),
      heading(2, 'Kinds'),
      list(
        'unordered',
        item(text('Spring', { bold: true }), text(' tide')),
        nested('unordered', item(text('new moon')), item(text('full moon'))),
        item(text('Neap tide')),
      ),
      paragraph(text('Steps:')),
      list('ordered', item(text('Look')), item(text('Wait'))),
    ])
  })

  it('keeps headings, marks, links and nested lists of Google Docs', async () => {
    await expectPasted(DOCS_HTML, [
      heading(1, 'Tides'),
      paragraph(
        text('The '),
        text('moon', { bold: true }),
        text(' '),
        text('pulls', { italic: true }),
        text(' at the '),
        link('https://example.org/sea', 'sea'),
        text(', '),
        text('twice', { bold: true, italic: true, strikethrough: true }),
      ),
      list(
        'unordered',
        item(text('Spring tide')),
        nested('unordered', item(text('new moon'))),
        item(text('Neap tide')),
      ),
      list('ordered', item(text('Look'))),
    ])
  })

  it('starts a list of its own for each list, and keeps levels without an outer item', async () => {
    const one = (list: string, level: number, marker: string, words: string): string =>
      `<p class=MsoListParagraph style='mso-list:${list} level${level} lfo1'><span style='mso-list:Ignore'>${marker}<span>&nbsp;</span></span>${words}</p>`
    await expectPasted(
      [
        one('l0', 2, 'o', 'deep'),
        one('l0', 1, '·', 'outer'),
        one('l1', 1, '(a)', 'first'),
        one('l1', 3, 'ii.', 'deeper'),
        one('l1', 1, '(b)', 'last'),
      ].join('\n'),
      [
        list('unordered', item(text('deep'))),
        list('unordered', item(text('outer'))),
        list(
          'ordered',
          item(text('first')),
          nested('ordered', item(text('deeper'))),
          item(text('last')),
        ),
      ],
    )
  })

  it('drops links to scripts, files and places in a document', async () => {
    await expectPasted(
      `<p><a href="javascript:alert(1)">a</a> <a href="file:///c:/b.docx">b</a> <a href="#_Toc1">c</a> <a href="/d">d</a></p>
       <img src="x" onerror="document.title='hostile'"><script>document.title='hostile'</script>`,
      [paragraph(text('a b c '), link('/d', 'd'))],
    )
  })

  it('keeps the order of several lists and the lines of an item', async () => {
    await expectPasted('<ul><li><p>a</p><p>b</p><ul><li>c</li></ul><ol><li>d</li></ol></li></ul>', [
      list(
        'unordered',
        item(text('a\nb')),
        nested('unordered', item(text('c'))),
        nested('ordered', item(text('d'))),
      ),
    ])
  })
})
