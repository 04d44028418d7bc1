import { BSON } from 'mongodb'
import { expect } from 'chai'
import { codeBlocksOf } from '../../support/pages.ts'
import { type ForeignDatabase, openForeignDatabase } from '../../support/foreign-database.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const [document = '', declaration = '', response = ''] = codeBlocksOf('docs/existing-data.md')
  .filter(({ language }) => language === 'json')
  .map(({ text }) => text)

describe('docs/existing-data.md', () => {
  let foreign: ForeignDatabase
  let server: TestServer

  before(async () => {
    foreign = await openForeignDatabase('existing', { orders: [BSON.EJSON.parse(document)] })
    const order: Json = JSON.parse(declaration)
    const customer = {
      info: { singularName: 'customer' },
      adopt: { collection: 'customers' },
      attributes: { name: { type: 'string' } },
    }
    server = await serve('existing', {
      contentTypes: { order, customer },
      environment: { MONGODB_DATABASE: foreign.name },
    })
  })

  after(async () => {
    await server.close()
    await foreign.drop()
  })

  it('shows the response of its declaration to its document', async () => {
    const { body, status, text } = await server.get('/api/orders')
    expect(status, text).to.equal(200)
    expect(body.data).to.deep.equal([JSON.parse(response)])
  })
})
