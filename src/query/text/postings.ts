import { ByteReader, ByteWriter } from './bytes.ts'
import type { IndexedTerm } from './index-terms.ts'
import type { AttributePlaces, TermPlaces } from './rank.ts'

/** Most words stand once in one attribute, so that case has its own short form. */
export function writePlaces(writer: ByteWriter, places: TermPlaces): void {
  const [first] = places
  if (places.length === 1 && first?.positions.length === 1) {
    writer.number(first.attribute * 2 + 1).number(first.positions[0] ?? 0)
    return
  }
  writer.number(places.length * 2)
  for (const { attribute, positions } of places) {
    writer.number(attribute).number(positions.length)
    let last = 0
    for (const position of positions) {
      writer.number(position - last)
      last = position
    }
  }
}

export function readPlaces(reader: ByteReader): TermPlaces {
  const head = reader.number()
  if (head % 2 === 1) return [{ attribute: (head - 1) / 2, positions: [reader.number()] }]
  const places: AttributePlaces[] = []
  for (let left = head / 2; left > 0; left -= 1) {
    const attribute = reader.number()
    const positions: number[] = []
    let last = 0
    for (let count = reader.number(); count > 0; count -= 1) {
      last += reader.number()
      positions.push(last)
    }
    places.push({ attribute, positions })
  }
  return places
}

/** By attribute and number of positions. */
const countedPlaces: TermPlaces[][] = []

/** Reads positions as 0, so that equal numbers of positions share an object: a search without phrases reads only numbers. */
export function readCounts(reader: ByteReader): TermPlaces {
  const head = reader.number()
  if (head % 2 === 1) {
    reader.skipNumbers(1)
    return countedPlace((head - 1) / 2, 1)
  }
  const first = readCount(reader)
  if (head === 2) return first
  const places = [...first]
  for (let left = head / 2 - 1; left > 0; left -= 1) places.push(...readCount(reader))
  return places
}

function readCount(reader: ByteReader): TermPlaces {
  const attribute = reader.number()
  const count = reader.number()
  reader.skipNumbers(count)
  return countedPlace(attribute, count)
}

function countedPlace(attribute: number, count: number): TermPlaces {
  const counts = (countedPlaces[attribute] ??= [])
  return (counts[count] ??= [{ attribute, positions: Array<number>(count).fill(0) }])
}

/** The terms of one version. */
export function writeTerms(terms: readonly IndexedTerm[]): Buffer {
  const writer = new ByteWriter()
  for (const { term, places } of terms) writePlaces(writer.text(term), places)
  return writer.take()
}

export function* readTerms(bytes: Uint8Array): Generator<IndexedTerm> {
  const reader = new ByteReader(bytes)
  while (!reader.isAtEnd) yield { term: reader.text(), places: readPlaces(reader) }
}

/** The postings of the entry with this ordinal, by term. */
export function* copyTerms(
  bytes: Uint8Array,
  ordinal: number,
): Generator<{ readonly term: string; readonly posting: Posting }> {
  const reader = new ByteReader(bytes)
  while (!reader.isAtEnd) {
    const term = reader.text()
    const start = reader.at
    readCounts(reader)
    yield { term, posting: { ordinal, bytes, start, end: reader.at } }
  }
}

/**
 * An entry of a segment: its place in the segment, and the range of bytes with its `TermPlaces`. A view per posting would
 * cost more than the merge of its segment.
 */
export interface Posting {
  readonly ordinal: number
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** Longer lists are split, so that no block exceeds a row. */
const MAX_POSTINGS_BYTES = 16_384

/** Writes terms in ascending order. The reader of a block starts at its first term. */
export class BlockWriter {
  readonly #block = new ByteWriter()
  /** Empty between calls. */
  readonly #list = new ByteWriter()
  readonly #maxBytes: number
  #last = ''
  #first: string | null = null
  readonly #blocks: { readonly first: string; readonly bytes: Buffer }[] = []

