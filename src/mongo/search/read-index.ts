import { beginTimeSlice } from '../../base/time-slice.ts'
import { stemTerm, wordOfTerm } from '../../query/text/index-terms.ts'
import {
  readBlock,
  readCounts,
  readPlaces,
  readTerms,
  type SegmentEntry,
  visitPostings,
} from '../../query/text/postings.ts'
import type { QueryTerm } from '../../query/text/query-terms.ts'
import {
  type Candidate,
  exactSlot,
  prefixSlot,
  type SearchStatistics,
  type TermPlaces,
} from '../../query/text/rank.ts'
import type { VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'
import { versionId } from '../versions/version-match.ts'
import {
  type RecentVersionRow,
  recentRowsOf,
  type Segment,
  type SegmentRow,
  segmentRowsOf,
  type TextIndexRow,
  textIndexesOf,
  textIndexId,
} from './index-rows.ts'
import {
  blockId,
  blocksBetween,
  CHUNK_ENTRIES,
  chunkId,
  chunkOf,
  type Directory,
  endOfPrefix,
  isDead,
  readDirectories,
  readSegmentRows,
  type SegmentRows,
} from './read-segments.ts'
import { toSegmentEntry } from './merge-segments.ts'
import { addWords } from './write-segment.ts'

export interface IndexRead {
  /** By the `_id` of the version. */
  readonly candidates: Map<string, Candidate>
  readonly statistics: SearchStatistics
  /** More entries have the terms than a search reads. */
  readonly isCapped: boolean
}

/** Blocks of one segment that a prefix reads. */
const MAX_PREFIX_BLOCKS = 64

/** Occurrences of terms in one search. */
const MAX_READ_POSTINGS = 100_000

/** A merge may delete a segment while a search reads it. */
const ATTEMPTS = 3

interface Reading {
  readonly terms: readonly QueryTerm[]
  readonly withPositions: boolean
  readonly candidates: Map<string, Candidate>
  left: number
  isCapped: boolean
}

export interface IndexPart {
  readonly plan: ContentTypePlan
  readonly form: string
  readonly keys: readonly VersionKey[]
  /** Versions that replace those of the index. Statistics do not count them. */
  readonly fresh?: readonly RecentVersionRow[]
  /** Phrases compare positions. Otherwise all positions are 0. */
  readonly withPositions: boolean
}

/** Reads all versions with one of the terms. */
export async function readIndex(
  database: Database,
  { plan, form, keys, fresh = [], withPositions }: IndexPart,
  terms: readonly QueryTerm[],
): Promise<IndexRead> {
  const byId = new Map(keys.map((key) => [textIndexId(plan, form, key), key]))
  const ids = [...byId.keys()]
  for (let attempt = 1; ; attempt += 1) {
    // The recent versions come first: one that moves to a segment meanwhile is then in both.
    const recent = await recentRowsOf(database)
      .find({ index: { $in: ids } }, { batchSize: 1_000 })
      .toArray()
    const indexes = await textIndexesOf(database)
      .find({ _id: { $in: ids } })
      .toArray()
    const reading: Reading = {
      terms,
      withPositions,
      candidates: new Map(),
      left: MAX_READ_POSTINGS,
      isCapped: false,
    }
    const shadowed = readRecent(reading, byId, [...recent, ...fresh])
    const isWhole = await readSegments(database, plan, { reading, byId, indexes, shadowed })
    if (!isWhole && attempt < ATTEMPTS) continue
    const { candidates, isCapped } = reading
    return { candidates, isCapped, statistics: statisticsOf(plan, recent, indexes) }
  }
}

type Matches = (TermPlaces | null)[]

function noMatches({ length }: readonly QueryTerm[]): Matches {
  return Array<null>(2 * length).fill(null)
}

type Keys = ReadonlyMap<string, VersionKey>

/** Returns the versions, which hide those of segments. Of two rows of a version, the last one counts. */
function readRecent(
  { terms, candidates }: Reading,
  byId: Keys,
  recent: readonly RecentVersionRow[],
): ReadonlySet<string> {
  const versions = new Set<string>()
  for (const row of recent) {
    const { index = '', documentId, b } = row
    const key = byId.get(index)
    if (key === undefined || b === undefined) continue
    const version = versionId(documentId, key)
    versions.add(version)
    const matches = matchTerms(terms, b.value())
    if (matches === null) candidates.delete(version)
    else candidates.set(version, { version: toSegmentEntry(row), matches })
  }
  return versions
}

/** Null if the version has none of the terms. A prefix is its first longer word. */
function matchTerms(terms: readonly QueryTerm[], bytes: Uint8Array): Matches | null {
  const matches = noMatches(terms)
  let isFound = false
  for (const { term, places } of readTerms(bytes)) {
    for (const [place, { stem, word, isPrefix }] of terms.entries()) {
      const isExact = term === stemTerm(stem)
      if (isExact) matches[exactSlot(place)] = places
      const isStart = isPrefix && startsWord(term, word)
      if (isStart) matches[prefixSlot(place)] ??= places
      isFound ||= isExact || isStart
    }
  }
  return isFound ? matches : null
}

function startsWord(term: string, start: string): boolean {
  return term.startsWith(start) && wordOfTerm(term) !== null
}

interface SegmentsRead {
  readonly reading: Reading
  readonly byId: Keys
  readonly indexes: readonly TextIndexRow[]
  readonly shadowed: ReadonlySet<string>
}

/** Returns whether all segments still existed. */
async function readSegments(
  database: Database,
  plan: ContentTypePlan,
  { reading, byId, indexes, shadowed }: SegmentsRead,
): Promise<boolean> {
  const rows = segmentRowsOf(database, plan)
  const segments = indexes.flatMap((index) => index.segments)
  const directories = await readDirectories(rows, segments)
  const wanted = segments.map((segment) => {
    const directory = directories.get(segment.id)
    return {
      segment,
      blocks: directory === undefined ? [] : wantedBlocks(reading, segment, directory),
    }
  })
  const blocks = await readSegmentRows(
    rows,
    wanted.flatMap((one) => one.blocks.map(({ id }) => id)),
  )
  let isWhole = directories.size === segments.length
  const slice = beginTimeSlice()
  for (const index of indexes) {
    const key = byId.get(index._id)
    if (key === undefined) continue
    for (const one of wanted.filter(({ segment }) => index.segments.includes(segment))) {
      const found = matchBlocks(reading, one.blocks, blocks)
      const isRead = await addEntries(rows, reading, one.segment, { found, key, shadowed })
      isWhole &&= isRead && one.blocks.every(({ id }) => blocks.has(id))
      if (slice.isOver()) await slice.next()
    }
  }
  return isWhole
}

interface WantedBlock {
  readonly id: string
  readonly term: number
  readonly isPrefix: boolean
}

function wantedBlocks(
  reading: Reading,
  { id }: Segment,
  { firstTerms }: Directory,
): readonly WantedBlock[] {
  return reading.terms.flatMap(({ stem, word, isPrefix }, term) => {
    const range = (from: string, to: string, isStart: boolean): readonly WantedBlock[] => {
      const blocks = blocksBetween(firstTerms, from, to)
      if (blocks.length > MAX_PREFIX_BLOCKS) reading.isCapped = true
      return blocks
        .slice(0, MAX_PREFIX_BLOCKS)
        .map((block) => ({ id: blockId(id, block), term, isPrefix: isStart }))
    }
    const exact = range(stemTerm(stem), stemTerm(stem), false)
    return isPrefix ? [...exact, ...range(word, endOfPrefix(word), true)] : exact
  })
}

function matchBlocks(
  reading: Reading,
  wanted: readonly WantedBlock[],
  blocks: SegmentRows,
): ReadonlyMap<number, Matches> {
  const found = new Map<number, Matches>()
  for (const { id, term: place, isPrefix } of wanted) {
    const block = blocks.get(id)?.block
    const term = reading.terms[place]
    if (block === undefined || term === undefined) continue
    const slot = isPrefix ? prefixSlot(place) : exactSlot(place)
    for (const list of listsIn(block, term, isPrefix)) matchPostings(reading, found, list, slot)
  }
  return found
}

/** The lists of a stem, or of all words that begin with a prefix. Terms are in ascending order. */
function* listsIn(
  block: Uint8Array,
  { stem, word }: QueryTerm,
  isPrefix: boolean,
): Generator<Uint8Array> {
  const exact = stemTerm(stem)
  const last = isPrefix ? endOfPrefix(word) : exact
  for (const { term, list } of readBlock(block)) {
    if (term > last) return
    if (isPrefix ? startsWord(term, word) : term === exact) yield list
  }
}

function matchPostings(
  reading: Reading,
  found: Map<number, Matches>,
  list: Uint8Array,
  slot: number,
): void {
  const read = reading.withPositions ? readPlaces : readCounts
  visitPostings(list, read, (ordinal, places) => {
    reading.left -= 1
    if (reading.left < 0) {
      reading.isCapped = true
      return false
    }
    let matches = found.get(ordinal)
    if (matches === undefined) {
      matches = noMatches(reading.terms)
      found.set(ordinal, matches)
    }
    matches[slot] ??= places
    return true
  })
}

interface FoundInSegment {
  readonly found: ReadonlyMap<number, Matches>
  readonly key: VersionKey
  readonly shadowed: ReadonlySet<string>
}

async function addEntries(
  rows: Table<SegmentRow>,
  { candidates }: Reading,
  segment: Segment,
  { found, key, shadowed }: FoundInSegment,
): Promise<boolean> {
  const living = [...found.keys()].filter((ordinal) => !isDead(segment, ordinal))
  const wanted = new Set(living.map(chunkOf))
  const read = await readSegmentRows(
    rows,
    [...wanted].map((chunk) => chunkId(segment.id, chunk)),
  )
  const chunks = new Map(
    [...wanted].map((chunk) => {
      const { entries = [] } = read.get(chunkId(segment.id, chunk)) ?? {}
      return [chunk, { entries, versions: versionsOf(entries, key) }]
    }),
  )
  for (const ordinal of living) {
    const chunk = chunks.get(chunkOf(ordinal))
    const at = ordinal % CHUNK_ENTRIES
    const entry = chunk?.entries[at]
    const version = chunk?.versions[at]
    const matches = found.get(ordinal)
    if (entry === undefined || version === undefined || matches === undefined) continue
    if (!shadowed.has(version)) candidates.set(version, { version: entry, matches })
  }
  return read.size === wanted.size
}

/** The `_id`s of the versions. All entries of a segment have the same key. */
const versionsByChunk = new WeakMap<readonly SegmentEntry[], readonly string[]>()

function versionsOf(entries: readonly SegmentEntry[], key: VersionKey): readonly string[] {
  const known = versionsByChunk.get(entries)
  if (known !== undefined) return known
  const versions = entries.map(({ documentId }) => versionId(documentId, key))
  versionsByChunk.set(entries, versions)
  return versions
}

function statisticsOf(
  { search }: ContentTypePlan,
  recent: readonly RecentVersionRow[],
  indexes: readonly TextIndexRow[],
): SearchStatistics {
  const segments = indexes.flatMap((index) => index.segments)
  const words: number[] = []
  for (const { n = [] } of recent) addWords(words, n, 1)
  for (const segment of segments) addWords(words, segment.words, 1)
  const count = recent.length + segments.reduce((sum, { living }) => sum + living, 0)
  const places = [...(search?.weights.keys() ?? [])].map((_, place) => place)
  return {
    count,
    averageLengths: places.map((place) => (count > 0 ? (words[place] ?? 0) / count : 0)),
  }
}
