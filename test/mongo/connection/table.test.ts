import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Document, MongoServerError } from 'mongodb'
import { GatewayTimeoutError } from '../../../src/base/errors.ts'
import { boundedReads } from '../../../src/mongo/connection/time-limits.ts'
import type { Database, Session } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import type { Table } from '../../../src/mongo/connection/table.ts'
import { type FaultProxy, openFaultProxy } from '../../faults/fault-proxy.ts'
import { testUri } from '../../support/test-database.ts'

interface Row {
  readonly _id: string
  readonly count: number
}

type Command = readonly [
  name: string,
  run: (rows: Table<Row>, session?: Session) => Promise<unknown>,
]

const COMMANDS: readonly Command[] = [
  ['find', (rows, session) => rows.find({}, { session }).sort({ _id: 1 }).limit(2).toArray()],
  ['find', (rows, session) => rows.find({}, { session }).take(() => true)],
  ['find', (rows, session) => rows.findOne({ _id: 'a' }, { session })],
  ['insert', (rows, session) => rows.insertOne({ _id: 'b', count: 1 }, { session })],
  ['insert', (rows, session) => rows.insertMany([{ _id: 'c', count: 1 }], { session })],
  ['update', (rows, session) => rows.updateOne({}, { $inc: { count: 1 } }, { session })],
  ['update', (rows, session) => rows.updateMany({}, { $inc: { count: 1 } }, { session })],
  ['update', (rows, session) => rows.replaceOne({ _id: 'a' }, { count: 2 }, { session })],
  [
    'findAndModify',
    (rows, session) => rows.findOneAndUpdate({}, { $set: { count: 3 } }, { session }),
  ],
  ['findAndModify', (rows, session) => rows.findOneAndDelete({ _id: 'b' }, { session })],
  ['delete', (rows, session) => rows.deleteOne({ _id: 'c' }, { session })],
  ['delete', (rows, session) => rows.deleteMany({ _id: 'd' }, { session })],
  [
    'delete',
    (rows, session) => rows.bulkWrite([{ deleteOne: { filter: { _id: 'e' } } }], { session }),
  ],
  ['aggregate', (rows, session) => rows.countDocuments({}, { session })],
  ['count', (rows) => rows.estimatedDocumentCount()],
  ['distinct', (rows) => rows.distinct('count', {})],
  ['aggregate', (rows, session) => rows.aggregate([{ $match: {} }], { session })],
]

describe('Table', () => {
  let proxy: FaultProxy
  let database: Database

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    const name = `quire_test_table_${randomBytes(4).toString('hex')}`
    database = await openDatabase({ uri: proxy.uri, name, queryTimeoutMs: 7_654 })
    await database.table<Row>('rows').createIndexes([{ key: { count: 1 } }])
  })
  beforeEach(async () => {
    const rows = database.table<Row>('rows')
    await rows.deleteMany({})
    await rows.insertOne({ _id: 'a', count: 0 })
  })
  afterEach(() => proxy.disarm())
  after(async () => {
    await database.command({ dropDatabase: 1 })
    await database.close()
    await proxy.close()
  })

  const watch = (seen: Document[], fault: Document | null = null): void => {
    proxy.arm((command) => {
      const isOwn = COMMANDS.some(([name]) => command[name] === 'rows')
      if (!isOwn) return null
      seen.push(command)
      return fault === null ? null : { fate: 'refused', answer: () => fault }
    })
  }

  const TIMEOUT = { ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'too long' }

  for (const [index, [name, run]] of COMMANDS.entries()) {
    it(`bounds and maps the ${name} command of case ${index}`, async () => {
      const seen: Document[] = []
      watch(seen)
      await run(database.table<Row>('rows'))
      expect(
        seen.map((command) => [Object.keys(command)[0], Number(command['maxTimeMS'])]),
      ).to.deep.equal([[name, 7_654]])
      watch(seen, TIMEOUT)
      const error = await failureOf(run(database.table<Row>('rows')))
      expect(error).to.be.instanceOf(GatewayTimeoutError)
    })
  }

  it('throws the error of the driver in a session', async () => {
    for (const [name, run] of COMMANDS.filter(
      ([each]) => each !== 'count' && each !== 'distinct',
    )) {
      watch([], TIMEOUT)
      const errors: unknown[] = []
      const transaction = database.transact(async (session) => {
        errors.push(await failureOf(run(database.table<Row>('rows'), session)))
        throw new Error('ends the transaction')
      })
      expect(await failureOf(transaction)).to.include({ message: 'ends the transaction' })
      expect(errors[0], name).to.be.instanceOf(MongoServerError)
    }
  })

  it('uses the remaining time of a bounded view', async () => {
    const seen: Document[] = []
    let now = 0
    const view = boundedReads(database, () => now)
    now = 5 * 7_654 - 123
    watch(seen)
    await view.table<Row>('rows').findOne({})
    expect(Number(seen[0]?.['maxTimeMS'])).to.equal(123)
  })

  it('lets an option replace the time limit', async () => {
    const seen: Document[] = []
    watch(seen)
    await database.table<Row>('rows').deleteMany({ _id: 'f' }, { maxTimeMS: 60_000 })
    expect(Number(seen[0]?.['maxTimeMS'])).to.equal(60_000)
  })

  it('stops when `take` returns false', async () => {
    const rows = database.table<Row>('rows')
    await rows.insertOne({ _id: 'b', count: 1 })
    const taken: string[] = []
    await rows
      .find()
      .sort({ _id: 1 })
      .take(({ _id }) => {
        taken.push(_id)
        return false
      })
    expect(taken).to.deep.equal(['a'])
  })
})

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  )
}
