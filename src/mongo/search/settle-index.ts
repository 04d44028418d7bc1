import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'
import { ensureRow } from '../system/system-collections.ts'
import {
  type RecentVersionRow,
  recentRowsOf,
  type Segment,
  type SegmentRow,
  segmentRowsOf,
  type TextIndexRow,
  textIndexesOf,
  toBinary,
} from './index-rows.ts'
import { chooseMerge, mergeSegments, readAllEntries, sealRecent } from './merge-segments.ts'
import {
  chunkId,
  CHUNK_ENTRIES,
  directoryId,
  isDead,
  lastUpTo,
  readSegmentRows,
} from './read-segments.ts'
import { addWords, deleteSegments } from './write-segment.ts'

/** A search reads all recent versions, so there may be few. */
const MAX_RECENT = 64

/** Rows that refuse older ones stay this long. No process is delayed longer. */
const MOVED_MS = 10 * 60_000

/** Only a process whose lease is over changes the row at the same time. */
const ATTEMPTS = 5

export interface Settling {
  readonly database: Database
  readonly now: () => Date
  /** The default is 64. */
  readonly maxRecent?: number
}

/** Documents with the commits after which they were read. */
export type ChangedDocuments = ReadonlyMap<string, number>

type IndexIdentity = Pick<TextIndexRow, '_id' | 'form'>

/** Removes the changed documents from the segments. Makes a segment of recent versions if there are many. */
export async function settleIndex(
  settling: Settling,
  plan: ContentTypePlan,
  { _id, form }: IndexIdentity,
  changed: ChangedDocuments,
): Promise<void> {
  const { database, maxRecent = MAX_RECENT } = settling
  const rows = segmentRowsOf(database, plan)
  const recent = recentRowsOf(database)
  const type = plan.uid
  await ensureRow(textIndexesOf(database), { _id, type, form, revision: 0, segments: [] })
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const row = await textIndexesOf(database).findOne({ _id })
    if (row === null) return
    const isFull = (await recent.countDocuments({ index: _id })) > maxRecent
    const sealed = isFull ? await recent.find({ index: _id }).toArray() : []
    const documents = new Map([
      ...changed,
      ...sealed.map(({ documentId, seq }) => [documentId, seq] as const),
    ])
    const before = await markDead(rows, row.segments, documents)
    const segments = isFull ? await addSegment(rows, before, sealed) : before
    if (await replaceSegments(database, plan, row, segments)) {
      await markMoved(settling, sealed)
      return
    }
  }
  throw new Error(`the index ${_id} changes too often`)
}

async function addSegment(
  rows: Table<SegmentRow>,
  before: readonly Segment[],
  sealed: readonly RecentVersionRow[],
): Promise<readonly Segment[]> {
  const all = [...before, await sealRecent(rows, sealed)]
  const chosen = chooseMerge(all)
  if (chosen.length === 0) return all
  const merged = await mergeSegments(rows, chosen)
  if (merged === null) return all
  await deleteSegments(
    rows,
    chosen.filter((one) => !before.includes(one)),
  )
  const kept = all.filter((one) => !chosen.includes(one))
  if (merged.entries > 0) return [...kept, merged]
  await deleteSegments(rows, [merged])
  return kept
}

/** False if another process has changed the index. The new segments are deleted then, otherwise the replaced ones. */
async function replaceSegments(
  database: Database,
  plan: ContentTypePlan,
  { _id, revision, segments: before }: TextIndexRow,
  segments: readonly Segment[],
): Promise<boolean> {
  const { matchedCount } = await textIndexesOf(database).updateOne(
    { _id, revision },
    { $set: { segments: [...segments], revision: revision + 1 } },
  )
  const [old, young] = [before, segments].map((all) => new Set(all.map(({ id }) => id)))
  const isReplaced = matchedCount === 1
  const unused = isReplaced
    ? before.filter(({ id }) => young?.has(id) !== true)
    : segments.filter(({ id }) => old?.has(id) !== true)
  await deleteSegments(segmentRowsOf(database, plan), unused)
  return isReplaced
}

