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
})