  constructor(maxBytes = MAX_POSTINGS_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** `postings` are in the order of their ordinals. */
  add(term: string, postings: readonly Posting[]): void {
    let last = 0
    for (const { ordinal, bytes, start, end } of postings) {
      this.#list.number(ordinal - last).range(bytes, start, end)
      last = ordinal
      if (this.#list.length < MAX_POSTINGS_BYTES) continue
      this.#put(term)
      last = 0
    }
    if (this.#list.length > 0) this.#put(term)
  }

  /** Adds a term without postings. */
  addKey(key: string): void {
    this.#put(key)
  }

  /** Complete blocks. All of them with `isLast`. */
  take(isLast: boolean): readonly { readonly first: string; readonly bytes: Buffer }[] {
    if (isLast) this.#close()
    return this.#blocks.splice(0)
  }

  #put(term: string): void {
    this.#first ??= term
    const shared = sharedLength(this.#last, term)
    this.#block.number(shared).text(term.slice(shared))
    this.#block.number(this.#list.length).move(this.#list)
    this.#last = term
    if (this.#block.length >= this.#maxBytes) this.#close()
  }

  #close(): void {
    if (this.#first === null) return
    this.#blocks.push({ first: this.#first, bytes: this.#block.take() })
    this.#first = null
    this.#last = ''
  }
}

/** In UTF-16 units. It splits no surrogate pair. */
function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  const isHigh = length > 0 && (one.charCodeAt(length - 1) & 0xfc00) === 0xd800
  return isHigh ? length - 1 : length
}

export interface BlockTerm {
  readonly term: string
  readonly list: Uint8Array
}

/** A term with a long list occurs several times. */
export function* readBlock(bytes: Uint8Array): Generator<BlockTerm, undefined> {
  const reader = new ByteReader(bytes)
  let term = ''
  while (!reader.isAtEnd) {
    const shared = reader.number()
    term = term.slice(0, shared) + reader.text()
    yield { term, list: reader.bytes(reader.number()) }
  }
}

/** Ends when `visit` returns false. */
export function visitPostings(
  list: Uint8Array,
  read: (reader: ByteReader) => TermPlaces,
  visit: (ordinal: number, places: TermPlaces) => boolean,
): void {
  const reader = new ByteReader(list)
  let ordinal = 0
  while (!reader.isAtEnd) {
    ordinal += reader.number()
    if (!visit(ordinal, read(reader))) return
  }
}

/** The ordinals of a list, with the ranges of the bytes of their places. */
export function copyPostings(
  list: Uint8Array,
  take: (ordinal: number, start: number, end: number) => void,
): void {
  const reader = new ByteReader(list)
  let ordinal = 0
  while (!reader.isAtEnd) {
    ordinal += reader.number()
    const start = reader.at
    readCounts(reader)
    take(ordinal, start, reader.at)
  }
}

/** An entry of a segment, without its terms. */
export interface SegmentEntry {
  readonly documentId: string
  /** The `id` of the version. */
  readonly id: number
  /** In milliseconds since 1970. */
  readonly updatedAt: number
  /** The commit after which the entry was read. */
  readonly seq: number
  /** The number of words per attribute. */
  readonly lengths: readonly number[]
}

export function writeEntries(entries: readonly SegmentEntry[]): Buffer {
  const writer = new ByteWriter()
  for (const { documentId, id, updatedAt, seq, lengths } of entries) {
    writer.text(documentId).number(id).signed(updatedAt).number(seq).number(lengths.length)
    for (const length of lengths) writer.number(length)
  }
  return writer.take()
}

export function readEntries(bytes: Uint8Array): readonly SegmentEntry[] {
  const reader = new ByteReader(bytes)
  const entries: SegmentEntry[] = []
  while (!reader.isAtEnd) {
    const documentId = reader.text()
    const id = reader.number()
    const updatedAt = reader.signed()
    const seq = reader.number()
    const lengths = Array.from({ length: reader.number() }, () => reader.number())
    entries.push({ documentId, id, updatedAt, seq, lengths })
  }
  return entries
}
