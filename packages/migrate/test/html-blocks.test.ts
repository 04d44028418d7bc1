import { expect } from 'chai'
import { array, assert, constantFrom, property } from 'fast-check'
import { findBlockFaults } from '../../../src/schema/values/blocks.ts'
import { htmlBlocks } from '@quire/migrate/wordpress/html-blocks'

const FILE = 'w23456789012345678901234'

function convert(
  html: string,
  tables = false,
): {
  readonly blocks: readonly unknown[]
  readonly notes: readonly string[]
} {
  const notes: string[] = []
  const blocks = htmlBlocks(html, {
    image: (id, url) => (id === '7' || url.endsWith('/own.png') ? FILE : null),
    file: (url) => (url.endsWith('/own.pdf') ? FILE : null),
    note: (sentence) => notes.push(sentence),
    tables,
  })
  return { blocks, notes }
}

const text = (said: string, marks: object = {}): object => ({ type: 'text', text: said, ...marks })
const paragraph = (...children: readonly object[]): object => ({ type: 'paragraph', children })

describe('htmlBlocks', () => {
  const cases: readonly (readonly [string, string, readonly object[]])[] = [
    ['an empty text', '', []],
    ['white space only', ' \n\n <p> </p><!-- wp:more /-->', []],
    [
      'marks within marks',
      '<p><b>a<i>b</i></b></p>',
      [paragraph(text('a', { bold: true }), text('b', { bold: true, italic: true }))],
    ],
    ['lines of the classic editor', 'a\nb\n\n\nc', [paragraph(text('a\nb')), paragraph(text('c'))]],
    [
      'white space of the block editor',
      '<!-- wp:paragraph --><p>a\n\n b</p>',
      [paragraph(text('a b'))],
    ],
    [
      'links without an address or with a script',
      '<p><a>a</a><a href="javascript:x()">b</a></p>',
      [paragraph(text('a'), text('b'))],
    ],
    [
      'links of every kind',
      '<p><a href="/a b">a</a><a href="x/y">b</a><a href="mailto:a@b.c">c</a><a href="https://h/own.pdf">d</a></p>',
      [
        paragraph(
          { type: 'link', url: '/a%20b', children: [text('a')] },
          { type: 'link', url: './x/y', children: [text('b')] },
          { type: 'link', url: 'mailto:a@b.c', children: [text('c')] },
          { type: 'link', file: { documentId: FILE }, children: [text('d')] },
        ),
      ],
    ],
    [
      'an image in the middle of a paragraph',
      '<p>a<a href="x"><img src="https://h/own.png"></a>b</p>',
      [
        paragraph(text('a')),
        { type: 'image', image: { documentId: FILE }, children: [text('')] },
        paragraph(text('b')),
      ],
    ],
    [
      'lists within lists',
      '<ol><li>a<ul><li>b</li></ul></li><li></li></ol>',
      [
        {
          type: 'list',
          format: 'ordered',
          children: [
            { type: 'list-item', children: [text('a')] },
            {
              type: 'list',
              format: 'unordered',
              indentLevel: 1,
              children: [{ type: 'list-item', children: [text('b')] }],
            },
            { type: 'list-item', children: [text('')] },
          ],
        },
      ],
    ],
    [
      'HTML that is never closed',
      '<h2>a<p>b',
      [{ type: 'heading', level: 2, children: [text('a'), text('\n'), text('b')] }],
    ],
  ]
  for (const [name, html, expected] of cases) {
    it(`converts ${name}`, () => {
      expect(convert(html).blocks).to.deep.equal(expected)
    })
  }

  it('reports omitted parts', () => {
    const { notes } = convert(
      '<script>x</script><hr><foo>a</foo><!-- wp:block {"ref":1} /-->[form id="1"]',
    )
    expect(notes).to.deep.equal([
      '<script> is left out',
      'a horizontal rule is left out',
      '<foo> is what it says',
      'the block block is left out',
      'the shortcode [form] is a text',
    ])
  })

  it('keeps tables, without spans', () => {
    const html =
      '<table><tr><th colspan="2">Port</th></tr><tr><td rowspan="2">Brest</td><td><p>7</p><p>m</p></td></tr><tr></tr></table>'
    const cell = (said: string, type = 'table-cell'): object => ({ type, children: [text(said)] })
    const row = (...children: readonly object[]): object => ({ type: 'table-row', children })
    const header = 'table-header-cell'
    expect(convert(html, true)).to.deep.equal({
      blocks: [
        {
          type: 'table',
          children: [
            row(cell('Port', header), cell('', header)),
            row(cell('Brest'), {
              type: 'table-cell',
              children: [text('7'), text('\n'), text('m')],
            }),
            row(cell(''), cell('')),
          ],
        },
      ],
      notes: [],
    })
    const wide = `<table><tr>${'<td>x</td>'.repeat(51)}</tr></table>`
    expect(convert(wide, true).notes).to.deep.equal(['a table is a paragraph for each row'])
  })

  it('creates valid blocks from any input', () => {
    const pieces = constantFrom(
      ...'<p>|</p>|<ul>|<li>|</li>|</ul>|<b>|</b>|<a href="x">|<a href="">|</a>|<img src="a/own.png">|<img>|<h1>|</h1>|<table><tr><td>|<td colspan=2>|<th rowspan=2>|<tr>|</table>|<pre>|</pre>|<blockquote>|</blockquote>|<figure>|<figcaption>|</figure>|<iframe src="//x">|[caption]|[/caption]|[gallery ids="7,8"]|\n\n|\n| |a|&lt;|<!-- wp:x -->|<br>|<code>'.split(
        '|',
      ),
    )
    assert(
      property(array(pieces, { maxLength: 25 }), (parts) => {
        const blocks = convert(parts.join(''), true).blocks as readonly { type: string }[]
        const known = JSON.stringify(blocks).replaceAll(
          `"file":{"documentId":"${FILE}"}`,
          '"url":"/file"',
        )
        const faults = findBlockFaults(JSON.parse(known), ['content'], true)
        // Missing values of an image are added when it is applied.
        expect(faults.filter(({ path }) => !path.includes('image'))).to.deep.equal([])
      }),
      { numRuns: 200 },
    )
  })
})