async function markMoved(
  { database, now }: Settling,
  sealed: readonly RecentVersionRow[],
): Promise<void> {
  if (sealed.length === 0) return
  const recent = recentRowsOf(database)
  await recent.bulkWrite(
    sealed.map(({ _id, seq }) => ({
      updateOne: {
        filter: { _id, seq },
        update: {
          $set: { movedAt: now() },
          $unset: { index: '', id: '', updatedAt: '', n: '', b: '' },
        },
      },
    })),
    { ordered: false },
  )
  await recent.deleteMany({ movedAt: { $lt: new Date(now().getTime() - MOVED_MS) } })
}

async function markDead(
  rows: Table<SegmentRow>,
  segments: readonly Segment[],
  documents: ChangedDocuments,
): Promise<readonly Segment[]> {
  const marked: Segment[] = []
  for (const segment of segments) {
    const found = await findEntries(rows, segment, documents)
    marked.push(withDead(segment, found))
  }
  return marked
}

type FoundEntries = ReadonlyMap<number, readonly number[]>

/** The lengths of these documents, by their ordinals. A delayed process removes no newer entry. */
async function findEntries(
  rows: Table<SegmentRow>,
  { id }: Segment,
  documents: ChangedDocuments,
): Promise<FoundEntries> {
  const directory = (await readSegmentRows(rows, [directoryId(id)])).get(directoryId(id))?.directory
  const first = directory?.firstDocuments ?? []
  const chunks = new Set([...documents.keys()].map((documentId) => lastUpTo(first, documentId)))
  chunks.delete(-1)
  const read = await readSegmentRows(
    rows,
    [...chunks].map((chunk) => chunkId(id, chunk)),
  )
  const found = new Map<number, readonly number[]>()
  for (const chunk of chunks) {
    const entries = read.get(chunkId(id, chunk))?.entries ?? []
    for (const [place, { documentId, lengths, seq }] of entries.entries()) {
      if (seq <= (documents.get(documentId) ?? -1))
        found.set(chunk * CHUNK_ENTRIES + place, lengths)
    }
  }
  return found
}

function withDead(segment: Segment, found: FoundEntries): Segment {
  const fresh = [...found].filter(([ordinal]) => !isDead(segment, ordinal))
  if (fresh.length === 0) return segment
  const dead = new Uint8Array(Math.ceil(segment.entries / 8))
  dead.set(segment.dead.value())
  const words = [...segment.words]
  for (const [ordinal, lengths] of fresh) {
    dead[ordinal >> 3] = (dead[ordinal >> 3] ?? 0) | (1 << (ordinal & 7))
    addWords(words, lengths, -1)
  }
  return { ...segment, dead: toBinary(dead), words, living: segment.living - fresh.length }
}

/** After a build: deletes the versions that it has not found, the indexes of other forms, and unused segments. */
export async function finishBuild(
  database: Database,
  plan: ContentTypePlan,
  form: string,
  since: number,
): Promise<void> {
  const { uid: type } = plan
  const indexes = textIndexesOf(database)
  await indexes.deleteMany({ type, form: { $ne: form } })
  await recentRowsOf(database).deleteMany({
    type,
    $or: [{ form: { $ne: form } }, { seq: { $lt: since } }],
  })
  const rows = segmentRowsOf(database, plan)
  for (const row of await indexes.find({ type }).toArray()) {
    const segments: Segment[] = []
    for (const segment of row.segments) {
      const entries = (await readAllEntries(rows, segment)) ?? []
      const old = [...entries.entries()].filter(([, { seq }]) => seq < since)
      const kept = withDead(segment, new Map(old.map(([at, { lengths }]) => [at, lengths])))
      if (kept.living > 0) segments.push(kept)
    }
    await replaceSegments(database, plan, row, segments)
  }
  const used = (await indexes.find({ type }).toArray()).flatMap(({ segments }) => segments)
  const ranges = used.map(({ id }) => ({ _id: { $gte: `${id}:`, $lt: `${id};` } }))
  await rows.deleteMany(ranges.length === 0 ? {} : { $nor: ranges })
}
