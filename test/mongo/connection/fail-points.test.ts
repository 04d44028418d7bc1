import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { ServiceUnavailableError } from '../../../src/base/errors.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { ensureIndexes } from '../../../src/mongo/system/system-collections.ts'
import { type FailPoint, openFailPoint } from '../../support/fail-point.ts'
import { testUri } from '../../support/test-database.ts'

interface Row {
  readonly _id: number
  readonly changes: number
}

describe('a database with fail points', () => {
  const appName = `quire-test-${randomBytes(4).toString('hex')}`
  let database: Database
  let failPoint: FailPoint

  before(async function () {
    const uri = await testUri()
    const opened = await openFailPoint(uri, appName)
    if (opened === null) return this.skip()
    failPoint = opened
    const name = `quire_test_fail_points_${randomBytes(4).toString('hex')}`
    database = await openDatabase({ uri, name, queryTimeoutMs: 10_000, client: { appName } })
    await ensureIndexes(database.table<Row>('rows'), [{ key: { changes: 1 } }])
  })
  beforeEach(async () => {
    await database.table<Row>('rows').deleteMany({})
    await database.table<Row>('rows').insertOne({ _id: 1, changes: 0 })
  })
  afterEach(() => failPoint.clear())
  after(async () => {
    // Undefined if the suite was skipped.
    if (!(database as Database | undefined)) return
    await database.command({ dropDatabase: 1 })
    await database.close()
    await failPoint.close()
  })

  const rows = () => database.table<Row>('rows')
  const find = () => rows().find({ _id: 1 }).toArray()
  const change = () => rows().updateOne({ _id: 1 }, { $inc: { changes: 1 } })
  const changeInTransaction = () =>
    database.transact((session) =>
      rows().updateOne({ _id: 1 }, { $inc: { changes: 1 } }, { session }),
    )

  const once: readonly (readonly [string, () => Promise<unknown>, Document])[] = [
    ['reads again after a step-down', find, { failCommands: ['find'], errorCode: 11602 }],
    [
      'reads again after a lost connection',
      find,
      { failCommands: ['find'], closeConnection: true },
    ],
    ['writes once after a step-down', change, { failCommands: ['update'], errorCode: 189 }],
    [
      'writes once after a lost connection',
      change,
      { failCommands: ['update'], closeConnection: true },
    ],
    [
      'writes once after an unknown majority',
      change,
      {
        failCommands: ['update'],
        writeConcernError: { code: 91, errmsg: 'going down', errorLabels: ['RetryableWriteError'] },
      },
    ],
    [
      'repeats a transaction after a conflict',
      changeInTransaction,
      { failCommands: ['update'], errorCode: 112 },
    ],
    [
      'repeats a transaction whose connection was lost',
      changeInTransaction,
      { failCommands: ['update'], closeConnection: true },
    ],
    [
      'commits once if the reply of the commit is lost',
      changeInTransaction,
      { failCommands: ['commitTransaction'], closeConnection: true },
    ],
    [
      'commits once after a step-down during the commit',
      changeInTransaction,
      { failCommands: ['commitTransaction'], errorCode: 189 },
    ],
  ]
  for (const [title, work, data] of once) {
    it(title, async () => {
      // A transaction also updates the row of its process.
      const isCommit = data['failCommands'].includes('commitTransaction')
      const namespace = `${database.collection('rows').dbName}.rows`
      await failPoint.set({ ...data, ...(!isCommit && { namespace }) })
      await work()
      expect((await find())[0]?.changes).to.equal(work === find ? 0 : 1)
    })
  }

  it('reports a database that fails each time as unavailable', async () => {
    await failPoint.set({ failCommands: ['find', 'update'], errorCode: 11602 }, 'alwaysOn')
    for (const work of [find, change]) {
      const error: unknown = await work().catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(ServiceUnavailableError)
    }
  })

  it('fails only the commands of its application', async () => {
    await failPoint.set({ appName: 'another', failCommands: ['find'], errorCode: 2 }, 'alwaysOn')
    expect(await find()).to.have.length(1)
  })
})
