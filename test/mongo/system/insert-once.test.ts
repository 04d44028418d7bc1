import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { isDuplicateKey } from '../../../src/mongo/connection/database-error.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import type { Table } from '../../../src/mongo/connection/table.ts'
import { insertOnce } from '../../../src/mongo/system/insert-once.ts'
import { type FaultProxy, openFaultProxy, type WireFault } from '../../faults/fault-proxy.ts'
import { testUri } from '../../support/test-database.ts'

interface Row {
  readonly _id: string
  readonly claim: string
}

describe('insertOnce', () => {
  let proxy: FaultProxy
  let database: Database
  let rows: Table<Row>

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    const name = `quire_test_insert_${randomBytes(4).toString('hex')}`
    database = await openDatabase({ uri: proxy.uri, name, queryTimeoutMs: 10_000 })
    rows = database.table<Row>('rows')
  })
  afterEach(() => proxy.disarm())
  after(async () => {
    await database.command({ dropDatabase: 1 })
    await database.close()
    await proxy.close()
  })

  const LOST: WireFault = { fate: 'carried out', answer: () => null }
  /** The reply of a server that does not recognize the retried row. */
  const writeErrors = [{ index: 0, code: 11000, keyPattern: { _id: 1 }, errmsg: 'E11000' }]
  const DUPLICATE: WireFault = { fate: 'refused', answer: () => ({ ok: 1, n: 0, writeErrors }) }

  const failureOf = (row: Row): Promise<unknown> =>
    insertOnce(rows, row, 'claim').then(
      () => null,
      (error: unknown) => error,
    )

  it('accepts a duplicate of its own row after a retry', async () => {
    const inserts: string[] = []
    proxy.arm((command) => {
      if (!('insert' in command)) return null
      inserts.push('insert')
      return inserts.length === 1 ? LOST : DUPLICATE
    })
    expect(await failureOf({ _id: 'a', claim: 'first' })).to.equal(null)
    expect(inserts).to.have.length(2)
    expect(await rows.find({ _id: 'a' }).toArray()).to.deep.equal([{ _id: 'a', claim: 'first' }])
  })

  it('refuses a duplicate of another row', async () => {
    await insertOnce(rows, { _id: 'b', claim: 'first' }, 'claim')
    expect(isDuplicateKey(await failureOf({ _id: 'b', claim: 'second' }))).to.equal(true)
    expect(await rows.findOne({ _id: 'b' })).to.include({ claim: 'first' })
  })

  it('refuses a row that violates another index', async () => {
    await rows.deleteMany({})
    await rows.createIndexes([{ key: { claim: 1 }, unique: true }])
    await insertOnce(rows, { _id: 'c', claim: 'taken' }, 'claim')
    expect(isDuplicateKey(await failureOf({ _id: 'd', claim: 'taken' }))).to.equal(true)
    expect(await rows.findOne({ _id: 'd' })).to.equal(null)
  })
})
