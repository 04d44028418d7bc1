import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  emptyLinksIn,
  matchLinks,
  storedLinksIn,
} from '../../../src/content/payload/match-links.ts'
import { mapEntryLinks, hideTarget, mapLinkNodes } from '../../../src/schema/values/entry-links.ts'
import type { Data } from '../../../src/schema/definition.ts'

const WORDS = ['more', 'here', 'read']

function paragraph(before: string, target: number, words: string): Data {
  const documentId = `${'a'.repeat(23)}${target}`
  const entry = { type: 'api::note.note', documentId }
  const link = { type: 'link', url: '', entry, children: [{ type: 'text', text: words }] }
  return { type: 'paragraph', children: [{ type: 'text', text: before }, link] }
}

function hidden(nodes: readonly unknown[]): readonly unknown[] {
  return mapEntryLinks(nodes, (node) => hideTarget(node))
}

/** The last character of each target, and `-` for links without a match. */
function restored(stored: readonly unknown[], sent: readonly unknown[]): string {
  const matches = matchLinks(emptyLinksIn(sent), storedLinksIn(stored))
  let found = ''
  mapLinkNodes(sent, (node) => {
    found += matches.get(node)?.documentId.at(-1) ?? '-'
    return node
  })
  return found
}

function targetsOf(nodes: readonly unknown[]): string {
  return storedLinksIn(nodes)
    .map(({ entry }) => entry.documentId.at(-1))
    .join('')
}

const texts = fc.array(
  fc
    .tuple(fc.constantFrom('', 'a', 'b'), fc.nat({ max: 4 }), fc.constantFrom(...WORDS))
    .map((one) => paragraph(...one)),
  { maxLength: 6 },
)

/** A text, or the target of a link. */
type Cell = string | number

function itemOf(name: string, target: number): Data {
  return { ...paragraph(name, target, 'more'), type: 'list-item' }
}

function cellOf(cell: Cell): Data {
  const text = { type: 'text', text: String(cell) }
  const children = typeof cell === 'string' ? [text] : paragraph('', cell, 'more')['children']
  return { type: 'table-cell', children }
}

function tableOf(lines: readonly (readonly Cell[])[]): Data {
  const children = lines.map((line) => ({ type: 'table-row', children: line.map(cellOf) }))
  return { type: 'table', children }
}

/**
 * Tables with a first row of names, and rows with two words and up to two links. `sent` has other rows, other columns and
 * at most one changed word in each row. `kept` has only other rows.
 */
const changedTables = fc
  .record({
    targets: fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 9 })), {
      minLength: 2,
      maxLength: 5,
    }),
    order: fc.array(fc.nat({ max: 99 }), { minLength: 5, maxLength: 5 }),
    isOrdered: fc.boolean(),
    removed: fc.array(fc.constantFrom(true, false, false, false), { minLength: 5, maxLength: 5 }),
    edits: fc.array(fc.option(fc.nat({ max: 1 }), { freq: 2 }), { minLength: 5, maxLength: 5 }),
    columns: fc.oneof<fc.Arbitrary<number[]>[]>(
      fc.constant([0, 1, 2, 3]),
      fc.shuffledSubarray<number>([0, 1, 2, 3], { minLength: 3 }),
    ),
    isAdded: fc.boolean(),
  })
  .map(({ targets, order, isOrdered, removed, edits, columns, isAdded }) => {
    const head = ['Name', 'Price', 'Spec', 'Manual']
    const lines = targets.map(([spec, manual], row): readonly Cell[] => [
      `name ${row}`,
      `price ${row}`,
      spec,
      manual,
    ])
    const left = lines.map((_, row) => row).filter((row) => removed[row] !== true)
    const rows = isOrdered ? left : left.toSorted((a, b) => (order[a] ?? 0) - (order[b] ?? 0))
    const added = isAdded ? [['new', 'new', 'new', 'new']] : []
    // A row always has a word that tells its old place.
    const hasWords = columns.includes(0) && columns.includes(1)
    const changed = rows.map((row) =>
      (lines[row] ?? []).map((cell, column) =>
        hasWords && edits[row] === column ? `edited ${row}` : cell,
      ),
    )
    const chosen = [head, ...added, ...changed].map((line) =>
      columns.map((column) => line[column] ?? ''),
    )
    const kept = [head, ...added, ...rows.map((row) => lines[row] ?? [])]
    const isMoved = rows.some((row, index) => row < (rows[index - 1] ?? 0))
    return {
      stored: tableOf([head, ...lines]),
      sent: tableOf(chosen),
      kept: tableOf(kept),
      isMoved,
    }
  })

