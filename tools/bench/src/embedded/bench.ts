import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { MongoClient } from 'mongodb'
import type { Document } from 'mongodb'
import { startEmbedded } from '@quire/engine'
import { DOCUMENT_COUNT, makeDocument } from './documents.ts'

// Benchmark of the embedded engine: 10,000 documents of about 800 bytes, through the driver.

const ROUNDS = 60

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

async function measure(what: string, run: () => Promise<unknown>, rounds = ROUNDS): Promise<void> {
  for (let i = 0; i < 5; i++) await run()
  const times: number[] = []
  for (let i = 0; i < rounds; i++) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  console.log(
    `${what.padEnd(58)} p50 ${percentile(times, 0.5).toFixed(2)} ms   p99 ${percentile(times, 0.99).toFixed(2)} ms`,
  )
}

const WRITES = 300

async function writeRows(writer: number, count: number): Promise<void> {
  const rows = client.db('bench').collection<Document & { _id: string }>('rows')
  for (let i = 0; i < count; i++) {
    const document = makeDocument(i)
    const _id = `${count}-${writer}-${i}`
    await rows.insertOne({ ...document, _id })
    await rows.updateOne({ _id }, { $set: { title: 'another' } })
  }
}

interface FileStats {
  readonly pageSize: number
  readonly lastPageNumber: number
  readonly lastTxnId: number
}

function statsOf(path: string): FileStats {
  const root = open({ path, readOnly: true, maxDbs: 8 })
  const stats = root.getStats() as FileStats
  void root.close()
  return stats
}

function fileUse(path: string): { readonly size: number; readonly used: number } {
  const { pageSize, lastPageNumber } = statsOf(path)
  return { size: statSync(path).size, used: (lastPageNumber + 1) * pageSize }
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}

const directory = mkdtempSync(join(tmpdir(), 'bench-'))
let engine = await startEmbedded({ directory })
let client = await MongoClient.connect(engine.uri)
let collection = client.db('bench').collection<Document & { _id: string }>('articles')
await collection.createIndex({ status: 1, id: 1 })
await collection.createIndex({ slug: 1 })

const documents = Array.from({ length: DOCUMENT_COUNT }, (_, i) => makeDocument(i)) as (Document & {
  _id: string
})[]
const started = performance.now()
for (let i = 0; i < DOCUMENT_COUNT; i += 1000)
  await collection.insertMany(documents.slice(i, i + 1000))
const seconds = (performance.now() - started) / 1000
console.log(
  `insertMany, two more indexes`.padEnd(58),
  `${Math.round(DOCUMENT_COUNT / seconds)} documents/s`,
)

await client.close()
await engine.close()
const reopening = performance.now()
engine = await startEmbedded({ directory })
console.log(
  'open an existing folder'.padEnd(58),
  `${(performance.now() - reopening).toFixed(0)} ms`,
)
client = await MongoClient.connect(engine.uri)
collection = client.db('bench').collection('articles')

await measure('list of 25, filter and sort not indexed', () =>
  collection
    .find({ rating: { $gte: 20 } })
    .sort({ title: 1 })
    .limit(25)
    .toArray(),
)
await measure('the same by aggregate', () =>
  collection
    .aggregate([{ $match: { rating: { $gte: 20 } } }, { $sort: { title: 1 } }, { $limit: 25 }])
    .toArray(),
)
await measure('list of 25 by regex, not indexed', () =>
  collection
    .find({ 'seo.metaTitle': { $regex: 'abc', $options: 'i' } })
    .sort({ title: 1 })
    .limit(25)
    .toArray(),
)
await measure('list of 25, indexed filter and sort', () =>
  collection.find({ status: 'published' }).sort({ id: 1 }).limit(25).toArray(),
)
await measure('one by an indexed attribute', () => collection.findOne({ slug: 'title-77' }))
await measure('one by _id', () => collection.findOne({ _id: 'document-77:en:published' }))
await measure('count of a filter, not indexed', () =>
  collection.countDocuments({ rating: { $gte: 20 } }),
)
let next = 0
await measure('update of one by _id, durable', () =>
  collection.updateOne(
    { _id: `document-${next++ % DOCUMENT_COUNT}:en:published` },
    { $inc: { rating: 1 } },
  ),
)
await measure('a list right after a write', async () => {
  await collection.updateOne(
    { _id: `document-${next++ % DOCUMENT_COUNT}:en:published` },
    { $inc: { rating: 1 } },
  )
  await collection
    .find({ rating: { $gte: 20 } })
    .sort({ title: 1 })
    .limit(25)
    .toArray()
})
for (const writers of [1, 10]) {
  const path = join(directory, 'data.mdb')
  const before = statsOf(path).lastTxnId
  const start = performance.now()
  await Promise.all(
    Array.from({ length: writers }, (_, writer) => writeRows(writer, WRITES / writers)),
  )
  const ms = performance.now() - start
  const commits = statsOf(path).lastTxnId - before
  console.log(
    `inserts and updates by ${writers} at once, durable`.padEnd(58),
    `${Math.round((2000 * WRITES) / ms)} writes/s, ${(commits / WRITES / 2).toFixed(2)} commits each`,
  )
}
await client.close()
await engine.close()
const { size, used } = fileUse(join(directory, 'data.mdb'))
console.log(
  'size of the file, and its used part'.padEnd(58),
  `${mebibytes(size)} MiB, ${mebibytes(used)} MiB: ${(size / used).toFixed(2)} ×`,
)
rmSync(directory, { recursive: true, force: true })
