import { rmSync } from 'node:fs'
import { expect } from 'chai'
import type { Collection, Document } from 'mongodb'
import { MongoClient, MongoServerError } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import type { EmbeddedEngine } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

const QUERY_PLAN_KILLED = 175

type Rows = Collection<Document & { _id: number }>

const DROPS: Readonly<Record<string, (rows: Rows) => Promise<unknown>>> = {
  'the index is dropped': (rows) => rows.dropIndex('n_1'),
  'the index is recreated': async (rows) => {
    await rows.dropIndex('n_1')
    await rows.createIndex({ n: 1 })
  },
  'the collection is dropped': (rows) => rows.drop(),
  'the collection is recreated': async (rows) => {
    await rows.drop()
    await rows.insertOne({ _id: 1, n: 1 })
    await rows.createIndex({ n: 1 })
  },
}

/** Beyond 10,000 documents the reader process continues a read. */
const SIZES = { 'in the engine': 6_000, 'in the reader process': 12_000 }

describe('a cursor of the embedded engine', () => {
  let directory: string
  let engine: EmbeddedEngine
  let client: MongoClient
  let made = 0

  before(async () => {
    directory = temporaryFolder()
    engine = await startEmbedded({ directory, durable: false })
    client = await MongoClient.connect(engine.uri)
  })
  after(async () => {
    await client.close()
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })

  for (const [where, count] of Object.entries(SIZES)) {
    for (const [label, drop] of Object.entries(DROPS)) {
      it(`fails ${where} if it cannot return all documents: ${label}`, async () => {
        const rows: Rows = client.db('dropped').collection(`c${made++}`)
        await rows.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, n: _id })))
        await rows.createIndex({ n: 1 })
        const cursor = rows.find({ n: { $gte: 0 } }).batchSize(50)
        expect(await cursor.next()).to.include({ n: 0 })
        await drop(rows)
        const error = await cursor.toArray().catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(MongoServerError)
        expect((error as MongoServerError).code).to.equal(QUERY_PLAN_KILLED)
      })
    }
  }

  it('returns all documents if another index is dropped', async () => {
    const rows: Rows = client.db('dropped').collection(`c${made++}`)
    await rows.insertMany(Array.from({ length: 6_000 }, (_, _id) => ({ _id, n: _id, m: 1 })))
    await rows.createIndexes([{ key: { n: 1 } }, { key: { m: 1 } }])
    const cursor = rows.find({ n: { $gte: 0 } }).batchSize(50)
    await cursor.next()
    await rows.dropIndex('m_1')
    expect(await cursor.toArray()).to.have.length(5_999)
  })
})
