import { createChainableState, getSchema } from '@tiptap/core'
import { Fragment, type ResolvedPos, Slice } from '@tiptap/pm/model'
import {
  EditorState,
  NodeSelection,
  type Selection,
  TextSelection,
  type Transaction,
} from '@tiptap/pm/state'
import { CellSelection, fixTables, TableMap } from '@tiptap/pm/tables'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { type BlockNode, blockText } from '../../src/entry/block-text.ts'
import type { EditorNode } from '../../src/fields/blocks/blocks.ts'
import { fromEditor } from '../../src/fields/blocks/from-editor.ts'
import { ListKeys } from '../../src/fields/blocks/list-commands.ts'
import { EXTENSIONS } from '../../src/fields/blocks/open-blocks-editor.ts'
import { gridOf } from '../../src/fields/blocks/paste-tables.ts'
import { readSheet, sheetLines } from '../../src/fields/blocks/read-sheet.ts'
import {
  disabledChanges,
  goForward,
  insertTable,
  offeredChanges,
  TABLE_CHANGES,
  tableOf,
} from '../../src/fields/blocks/table-commands.ts'
import { dropOnCell, fitPasted, pasteIntoCell } from '../../src/fields/blocks/table-editing.ts'
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

function lastCellAt(state: EditorState): number {
  return lastCellOf(state).$from.before(3)
}

