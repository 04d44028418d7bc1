import { documentIdFor } from '../../../../src/mongo/versions/document-id.ts'
import type { Data } from '../../../../src/schema/definition.ts'
import { NO_LOCALE } from '../../../../src/schema/no-locale.ts'
import type { ImportedDocument } from '../../../../src/transfer/import/import-documents.ts'

function declare(name: string, attributes: object, search: object): object {
  return {
    kind: 'collectionType',
    collectionName: `bench_${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish: false, history: false, search },
    attributes,
  }
}

export const SEARCH_TYPES: Readonly<Record<string, object>> = {
  page: declare(
    'page',
    { title: { type: 'string' }, excerpt: { type: 'text' }, body: { type: 'text' } },
    { title: 4, excerpt: 2, body: 1 },
  ),
  place: declare('place', { name: { type: 'string' } }, { name: 1 }),
}

const VOCABULARY = 20_000
const SYLLABLES = 'ba de fi go lu ma ne pi ro su ta ve wi ka lo mu na pe ri so'.split(' ')
const LENGTHS = { title: 6, excerpt: 20, body: 160 } as const

/** Numbers from 0 to 1, the same in each run. */
export function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Words of three to five syllables, the frequent ones first. */
function wordAt(rank: number): string {
  const random = makeRandom(rank + 1)
  const count = 3 + Math.floor(random() * 3)
  return Array.from(
    { length: count },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
  ).join('')
}

const words = Array.from({ length: VOCABULARY }, (_, rank) => wordAt(rank))

/** In natural languages the most frequent words are stop words, which searches leave out. */
const LEFT_OUT = 50

/** Frequencies follow Zipf's law, as in natural languages. */
function drawWord(random: () => number): string {
  const span = Math.log((VOCABULARY + LEFT_OUT) / LEFT_OUT)
  const rank = Math.floor(LEFT_OUT * Math.exp(random() * span)) - LEFT_OUT
  return words[Math.min(rank, VOCABULARY - 1)] ?? ''
}

export function makePage(index: number): Data {
  const random = makeRandom(index * 7919 + 17)
  const text = (count: number): string =>
    Array.from({ length: count }, () => drawWord(random)).join(' ')
  return {
    title: text(LENGTHS.title),
    excerpt: text(LENGTHS.excerpt),
    body: text(LENGTHS.body),
  }
}

export function* makeDocuments(name: string, values: Iterable<Data>): Generator<ImportedDocument> {
  let index = 0
  for (const data of values) {
    yield {
      documentId: documentIdFor(`${name}:${index}`),
      versions: [{ locale: NO_LOCALE, status: 'published', data }],
    }
    index += 1
  }
}

/** One to three different words of one text. Every second search ends within a word. */
export function makeSearches(texts: readonly string[], count: number): readonly string[] {
  const random = makeRandom(4711)
  return Array.from({ length: count }, (_, nth) => {
    const text = texts[Math.floor(random() * texts.length)] ?? ''
    const all = [...new Set(text.toLowerCase().split(' '))]
    const chosen = Array.from(
      { length: 1 + (nth % 3) },
      () => all[Math.floor(random() * all.length)] ?? '',
    )
    const isOpen = nth % 2 === 0
    const last = chosen.at(-1) ?? ''
    const ending = isOpen ? last.slice(0, Math.max(4, last.length - 2)) : `${last} `
    return [...chosen.slice(0, -1), ending].join(' ')
  })
}

/** Words of the texts with one wrong letter, every second time the first one. */
export function makeMisspelled(texts: readonly string[], count: number): readonly string[] {
  const random = makeRandom(815)
  return Array.from({ length: count }, (_, nth) => {
    const text = texts[Math.floor(random() * texts.length)] ?? ''
    const all = text
      .toLowerCase()
      .split(' ')
      .filter(({ length }) => length > 5)
    const word = all[Math.floor(random() * all.length)] ?? 'xxxxxxx'
    const at = nth % 2 === 0 ? 0 : Math.floor(random() * word.length)
    return `${word.slice(0, at)}x${word.slice(at + 1)} `
  })
}
