import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Collection, Document, MongoClient } from 'mongodb'
import {
  addsToBoolean,
  asksElementsForNull,
  asksListsForNames,
  documents,
  filters,
  hasEmptyList,
  sortsByTwoLists,
  sorts,
  updates,
} from './differential-arbitraries.ts'
import { databaseName, isDocumentDb, TARGETS } from './targets.ts'

/** QUIRE_TEST_DIFFERENCES=2000 runs longer. */
const RUNS = Number(process.env['QUIRE_TEST_DIFFERENCES'] ?? 60)
const DOCUMENTS = 12

type Row = Document & { _id: number }

// MongoDB's manual decides. Known differences of DocumentDB are not tested.
describe('the embedded engine compared with a deployment', function () {
  this.timeout(Math.max(60_000, RUNS * 2_000))
  if (TARGETS.length < 2) {
    it.skip('needs MONGODB_URI')
    return
  }
  const name = databaseName()
  const clients: MongoClient[] = []
  const closers: (() => Promise<void>)[] = []
  let departs = false
  let collections: readonly Collection<Row>[] = []

  before(async () => {
    for (const target of TARGETS) {
      const { client, close } = await target.open()
      clients.push(client)
      closers.push(close)
    }
    departs = (await Promise.all(clients.map((client) => isDocumentDb(client)))).includes(true)
    collections = clients.map((client) => client.db(name).collection<Row>('rows'))
  })
  after(async () => {
    for (const client of clients) await client.db(name).dropDatabase()
    for (const close of closers) await close()
  })

  const rows = fc
    .array(documents, { minLength: DOCUMENTS, maxLength: DOCUMENTS })
    .map((made) => made.map((document, _id) => ({ _id, ...document })))

  /** The result of each deployment on these rows, or the fact that it refuses the request. */
  async function ask<T>(made: Row[], question: (rows: Collection<Row>) => Promise<T>) {
    const answers: (T | 'refused')[] = []
    for (const collection of collections) {
      await collection.deleteMany({})
      await collection.insertMany(made.map((row) => ({ ...row })))
      answers.push(await question(collection).catch(() => 'refused' as const))
    }
    return answers
  }

  const found = (collection: Collection<Row>, filter: Document, sort: Document) =>
    collection.find(filter).sort(sort as { _id: 1 }).map(({ _id }) => _id).toArray() // prettier-ignore

  it('returns the same documents', async () => {
    const property = fc.asyncProperty(
      rows,
      fc.array(filters, { minLength: 4, maxLength: 8 }),
      async (made, asked) => {
        fc.pre(!departs || !(asksListsForNames(made, asked) || asksElementsForNull(asked)))
        const [ours, theirs] = await ask(made, async (collection) => {
          const answers = []
          for (const filter of asked) answers.push(await found(collection, filter, { _id: 1 }))
          return answers
        })
        expect(ours).to.deep.equal(theirs)
      },
    )
    await fc.assert(property, { numRuns: RUNS })
  })

  it('returns the same documents and counts by indexes', async () => {
    const [ours] = collections
    const keys = [{ a: 1 }, { b: -1 }, { 'a.a': 1 }, { 'a.b': -1 }, { 'b.a': 1 }] as const
    await ours?.createIndexes(keys.map((key) => ({ key })))
    const property = fc.asyncProperty(
      rows,
      fc.array(filters, { minLength: 4, maxLength: 8 }),
      async (made, asked) => {
        fc.pre(!departs || !(asksListsForNames(made, asked) || asksElementsForNull(asked)))
        const [mine, theirs] = await ask(made, async (collection) => {
          const answers = []
          for (const filter of asked) {
            answers.push(await found(collection, filter, { _id: 1 }))
            answers.push(await collection.countDocuments(filter))
          }
          return answers
        })
        expect(mine).to.deep.equal(theirs)
      },
    )
    await fc.assert(property, { numRuns: RUNS })
    await ours?.dropIndexes()
  })

  it('sorts in the same order', async () => {
    const property = fc.asyncProperty(rows, sorts, async (made, sort) => {
      fc.pre(!departs || (!hasEmptyList(made) && !sortsByTwoLists(made, sort)))
      const [ours, theirs] = await ask(made, (collection) => found(collection, {}, new Map(sort)))
      expect(ours).to.deep.equal(theirs)
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it('stores the same documents after updates', async () => {
    const property = fc.asyncProperty(rows, updates, async (made, update) => {
      fc.pre(!departs || !addsToBoolean(made, update))
      const [ours, theirs] = await ask(made, async (collection) => {
        const outcomes = []
        for (const { _id } of made) {
          const outcome = await collection.updateOne({ _id }, update).catch(() => null)
          outcomes.push(outcome && [outcome.matchedCount, outcome.modifiedCount])
        }
        const stored = await collection
          .find({}, { promoteValues: false })
          .sort({ _id: 1 })
          .toArray()
        return { outcomes, stored }
      })
      expect(ours).to.deep.equal(theirs)
    })
    await fc.assert(property, { numRuns: RUNS })
  })
})
