import { expect } from 'chai'
import { Decimal128, Double, ObjectId } from 'mongodb'
import { examineAdopted, foreignFinding } from '../../../src/cli/doctor/examine-adopted.ts'
import { type Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { type ForeignDatabase, openForeignDatabase } from '../../support/foreign-database.ts'
import { testUri } from '../../support/test-database.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { asFollowed, compile, componentFile, define, typeFile } from '../../schema/define.ts'

describe('quire doctor on adopted collections', () => {
  let foreign: ForeignDatabase
  let database: Database

  before(async () => {
    foreign = await openForeignDatabase('doctor_adopted', {
      orders: [
        { total: new Double(1.5), state: 'open', parts: [{}, {}], next: [new ObjectId()] },
        { total: 'free', state: 'odd', parts: [{}, 1], next: 'none' },
        { total: Decimal128.fromString('NaN'), state: null, parts: {}, next: [] },
      ],
      clients: [{ name: 'Ada' }],
    })
    database = await openDatabase({
      uri: await testUri(),
      name: foreign.name,
      queryTimeoutMs: 10_000,
    })
  })

  after(async () => {
    await database.close()
    await foreign.drop()
  })

  it('warns if no server follows the changes of other services', () => {
    expect(foreignFinding({ lagMs: 2_000 }).level).to.equal('ok')
    const { level, what } = foreignFinding({ lagMs: 61_000 })
    expect(level).to.equal('warning')
    expect(what).to.include('61 s behind')
  })

  it('names types that are only read despite their declaration', async () => {
    const adopt = { collection: 'clients', write: true }
    const definitions = define(typeFile('client', { name: { type: 'string' } }, { adopt }))
    const examine = async (isFollowed: boolean): Promise<readonly string[]> => {
      const schema = compileSchema(asFollowed(definitions, isFollowed))
      return (await examineAdopted(database, schema)).map(({ level, what }) => `${level} ${what}`)
    }
    const named =
      'warning client is only read despite "write": the database reports no changes of clients'
    expect(await examine(false)).to.include(named)
    expect(await examine(true)).not.to.include(named)
  })

  it('counts documents by attribute, and names empty collections', async () => {
    const schema = compile(
      typeFile(
        'order',
        {
          total: { type: 'float' },
          orderState: { type: 'enumeration', enum: ['open'] },
          missing: { type: 'boolean' },
          parts: { type: 'component', component: 'shop.part', repeatable: true },
          next: { type: 'relation', relation: 'manyToMany', target: 'api::order.order' },
        },
        { adopt: { collection: 'orders', paths: { orderState: 'state' } } },
      ),
      typeFile('client', { name: { type: 'string' } }, { adopt: { collection: 'clients' } }),
      typeFile('ghost', { name: { type: 'string' } }, { adopt: { collection: 'ghosts' } }),
      typeFile('note', { name: { type: 'string' } }),
      componentFile('shop.part', { name: { type: 'string' } }),
    )
    const findings = await examineAdopted(database, schema)
    const unfit = (name: string, count: number) =>
      `${name}: ${count} of 3 documents of orders have a value of another type, which responses do not show`
    expect(findings.map(({ level, what }) => `${level} ${what}`)).to.deep.equal([
      `warning ${unfit('total', 2)}`,
      `warning ${unfit('orderState', 1)}`,
      `warning ${unfit('parts', 2)}`,
      `warning ${unfit('next', 1)}`,
      'ok all values of 1 documents of clients have the declared types',
      'warning ghosts has no documents',
    ])
  })
})
