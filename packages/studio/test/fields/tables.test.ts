import { getSchema } from '@tiptap/core'
import { EditorState, type Selection, TextSelection, type Transaction } from '@tiptap/pm/state'
import { fixTables, TableMap } from '@tiptap/pm/tables'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { type BlockNode, blockText } from '../../src/entry/block-text.ts'
import type { EditorNode } from '../../src/fields/blocks/blocks.ts'
import { fromEditor } from '../../src/fields/blocks/from-editor.ts'
import { EXTENSIONS } from '../../src/fields/blocks/open-blocks-editor.ts'
import { readSheet, sheetLines } from '../../src/fields/blocks/read-sheet.ts'
import { goForward, insertTable, TABLE_CHANGES } from '../../src/fields/blocks/table-commands.ts'
import { TABLE_NODES } from '../../src/fields/blocks/table-nodes.ts'
import { toEditor } from '../../src/fields/blocks/to-editor.ts'
import { EXTENDED_BLOCKS } from './block-samples.ts'

const SCHEMA = getSchema([...EXTENSIONS, ...TABLE_NODES])

const blocksOf = (state: EditorState): readonly BlockNode[] =>
  fromEditor(state.doc.toJSON() as EditorNode) ?? []

/** The end of the last table, where Tab adds a row. The start of a text without tables. */
function lastCellOf({ doc }: EditorState): Selection {
  let end = 0
  doc.forEach((block, at) => {
    if (block.type.name === 'table') end = at + block.nodeSize - 1
  })
  return TextSelection.near(doc.resolve(end), -1)
}

describe('tables in the editor', () => {
  it('round-trip through the schema', () => {
    fc.assert(
      fc.property(EXTENDED_BLOCKS, (blocks) => {
        const doc = SCHEMA.nodeFromJSON(toEditor(blocks))
        doc.check()
        expect(fromEditor(doc.toJSON() as EditorNode)).to.deep.equal(fromEditor(toEditor(blocks)))
        expect(fromEditor(toEditor(blocks))).to.deep.equal(blocks)
      }),
    )
  })

  it('stay rectangular and valid in random changes', () => {
    const acts = [
      ...Object.values(TABLE_CHANGES),
      goForward,
      (state: EditorState, dispatch?: (tr: Transaction) => void) => {
        dispatch?.(insertTable(state))
        return true
      },
    ]
    const seen = new Map<number, number>()
    const steps = fc.array(fc.tuple(fc.nat(), fc.nat({ max: acts.length - 1 })), { maxLength: 8 })
    fc.assert(
      fc.property(EXTENDED_BLOCKS, steps, (blocks, chosen) => {
        let state = EditorState.create({ doc: SCHEMA.nodeFromJSON(toEditor(blocks)) })
        for (const [at, act] of chosen) {
          const any = state.doc.resolve(at % (state.doc.content.size + 1))
          const place = at % 3 === 0 ? lastCellOf(state) : TextSelection.near(any)
          state = state.apply(state.tr.setSelection(place))
          const before = state
          acts[act]?.(state, (tr) => {
            state = state.apply(tr)
          })
          if (!state.doc.eq(before.doc)) seen.set(act, (seen.get(act) ?? 0) + 1)
          state.doc.check()
          expect(fixTables(state), 'rectangular').to.equal(undefined)
        }
        for (const block of blocksOf(state)) {
          const widths = (block.children ?? []).map((row) => row.children?.length)
          if (block.type === 'table') expect(new Set(widths).size).to.equal(1)
        }
      }),
      { numRuns: 200 },
    )
    for (const index of acts.keys()) expect(seen.get(index), `act ${index}`).to.be.above(3)
  })

  it('end before the limits of the server', () => {
    const rows = Array.from({ length: 500 }, () => ({
      type: 'table-row',
      children: Array.from({ length: 50 }, () => ({
        type: 'table-cell',
        children: [{ type: 'text', text: '' }],
      })),
    }))
    const doc = SCHEMA.nodeFromJSON(toEditor([{ type: 'table', children: rows }]))
    const state = EditorState.create({ doc, selection: TextSelection.atEnd(doc) })
    const refuse = (): void => expect.fail('the table grows')
    for (const name of ['rowAbove', 'rowBelow', 'columnBefore', 'columnAfter'] as const) {
      expect(TABLE_CHANGES[name](state, refuse), name).to.equal(false)
    }
    expect(goForward(state, refuse)).to.equal(true)
    expect(TableMap.get(state.doc.child(0)).height).to.equal(500)
  })

  it('have a line of text for each row', () => {
    const cell = (text: string): BlockNode => ({
      type: 'table-cell',
      children: [{ type: 'text', text }],
    })
    const row = (...cells: readonly BlockNode[]): BlockNode => ({
      type: 'table-row',
      children: cells,
    })
    const table = { type: 'table', children: [row(cell('1'), cell('2')), row(cell(''), cell('3'))] }
    expect(blockText([table])).to.equal('1 | 2\n | 3')
  })
})

describe('the text of a spreadsheet', () => {
  it('has cells between tabs', () => {
    expect(readSheet('a\tb\r\n1\t\r\n')).to.deep.equal([
      ['a', 'b'],
      ['1', ''],
    ])
    expect(readSheet('"x\ty ""z""\nnext"\t1')).to.deep.equal([['x y "z"\nnext', '1']])
  })

  it('is no text without tabs, with uneven lines or with indented lines', () => {
    for (const text of ['', 'a', 'a\nb', 'a\tb\nc', '\tif\n\telse', 'a\tb\n\nc\td']) {
      expect(readSheet(text), JSON.stringify(text)).to.equal(null)
    }
  })

  it('keeps the cells of any sheet, as cells and as lines', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ' ', 'é', '\n', '1') })
    const sheet = fc.integer({ min: 2, max: 4 }).chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    const quoted = (text: string): string =>
      /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    fc.assert(
      fc.property(sheet, (rows) => {
        fc.pre(rows.some(([first]) => first !== ''))
        const text = rows.map((row) => row.map(quoted).join('\t')).join('\n')
        expect(readSheet(text)).to.deep.equal(rows)
        expect(sheetLines(rows).split('\n')).to.have.length(rows.length)
      }),
    )
  })
})
