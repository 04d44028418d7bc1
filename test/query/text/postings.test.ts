import { expect } from 'chai'
import {
  array,
  assert as assertProperty,
  constantFrom,
  integer,
  nat,
  property,
  record,
  string,
  uniqueArray,
} from 'fast-check'
import { ByteWriter } from '../../../src/query/text/bytes.ts'
import {
  BlockWriter,
  copyPostings,
  readBlock,
  readCounts,
  readEntries,
  readPlaces,
  readTerms,
  visitPostings,
  writeEntries,
  writePlaces,
  writeTerms,
} from '../../../src/query/text/postings.ts'
import type { TermPlaces } from '../../../src/query/text/rank.ts'

const positions = uniqueArray(nat(20_000), { minLength: 1, maxLength: 24 }).map((all) =>
  all.toSorted((one, other) => one - other),
)

const places = uniqueArray(nat(300), { minLength: 1, maxLength: 3 }).chain((attributes) =>
  array(positions, { minLength: attributes.length, maxLength: attributes.length }).map((all) =>
    attributes.map((attribute, at) => ({ attribute, positions: all[at] ?? [] })),
  ),
)

const term = string({
  unit: constantFrom('a', 'b', 'é', '語', '😀', '😁'),
  minLength: 1,
  maxLength: 40,
})

const terms = uniqueArray(record({ term, places }), { maxLength: 20, selector: (one) => one.term })

/** Ascending ordinals with gaps of one and more bytes. */
const ordinals = uniqueArray(nat(40_000), { minLength: 1, maxLength: 30 }).map((all) =>
  all.toSorted((one, other) => one - other),
)

const postingsOf = (
  list: Uint8Array,
  read: typeof readPlaces,
): readonly (readonly [number, TermPlaces])[] => {
  const all: (readonly [number, TermPlaces])[] = []
  visitPostings(list, read, (ordinal, places) => all.push([ordinal, places]) > 0)
  return all
}

const withoutPositions = (places: TermPlaces): TermPlaces =>
  places.map(({ attribute, positions: all }) => ({ attribute, positions: all.map(() => 0) }))

describe('the bytes of the search index', () => {
  it('keep the terms of a version', () => {
    assertProperty(
      property(terms, (given) => {
        expect([...readTerms(writeTerms(given))]).to.deep.equal(given)
      }),
    )
  })

  it('keep entries, also with large numbers', () => {
    const entry = record({
      documentId: string({ maxLength: 30 }),
      id: nat(Number.MAX_SAFE_INTEGER),
      updatedAt: integer({ min: -(2 ** 51), max: 2 ** 51 }),
      seq: nat(Number.MAX_SAFE_INTEGER),
      lengths: array(nat(500_000), { maxLength: 4 }),
    })
    assertProperty(
      property(array(entry), (given) => {
        expect(readEntries(writeEntries(given))).to.deep.equal(given)
      }),
    )
  })

  it('keep the postings of each term, in blocks that start with their first term', () => {
    const lists = uniqueArray(record({ term, places, ordinals, repeats: nat(40) }), {
      maxLength: 12,
      selector: (one) => one.term,
    }).map((all) => all.toSorted((one, other) => (one.term < other.term ? -1 : 1)))
    assertProperty(
      property(lists, (given) => {
        const writer = new BlockWriter()
        const expected = given.map(({ term, places, ordinals, repeats }) => {
          const bytes = new ByteWriter()
          writePlaces(bytes, places)
          const encoded = bytes.take()
          const all = Array.from({ length: repeats + 1 }, (_, nth) =>
            ordinals.map((ordinal) => ordinal + nth * 50_000),
          ).flat()
          writer.add(
            term,
            all.map((ordinal) => ({ ordinal, bytes: encoded, start: 0, end: encoded.length })),
          )
          return { term, postings: all.map((ordinal) => [ordinal, places] as const) }
        })
        const found = new Map<string, unknown[]>()
        const copied = new Map<string, number[]>()
        for (const { first, bytes } of writer.take(true)) {
          const [head] = readBlock(bytes)
          expect(head?.term).to.equal(first)
          for (const { term, list } of readBlock(bytes)) {
            found.set(term, [...(found.get(term) ?? []), ...postingsOf(list, readPlaces)])
            expect(postingsOf(list, readCounts)).to.deep.equal(
              postingsOf(list, readPlaces).map(([ordinal, full]) => [
                ordinal,
                withoutPositions(full),
              ]),
            )
            const more: number[] = []
            copyPostings(list, (ordinal) => more.push(ordinal))
            copied.set(term, [...(copied.get(term) ?? []), ...more])
          }
        }
        expect([...found].map(([term, postings]) => ({ term, postings }))).to.deep.equal(expected)
        expect([...copied.values()]).to.deep.equal(
          expected.map(({ postings }) => postings.map(([ordinal]) => ordinal)),
        )
      }),
      { numRuns: 50 },
    )
  })
})
