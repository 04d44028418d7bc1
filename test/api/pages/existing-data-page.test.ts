import { BSON } from 'mongodb'
import { expect } from 'chai'
import { codeBlocksOf } from '../../support/pages.ts'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const [document = '', declaration = '', response = '', writing = '', payload = '', written = ''] =
  codeBlocksOf('docs/existing-data.md')
    .filter(({ language }) => language === 'json')
    .map(({ text }) => text)

const CUSTOMER = {
  info: { singularName: 'customer' },
  adopt: { collection: 'customers' },
  attributes: { name: { type: 'string' } },
}

describe('docs/existing-data.md', () => {
  let foreign: ForeignDatabase
  let server: TestServer

  before(async () => {
    foreign = await openForeignDatabase('existing', { orders: [BSON.EJSON.parse(document)] })
    const order: Json = JSON.parse(declaration)
    server = await serve('existing', {
      contentTypes: { order, customer: CUSTOMER },
      environment: { MONGODB_DATABASE: foreign.name },
    })
  })

  after(async () => {
    await server.close()
    await foreign.drop()
  })

  it('changes its document as it says', async function () {
    if (!(await hasStreams(foreign))) return this.skip()
    const { adopt }: Json = JSON.parse(writing)
    const { createdAt: _read, ...paths } = JSON.parse(declaration).adopt.paths
    expect(adopt.paths).to.deep.equal(paths)
    const order: Json = { ...JSON.parse(declaration), adopt }
    const orders = foreign.db.collection('orders')
    const before = await orders.findOne()
    const writer = await serve('existingwrites', {
      contentTypes: { order, customer: CUSTOMER },
      environment: { MONGODB_DATABASE: foreign.name },
    })
    try {
      const { status, text } = await writer.send('PUT', `/api/orders/${String(before?._id)}`, {
        body: JSON.parse(payload),
      })
      expect(status, text).to.equal(200)
      expect(await orders.findOne()).to.deep.equal(BSON.EJSON.parse(written))
    } finally {
      await writer.close()
      await orders.replaceOne({}, BSON.EJSON.parse(document))
    }
  })

  it('shows the response of its declaration to its document', async () => {
    const { body, status, text } = await server.get('/api/orders')
    expect(status, text).to.equal(200)
    expect(body.data).to.deep.equal([JSON.parse(response)])
  })
})