describe('matching links without targets', () => {
  it('finds all targets of an unchanged text', () => {
    fc.assert(
      fc.property(texts, (stored) => {
        expect(restored(stored, hidden(stored))).to.equal(targetsOf(stored))
      }),
    )
  })

  it('finds the right target or none after paragraphs were removed or repeated', () => {
    let some = 0
    const cuts = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(texts, cuts, (stored, counts) => {
        const kept = stored.flatMap((node, index) => Array<Data>(counts[index] ?? 1).fill(node))
        // Without equal words of two targets, only the words decide.
        const byWords = new Map(stored.map((node) => [JSON.stringify(hidden([node])), node]))
        if (byWords.size < stored.length) return
        expect(restored(stored, hidden(kept))).to.equal(targetsOf(kept))
        some += 1
      }),
    )
    expect(some).to.be.greaterThan(10)
  })

  const [one, two, three] = [1, 2, 3].map((target) => paragraph('', target, 'more'))

  it('finds no target if links that look the same were removed', () => {
    expect(restored([one, two], hidden([two]))).to.equal('-')
    expect(restored([one, two, three], hidden([one, two]))).to.equal('--')
    expect(restored([one, one], hidden([one]))).to.equal('1')
  })

  it('finds no target for words that the text does not have, unless the number of links is the same', () => {
    const other = paragraph('x', 4, 'other')
    expect(restored([one], hidden([one, other]))).to.equal('1-')
    expect(restored([one], hidden([other]))).to.equal('1')
    expect(restored([], hidden([other]))).to.equal('-')
    expect(restored([one, two], hidden([other]))).to.equal('-')
  })

  it('repeats a target only for a repeated paragraph', () => {
    expect(restored([one], hidden([one, one]))).to.equal('11')
    expect(restored([one], hidden([one, paragraph('x', 1, 'more')]))).to.equal('1-')
  })

  const rows = (...lines: readonly (readonly [string, ...Cell[]])[]): readonly Data[] => [
    tableOf(lines),
  ]
  const abc = rows(['A', 1], ['B', 2], ['C', 3])

  it('follows moved rows of tables', () => {
    expect(restored(abc, hidden(rows(['C', 3], ['A', 1], ['B', 2])))).to.equal('312')
    expect(restored(abc, hidden(rows(['A', 1], ['C', 3])))).to.equal('13')
    expect(restored(abc, hidden(rows(['N', 'new'], ['C', 3], ['B', 2])))).to.equal('32')
  })

  it('follows the columns of a table by their first cells', () => {
    const stored = rows(['Name', 'Spec', 'Manual'], ['A', 1, 2], ['B', 3, 4])
    const swapped = rows(['Name', 'Manual', 'Spec'], ['A', 2, 1], ['B', 4, 3])
    expect(restored(stored, hidden(swapped))).to.equal('2143')
    const removed = rows(['Name', 'Manual'], ['B', 4], ['A', 2])
    expect(restored(stored, hidden(removed))).to.equal('42')
  })

  it('keeps targets in rows with changed words, unless other words contradict the order', () => {
    expect(restored(abc, hidden(rows(['X', 1], ['B', 2], ['C', 3])))).to.equal('123')
    expect(restored(abc, hidden(rows(['X', 1], ['Y', 2], ['C', 3])))).to.equal('123')
    expect(restored(abc, hidden(rows(['X', 3], ['Y', 1], ['B', 2])))).to.equal('--2')
    const stored = rows(['A', 'x', 1], ['B', 'y', 2])
    expect(restored(stored, hidden(rows(['B', 'v', 2], ['A', 'w', 1])))).to.equal('21')
    expect(restored(stored, hidden(rows(['v', 'y', 2], ['w', 'x', 1])))).to.equal('--')
    expect(restored(stored, hidden(rows(['v', 'x', 1], ['w', 'y', 2])))).to.equal('12')
  })

  it('finds no target for a repeated row, or for rows that look the same after one was removed', () => {
    const repeated = rows(['A', 1], ['A', 1], ['B', 2], ['C', 3])
    expect(restored(abc, hidden(repeated))).to.equal('--23')
    const equal = rows(['A', 1], ['A', 2], ['B', 3])
    expect(restored(equal, hidden(rows(['A', 1], ['B', 3])))).to.equal('-3')
    expect(restored(equal, hidden(rows(['A', 1], ['B', 3], ['A', 2])))).to.equal('-3-')
    expect(restored(equal, hidden(rows(['B', 3], ['A', 1], ['A', 2])))).to.equal('312')
    const alike = rows(['A', 1], ['A', 1], ['B', 3])
    expect(restored(alike, hidden(rows(['B', 3], ['A', 1])))).to.equal('31')
  })

  it('follows moved list items', () => {
    const items = (...all: readonly (readonly [string, number])[]): readonly Data[] => [
      {
        type: 'list',
        format: 'ordered',
        children: all.map(([name, target]) => itemOf(name, target)),
      },
    ]
    const stored = items(['a', 1], ['b', 2], ['c', 3])
    expect(restored(stored, hidden(items(['c', 3], ['a', 1], ['b', 2])))).to.equal('312')
  })

  it('finds the old targets or none after random changes of tables', () => {
    const seen = { right: 0, moved: 0, refused: 0 }
    fc.assert(
      fc.property(changedTables, ({ stored, sent, isMoved }) => {
        const found = restored([stored], hidden([sent]))
        const expected = targetsOf([sent])
        for (const [index, target] of found.split('').entries()) {
          expect(target, found).to.be.oneOf(['-', expected[index]])
        }
        if (found.includes('-')) seen.refused += 1
        else seen[isMoved ? 'moved' : 'right'] += 1
      }),
      { numRuns: 500 },
    )
    expect(seen.right, 'unmoved').to.be.greaterThan(50)
    expect(seen.moved, 'moved').to.be.greaterThan(20)
    expect(seen.refused, 'refused').to.be.greaterThan(20)
  })

  it('finds all targets of tables whose rows are moved, added or removed', () => {
    let moved = 0
    fc.assert(
      fc.property(changedTables, ({ stored, kept, isMoved }) => {
        expect(restored([stored], hidden([kept]))).to.equal(targetsOf([kept]))
        if (isMoved) moved += 1
      }),
    )
    expect(moved).to.be.greaterThan(20)
  })
})
