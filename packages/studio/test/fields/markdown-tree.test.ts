import { expect } from 'chai'
import * as fc from 'fast-check'
import { parseMarkdown, type PreviewNode } from '../../src/fields/richtext/markdown-tree.ts'

/** As HTML, only to compare trees in a short form. */
function write(nodes: readonly PreviewNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node
      const { tag, attributes = {}, children } = node
      const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`)
      return `<${tag}${written.join('')}>${write(children)}</${tag}>`
    })
    .join('')
}

const preview = (text: string): string => write(parseMarkdown(text))

const TAGS =
  /^(?:h[1-6]|p|blockquote|ul|ol|li|pre|code|hr|br|em|strong|s|sub|sup|a|img|table|thead|tbody|tr|th|td)$/

function addressesIn(nodes: readonly PreviewNode[]): readonly string[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return []
    expect(node.tag).to.match(TAGS)
    const { attributes = {}, children } = node
    expect(['href', 'src', 'alt', 'start']).to.include.members(Object.keys(attributes))
    const own = [attributes['href'], attributes['src']].filter((one) => one !== undefined)
    return [...own.map(String), ...addressesIn(children)]
  })
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[a](javascript:alert(1))',
  '[a](JaVa\tScript:alert(1))',
  '[a](&#106;avascript:alert(1))',
  '[a](<java&#10;script:alert(1)>)',
  String.raw`[a](java\script\:alert(1))`,
  '![a](data:text/html;base64,PHNjcmlwdD4=)',
  '[a](vbscript:x "t")',
  '<javascript:alert(1)>',
  '[a][r]\n\n[r]: javascript:alert(1)\n',
  '[constructor][__proto__]',
  '&constructor;',
  '&#x110000;',
]

describe('the preview of Markdown', () => {
  it('shows a paragraph above 10,000 characters as text, because its parser is quadratic', () => {
    const hostile = '![a]('.repeat(10_000)
    const long = `${hostile} **b**`
    expect(preview(`**a**\n\n${long}\n\n- **c**`)).to.equal(
      `<p><strong>a</strong></p><p>${long}</p><ul><li><strong>c</strong></li></ul>`,
    )
    expect(preview(`${'x '.repeat(4_990)}**b**`)).to.include('<strong>b</strong>')
  })

  it('shows headings, marks, lists, quotes and code', () => {
    expect(preview('# One *two*\n\na **b** ~~c~~ `d`  \ne')).to.equal(
      '<h1>One <em>two</em></h1><p>a <strong>b</strong> <s>c</s> <code>d</code><br></br>e</p>',
    )
    expect(preview('- a\n  1. b\n- c\n\n> q\n> r')).to.equal(
      '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul><blockquote><p>q\n r</p></blockquote>',
    )
    expect(preview('```js\n<b>\n\n  x\n```')).to.equal('<pre><code><b>\n\n  x</code></pre>')
    expect(preview('3. x\n\n---')).to.equal('<ol start="3"><li>x</li></ol><hr></hr>')
  })

  it('shows links, references, pictures, tables and tasks', () => {
    expect(preview('[a](http://x "t") [b][ref] <c@d.org>\n\n[ref]: /here')).to.equal(
      '<p><a href="http://x">a</a> <a href="/here">b</a> <a href="mailto:c@d.org">c@d.org</a></p>',
    )
    expect(preview('![a *b*](/uploads/c.png)')).to.equal(
      '<p><img src="/uploads/c.png" alt="a b"></img></p>',
    )
    expect(preview('| a |\n|---|\n| **1** |')).to.equal(
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><strong>1</strong></td></tr></tbody></table>',
    )
    expect(preview('- [x] done')).to.equal('<ul><li>☑ done</li></ul>')
  })

  it('decodes entities and escapes, and shows HTML as text', () => {
    expect(preview(String.raw`&lt;&#169;&nope; \*`)).to.equal('<p><©&nope; *</p>')
    expect(preview('<div onclick="x">\n\nx <b>y</b>')).to.equal(
      '<p><div onclick="x"></p><p>x <b>y</b></p>',
    )
  })

  it('creates no element or address that can run a script', () => {
    let addresses = 0
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(...HOSTILE),
            fc.constantFrom('[x](/safe)', '> ', '- ', '\n\n', '# ', '*', '`', '| a |\n|--|\n'),
            fc.string({ maxLength: 12 }),
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          for (const address of addressesIn(parseMarkdown(parts.join('')))) {
            addresses += 1
            const { protocol } = new URL(address.replaceAll(/[\t\n\r]/g, ''), 'http://site')
            expect(['http:', 'https:', 'mailto:', 'tel:'], address).to.include(protocol)
          }
        },
      ),
      { numRuns: 500 },
    )
    expect(addresses).to.be.above(50)
  })

  it('shows very deep Markdown as text', () => {
    expect(preview(`${'>'.repeat(2000)}deep`)).to.contain('deep')
  })
})
