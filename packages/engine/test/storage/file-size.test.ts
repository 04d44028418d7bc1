import { readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { open } from 'lmdb'
import type { Collection, Document } from 'mongodb'
import { MongoClient } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

const MEGABYTE = 1024 * 1024
const ARTICLES = 1_000

/** The end of the used part, as LMDB reports it. */
async function usedBytes(path: string): Promise<number> {
  const root = open({ path, readOnly: true, maxDbs: 8 })
  const { pageSize, lastPageNumber } = root.getStats() as Readonly<
    Record<'pageSize' | 'lastPageNumber', number>
  >
  await root.close()
  return (lastPageNumber + 1) * pageSize
}

type Articles = Collection<Document & { _id: number }>

type Workload = (articles: Articles, client: MongoClient) => Promise<unknown>

const WORKLOADS: Readonly<Record<string, Workload>> = {
  'many inserts': async (articles) => {
    const documents = Array.from({ length: ARTICLES }, (_, i) => ({
      _id: ARTICLES + i,
      slug: `more-${i}`,
    }))
    for (let i = 0; i < ARTICLES; i += 50) await articles.insertMany(documents.slice(i, i + 50))
  },
  'an indexed value that is set and unset': async (articles) => {
    for (const author of ['one', null, 'one', null, 'one', null]) {
      await articles.updateMany({}, { $set: { author } })
    }
  },
  'the same article by article': async (articles) => {
    for (const author of ['one', null, 'one', null]) {
      await articles.bulkWrite(
        Array.from({ length: ARTICLES }, (_, _id) => ({
          updateOne: { filter: { _id }, update: { $set: { author } } },
        })),
      )
    }
  },
}

const EVERYONE = Array.from({ length: 10 }, (_, writer) => writer)

/** With concurrent clients, which share commits. */
const CONCURRENT_WORKLOADS: typeof WORKLOADS = {
  'inserts by ten at once': (articles) =>
    Promise.all(
      EVERYONE.map(async (writer) => {
        for (let i = 0; i < ARTICLES / 20; i++) {
          const _id = (writer + 1) * ARTICLES + i
          await articles.insertOne({ _id, slug: `more-${_id}`, text: 'x'.repeat(500) })
        }
      }),
    ),
  'updates by ten at once': (articles) =>
    Promise.all(
      EVERYONE.map(async (writer) => {
        for (let _id = writer; _id < ARTICLES / 2; _id += 10)
          await articles.updateOne({ _id }, { $set: { author: `author ${_id % 7}` } })
      }),
    ),
  'large texts that are replaced': async (articles) => {
    for (let i = 0; i < 50; i++)
      await articles.updateOne({ _id: i % 5 }, { $set: { text: String(i % 10).repeat(200_000) } })
  },
  'removals, and inserts in their place': async (articles) => {
    for (let round = 0; round < 5; round++) {
      await articles.deleteMany({})
      await articles.insertMany(
        Array.from({ length: ARTICLES }, (_, _id) => ({ _id, slug: `slug-${round}-${_id}` })),
      )
    }
  },
  'transactions by ten at once': (articles, client) =>
    Promise.all(
      EVERYONE.map(async (writer) => {
        for (let _id = writer; _id < ARTICLES / 5; _id += 10) {
          await client.withSession((session) =>
            session.withTransaction(async () => {
              await articles.insertOne({ _id: _id + ARTICLES, slug: `other-${_id}` }, { session })
              await articles.updateOne({ _id }, { $set: { author: 'one' } }, { session })
            }),
          )
        }
      }),
    ),
}

describe('the file of the embedded engine', function () {
  this.slow(2_000)
  let directory: string
  let path: string

  beforeEach(() => {
    directory = temporaryFolder()
    path = join(directory, 'data.mdb')
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  async function withArticles(work: Workload): Promise<void> {
    const engine = await startEmbedded({ directory, durable: false })
    const client = await MongoClient.connect(engine.uri)
    try {
      await work(client.db('size').collection('articles'), client)
    } finally {
      await client.close()
      await engine.close()
    }
  }

  async function fill(articles: Articles): Promise<void> {
    await articles.createIndex({ author: 1 })
    await articles.createIndex({ slug: 1 }, { unique: true })
    await articles.insertMany(
      Array.from({ length: ARTICLES }, (_, _id) => ({ _id, slug: `slug-${_id}`, author: null })),
    )
  }

  for (const [label, work] of Object.entries({ ...WORKLOADS, ...CONCURRENT_WORKLOADS })) {
    it(`stays below three times the used size: ${label}`, async () => {
      await withArticles(async (articles, client) => {
        await fill(articles)
        await work(articles, client)
      })
      expect(statSync(path).size).to.be.at.most(3 * Math.max(await usedBytes(path), MEGABYTE))
    })
  }

  it('shrinks at a start and keeps its data', async () => {
    await withArticles(fill)
    const used = await usedBytes(path)
    const held = readFileSync(path).subarray(0, used)
    truncateSync(path, 40 * MEGABYTE)
    await withArticles(() => Promise.resolve())
    expect(statSync(path).size).to.be.at.most(used + 2 * MEGABYTE)
    expect(readFileSync(path).subarray(0, used).equals(held)).to.equal(true)
    await withArticles(async (articles) => {
      expect(await articles.countDocuments({ slug: /^slug-/ })).to.equal(ARTICLES)
      await articles.insertOne({ _id: -1, slug: 'after', author: null })
    })
  })
})