/** The transaction of the input rule for `- `, with the rule's text before the cursor. */
function typeListStart(before: EditorState): Transaction {
  const state = before.apply(before.tr.insertText('-'))
  const [rule] = ListKeys.config.addInputRules?.call({} as never) ?? []
  const { from: end } = state.selection
  const transaction = state.tr
  void rule?.handler({
    state: createChainableState({ state, transaction }),
    range: { from: end - 1, to: end },
  } as never)
  return transaction
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
      goForward(true),
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
    expect(goForward(true)(state, refuse)).to.equal(false)
    expect(TableMap.get(state.doc.child(0)).height).to.equal(500)
    const growing = ['rowAbove', 'rowBelow', 'columnBefore', 'columnAfter']
    expect(disabledChanges(state)).to.deep.equal(growing)
    expect(offeredChanges(false)).to.not.include.members(growing)
    const one = EditorState.create({ schema: SCHEMA })
    expect(disabledChanges(one.apply(insertTable(one)))).to.deep.equal([])
  })

  it('keep the start of a list that is typed into a cell', () => {
    const empty = EditorState.create({ schema: SCHEMA })
    const table = empty.apply(insertTable(empty))
    expect(typeListStart(table).steps).to.have.length(0)
    expect(typeListStart(empty).doc.child(0).type.name).to.equal('list')
  })

  it('take pasted cells as lines if they would exceed the limits', () => {
    const empty = EditorState.create({ schema: SCHEMA })
    const state = empty.apply(insertTable(empty))
    const paste = (height: number, width: number): Slice => {
      const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => 'x'))
      return new Slice(Fragment.from(tableOf(SCHEMA, rows)), 0, 0)
    }
    for (const fitting of [paste(500, 1), paste(2, 50)]) {
      expect(fitPasted(fitting, state)).to.equal(fitting)
    }
    const last = state.apply(state.tr.setSelection(lastCellOf(state)))
    for (const [height, width] of [
      [499, 1],
      [2, 49],
    ] as const) {
      const { content } = fitPasted(paste(height, width), last)
      expect(content.childCount).to.equal(1)
      expect(content.child(0).type.name).to.equal('paragraph')
      expect(content.textBetween(0, content.size, '', '\n').split('\n')).to.have.length(height)
      const whole = CellSelection.create(last.doc, lastCellAt(last), lastCellAt(last))
      const clipped = paste(height, width)
      expect(fitPasted(clipped, last.apply(last.tr.setSelection(whole)))).to.equal(clipped)
    }
  })

  it('keep every text and picture of content that is pasted into a cell', () => {
    const empty = EditorState.create({ schema: SCHEMA })
    const state = empty.apply(insertTable(empty))
    let pictures = 0
    fc.assert(
      fc.property(EXTENDED_BLOCKS, (blocks) => {
        const { content } = SCHEMA.nodeFromJSON(toEditor(blocks))
        const pasted = fitPasted(new Slice(content, 0, 0), state)
        const found = (of: Fragment): readonly unknown[] => {
          const all: unknown[] = []
          let words = ''
          of.descendants((node) => {
            words += (node.text ?? '').replaceAll(/[\s|]/g, '')
            if (node.type.name === 'image') all.push(node.attrs)
          })
          return [words, ...all]
        }
        expect(found(pasted.content)).to.deep.equal(found(content))
        if (found(content).some((one) => typeof one === 'object')) pictures += 1
      }),
    )
    expect(pictures).to.be.above(3)
  })

  it('get a pasted text and its pictures in one step', () => {
    const shore = SCHEMA.node('image', { image: { url: '/shore.png' } })
    const table = tableOf(SCHEMA, [
      ['a', 'b'],
      ['c', 'd'],
    ])
    const doc = SCHEMA.node('doc', null, [table, SCHEMA.node('paragraph')])
    const state = EditorState.create({ doc })
    const cells = (one: Transaction | null): readonly string[] => {
      const { doc: after } = one ?? expect.fail('not pasted')
      after.check()
      expect(fixTables(EditorState.create({ doc: after }))).to.equal(undefined)
      return after.content.content.map((block) => block.type.name + block.textContent)
    }
    const cellAt = (index: number): number => TableMap.get(table).map[index] ?? 0
    const inLast = state.apply(
      state.tr.setSelection(TextSelection.create(doc, cellAt(3) + 3, cellAt(3) + 4)),
    )
    const all = state.apply(
      state.tr.setSelection(CellSelection.create(doc, cellAt(0) + 1, cellAt(3) + 1)),
    )
    const row = state.apply(
      state.tr.setSelection(CellSelection.create(doc, cellAt(2) + 1, cellAt(3) + 1)),
    )
    const picture = new Slice(Fragment.from(shore), 0, 0)
    const both = new Slice(
      Fragment.from([SCHEMA.node('paragraph', null, SCHEMA.text('x')), shore]),
      1,
      0,
    )
    const paste = (into: EditorState, slice: Slice): readonly string[] =>
      cells(pasteIntoCell(into, fitPasted(slice, into)))
    expect(paste(inLast, both)).to.deep.equal(['tableabcx', 'image', 'paragraph'])
    expect(paste(inLast, picture)).to.deep.equal(['tableabc', 'image', 'paragraph'])
    expect(paste(row, both)).to.deep.equal(['tableabxx', 'image', 'paragraph'])
    expect(paste(all, picture)).to.deep.equal(['table', 'image', 'paragraph'])
    expect(pasteIntoCell(inLast, new Slice(both.content.cut(0, 3), 1, 1))).to.equal(null)
    expect(
      pasteIntoCell(state.apply(state.tr.setSelection(TextSelection.atEnd(doc))), both),
    ).to.equal(null)
  })

  it('stay whole, with every text and picture that is dropped on them', () => {
    const found = (of: Fragment): readonly string[] => {
      const all: string[] = []
      of.descendants((node) => {
        all.push(...Array.from((node.text ?? '').replaceAll(/[\s|]/g, '')))
        if (node.type.name === 'image') all.push(JSON.stringify(node.attrs))
      })
      return all.toSorted()
    }
    let drops = 0
    let pictures = 0
    let between = 0
    fc.assert(
      fc.property(
        EXTENDED_BLOCKS,
        fc.nat(),
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        (blocks, one, other, place, isMove) => {
          const table = tableOf(SCHEMA, [['a', 'b']])
          const rest = SCHEMA.nodeFromJSON(toEditor(blocks)).content
          const doc = SCHEMA.node('doc', null, Fragment.from(table).append(rest))
          const [from, to] = [one, other].map((at) =>
            doc.resolve(table.nodeSize + (at % (rest.size + 1))),
          ) as [ResolvedPos, ResolvedPos]
          const isPicture = from.nodeAfter?.type.name === 'image'
          const selected = isPicture
            ? new NodeSelection(from)
            : TextSelection.between(from, to, one < other ? 1 : -1)
          if (selected.from < table.nodeSize) return
          const state = EditorState.create({ doc })
          const moved = isMove ? selected : null
          const slice = selected.content()
          const at = place % table.nodeSize
          const dropped = dropOnCell(state, at, slice, moved)
          const isBetween = [1, 2].includes(doc.resolve(at).depth)
          if (dropped === null) {
            // Only the start of the document, and a line in a cell, are left to the editor.
            expect(isBetween).to.equal(false)
            return
          }
          between += Number(isBetween)
          dropped.doc.check()
          // The removal of cells from other tables is not a part of the drop.
          if (moved === null) {
            expect(fixTables(EditorState.create({ doc: dropped.doc }))).to.equal(undefined)
          }
          expect(dropped.doc.child(0).type.name).to.equal('table')
          expect(dropped.doc.child(0).childCount).to.equal(1)
          const lost = moved === null ? [] : found(slice.content)
          expect([...found(dropped.doc.content), ...lost].toSorted()).to.deep.equal(
            [...found(doc.content), ...found(slice.content)].toSorted(),
          )
          drops += 1
          slice.content.descendants((node) => void (pictures += Number(node.type.name === 'image')))
        },
      ),
      { numRuns: 800 },
    )
    expect(drops).to.be.above(20)
    expect(pictures).to.be.above(5)
    expect(between).to.be.above(5)
  })

  it('leave the editor with Tab in the last cell if they cannot grow', () => {
    const empty = EditorState.create({ schema: SCHEMA })
    const table = empty.apply(insertTable(empty))
    const last = table.apply(table.tr.setSelection(lastCellOf(table)))
    const refuse = (): void => expect.fail('the table changes')
    expect(goForward(false)(last, refuse)).to.equal(false)
    const first = table.apply(table.tr.setSelection(TextSelection.atStart(table.doc)))
    let moved = first
    expect(goForward(false)(first, (tr) => (moved = first.apply(tr)))).to.equal(true)
    expect(moved.selection.from).to.be.above(first.selection.from)
    expect(moved.doc.eq(first.doc)).to.equal(true)
  })

  it('read pasted rows only up to the limit', () => {
    let read = 0
    function* cells() {
      for (; read < 50_000; read += 1) yield { tagName: 'TD', colSpan: 1, rowSpan: 1 }
    }
    expect(gridOf([{ cells: cells() }])).to.equal(null)
    expect(read).to.equal(50)
    const wide = { tagName: 'TH', colSpan: 50, rowSpan: 2 }
    const grid = gridOf([{ cells: [wide] }, { cells: [] }])
    expect(grid?.map((row) => row.length)).to.deep.equal([50, 50])
    expect(gridOf([{ cells: [{ ...wide, colSpan: 51 }] }])).to.equal(null)
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
    expect(readSheet('"x\ty ""z""\nnext"\t1\na\tb')).to.deep.equal([
      ['x y "z"\nnext', '1'],
      ['a', 'b'],
    ])
  })

  it('is no text without tabs, with uneven lines or with indented lines', () => {
    for (const text of ['', 'a', 'Name:\tBob', 'a\nb', 'a\tb\nc', '\tif\n\telse', 'a\tb\n\nc\td']) {
      expect(readSheet(text), JSON.stringify(text)).to.equal(null)
    }
  })

  it('keeps the cells of any sheet, as cells and as lines', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ' ', 'é', '\n', '1') })
    const sheet = fc.integer({ min: 2, max: 4 }).chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
        minLength: 2,
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
