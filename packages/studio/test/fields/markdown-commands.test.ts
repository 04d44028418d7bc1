import { EditorState } from '@codemirror/state'
import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  applyTool,
  MARKDOWN_TOOLS,
  type MarkdownTool,
} from '../../src/fields/code/markdown-commands.ts'
import { pictureMarkdown } from '../../src/fields/code/picture-markdown.ts'
import { parseMarkdown } from '../../src/fields/richtext/markdown-tree.ts'

/** The selection is written as `«…»`. */
function stateOf(marked: string): EditorState {
  const from = marked.indexOf('«')
  const to = marked.indexOf('»') - 1
  return EditorState.create({
    doc: marked.replaceAll(/[«»]/g, ''),
    selection: { anchor: from, head: to },
  })
}

function written(state: EditorState): string {
  const { from, to } = state.selection.main
  return `${state.sliceDoc(0, from)}«${state.sliceDoc(from, to)}»${state.sliceDoc(to)}`
}

const after = (marked: string, tool: MarkdownTool): string => {
  const state = stateOf(marked)
  return written(state.update(applyTool(state, tool)).state)
}

describe('the tools of Markdown', () => {
  it('wrap the selection, and unwrap it again', () => {
    expect(after('a «b» c', 'bold')).to.equal('a **«b»** c')
    expect(after('a **«b»** c', 'bold')).to.equal('a «b» c')
    expect(after('«»', 'italic')).to.equal('_«»_')
  })

  it('link the selection, with the cursor in the empty part', () => {
    expect(after('«b»', 'link')).to.equal('[b](«»)')
    expect(after('«»', 'link')).to.equal('[«»]()')
  })

  it('mark all selected lines, and replace the other kind of list', () => {
    expect(after('x «a\n\nb»', 'unordered')).to.equal('- x «a\n\n- b»')
    expect(after('«- a\n- b»', 'ordered')).to.equal('«1. a\n2. b»')
    expect(after('> «a»', 'quote')).to.equal('«a»')
    expect(after('#### «a»', 'heading')).to.equal('«a»')
  })

  it('fence code with a longer fence than those within, and remove it', () => {
    expect(after('x\n«a»\ny', 'codeBlock')).to.equal('x\n```\n«a»\n```\ny')
    expect(after('x\n```\n«a»\n```\ny', 'codeBlock')).to.equal('x\n«a»\ny')
    expect(after('«```\na\n```»', 'codeBlock')).to.equal('````\n«```\na\n```»\n````')
  })

  it('keep the text of all lines', () => {
    const words = fc.stringMatching(/^[a-z]( [a-z]){0,3}$/)
    let runs = 0
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.nat(),
        fc.constantFrom(...MARKDOWN_TOOLS),
        (lines, one, other, tool) => {
          const doc = lines.join('\n')
          const anchor = one % (doc.length + 1)
          const head = other % (doc.length + 1)
          const state = EditorState.create({ doc, selection: { anchor, head } })
          const next = state.update(applyTool(state, tool)).state
          if (next.doc.lines > 1) runs += 1
          expect(next.doc.toString().replaceAll(/[^a-z]/g, '')).to.equal(
            doc.replaceAll(/[^a-z]/g, ''),
          )
          const kept = (text: EditorState): string =>
            text
              .sliceDoc(text.selection.main.from, text.selection.main.to)
              .replaceAll(/[^a-z]/g, '')
          if (tool !== 'link') expect(kept(next)).to.equal(kept(state))
        },
      ),
    )
    expect(runs).to.be.above(20)
  })

  it('write pictures that parse with any name and address', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 10 }), (alt, path) => {
        const src = `/uploads/${path.replaceAll(/[^\w ()<>.%-]|_/g, '')} (1).png`
        const [paragraph] = parseMarkdown(pictureMarkdown(src, alt.replaceAll(/[`&<*_~!^:@]/g, '')))
        expect(paragraph).to.have.nested.property('children[0].tag', 'img')
      }),
    )
    expect(pictureMarkdown('/a b.png', 'x [y]')).to.equal(String.raw`![x \[y\]](/a%20b.png)`)
    expect(pictureMarkdown('/a.png', null)).to.equal('![](/a.png)')
  })
})
