import { expect } from 'chai'
import { Int32, ObjectId } from 'mongodb'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const ID = '65b000000000000000000001'
const PATH = `/api/baskets/${ID}`

const CONTENT_TYPES = {
  basket: {
    info: { singularName: 'basket' },
    options: { history: true },
    adopt: { collection: 'baskets', write: true },
    attributes: { lines: { type: 'component', component: 'shop.line', repeatable: true } },
  },
  'components/shop/line': { attributes: { sku: { type: 'string' } } },
}

describe('elements of lists in adopted collections', () => {
  let foreign: ForeignDatabase
  let server: TestServer
  let isServed = false

  before(async function () {
    foreign = await openForeignDatabase('adoptelements', { baskets: [{ _id: new ObjectId(ID) }] })
    if (!(await hasStreams(foreign))) return this.skip()
    server = await serve('adoptelements', {
      contentTypes: CONTENT_TYPES,
      environment: { MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
    })
    isServed = true
  })

  after(async () => {
    if (isServed) await server.close()
    await foreign.drop()
  })

  const baskets = () => foreign.db.collection('baskets')

  async function hold(skus: readonly string[]): Promise<void> {
    const lines = skus.map((sku, secret) => ({ sku, secret: new Int32(secret) }))
    await baskets().replaceOne({ _id: new ObjectId(ID) }, { lines })
  }

  async function held(): Promise<readonly (readonly [string, number | undefined])[]> {
    const found = await baskets().findOne({ _id: new ObjectId(ID) })
    return ((found?.['lines'] ?? []) as Json[]).map(({ sku, secret }) => [sku, secret])
  }

  async function put(lines: readonly (readonly [id: number, sku: string])[]): Promise<void> {
    const { status, text } = await server.put(PATH, {
      lines: lines.map(([id, sku]) => ({ id, sku })),
    })
    expect(status, text).to.equal(200)
  }

  async function restoreSecondLast(): Promise<void> {
    const history = `/admin/history/api::basket.basket/${ID}`
    const [, older] = (await server.get(history)).body.data
    const restored = await server.send('POST', `${history}/${older.revision}/restore`, { body: {} })
    expect(restored.status, restored.text).to.equal(200)
  }

  it('keep members without an attribute in a restore of a list of the same length', async () => {
    await hold(['a', 'b', 'c'])
    await put([
      [1, 'a'],
      [2, 'b'],
      [3, 'd'],
    ])
    await put([
      [2, 'b'],
      [1, 'x'],
      [3, 'y'],
    ])
    await restoreSecondLast()
    expect(await held()).to.deep.equal([
      ['a', 0],
      ['b', 1],
      ['d', 2],
    ])
  })

  it('keep those of equal elements in a restore of a longer list', async () => {
    await hold(['a', 'b'])
    await put([
      [1, 'a'],
      [2, 'e'],
    ])
    await put([[2, 'e']])
    await restoreSecondLast()
    expect(await held()).to.deep.equal([
      ['a', undefined],
      ['e', 1],
    ])
  })
})
