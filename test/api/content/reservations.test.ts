import { expect } from 'chai'
import { type Document, MongoClient } from 'mongodb'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { i18n: { localized: true } }
const ATTRIBUTES = {
  name: { type: 'string' },
  code: { type: 'string', unique: true, pluginOptions: LOCALIZED },
  shared: { type: 'integer', unique: true },
  price: { type: 'decimal', unique: true },
  tag: { type: 'string' },
}

const types = (sharded: boolean) => ({
  post: declare('post', ATTRIBUTES, { draftAndPublish: true, localized: true, sharded }),
  thing: declare('thing', { code: { type: 'string', unique: true } }, { sharded }),
})

describe('unique values of a sharded content-type', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('reserved', { contentTypes: types(true), locales: ['fr'] })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const db = () => client.db(server.database)
  const indexesOf = async (collection: string): Promise<readonly Document[]> =>
    db().collection(collection).listIndexes().toArray()
  const create = async (path: string, data: object): Promise<Json> => {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const expectTaken = (answer: Answer, name: string): void => {
    expect([answer.status, answer.body.error.name], answer.text).to.deep.equal([
      400,
      'ValidationError',
    ])
    expect(answer.body.error.details.errors[0]).to.deep.include({
      path: [name],
      message: 'This attribute must be unique',
    })
  }
  /**
   * Only published values have reservations. One transaction reads both: MongoDB 4.9 to 5.0.9
   * confirms a commit on several shards before each of them shows it
   * (https://jira.mongodb.org/browse/SERVER-63971).
   */
  const expectReservationsHold = async (): Promise<void> => {
    const counts = await client.withSession((session) =>
      session.withTransaction(
        async () => {
          let wanted = 0
          for (const [name, attributes] of [
            ['post_versions', ['code', 'shared', 'price']],
            ['thing_versions', ['code']],
          ] as const) {
            const filter = { status: 'published' }
            const published = await db().collection(name).find(filter, { session }).toArray()
            for (const version of published) {
              wanted += attributes.filter(
                (each) => ![null, undefined, ''].includes(version[each]),
              ).length
            }
          }
          const rows = db().collection('quire_reservations').find({}, { session })
          return { wanted, held: (await rows.toArray()).length }
        },
        { readConcern: { level: 'snapshot' } },
      ),
    )
    expect(counts.held).to.equal(counts.wanted)
  }

  it('uses no unique index, so that the collection can be sharded', async () => {
    for (const collection of ['post_versions', 'thing_versions']) {
      const unique = (await indexesOf(collection)).filter((index) => index['unique'] === true)
      expect(unique).to.deep.equal([])
    }
    const names = (await indexesOf('thing_versions')).map(({ name }) => String(name))
    expect(names).to.include('quire_unique_code')
  })

  it('accepts a value once in concurrent creations', async () => {
    for (const path of ['/api/things', '/api/posts']) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => server.post(path, { code: 'one' })),
      )
      const made = answers.filter(({ status }) => status === 201)
      expect(made, answers.map(({ text }) => text).join('\n')).to.have.lengthOf(1)
      for (const answer of answers) if (answer.status !== 201) expectTaken(answer, 'code')
    }
    await expectReservationsHold()
  })

  it('accepts a value once in concurrent changes', async () => {
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, index) => create('/api/things', { code: `own ${index}` })),
    )
    const answers = await Promise.all(
      made.map(({ documentId }) => server.put(`/api/things/${documentId}`, { code: 'wanted' })),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1)
    for (const answer of answers) if (answer.status !== 200) expectTaken(answer, 'code')
    await expectReservationsHold()
  })

  it('frees a value that is changed, unpublished or deleted', async () => {
    const first = await create('/api/posts', { code: 'freed', shared: 1, price: '1.10' })
    const path = `/api/posts/${first.documentId}`
    expectTaken(await server.post('/api/posts', { code: 'freed' }), 'code')
    expectTaken(await server.post('/api/posts', { shared: 1 }), 'shared')
    expectTaken(await server.post('/api/posts', { price: '1.1' }), 'price')
    expect((await server.put(path, { code: 'other' })).status).to.equal(200)
    const second = await create('/api/posts', { code: 'freed' })
    await expectReservationsHold()
    expect((await server.send('POST', `${path}/actions/unpublish`)).status).to.equal(200)
    await expectReservationsHold()
    const third = await create('/api/posts', { code: 'other', shared: 1, price: '1.1' })
    expectTaken(await server.send('POST', `${path}/actions/publish`), 'code')
    expect((await server.delete(`/api/posts/${third.documentId}`)).status).to.equal(204)
    expect((await server.send('POST', `${path}/actions/publish`)).status).to.equal(200)
    expect((await server.delete(`/api/posts/${second.documentId}?locale=*`)).status).to.equal(204)
    await create('/api/posts', { code: 'freed' })
    await expectReservationsHold()
  })

  it('checks values per locale, and shared values across locales', async () => {
    const { documentId } = await create('/api/posts', { code: 'same', shared: 7 })
    const path = `/api/posts/${documentId}`
    expect((await server.put(`${path}?locale=fr`, { code: 'same' })).status).to.equal(200)
    const other = await create('/api/posts', { code: 'another', shared: 8 })
    const taken = `/api/posts/${other.documentId}?locale=fr`
    expectTaken(await server.put(taken, { code: 'same' }), 'code')
    expectTaken(await server.put(taken, { shared: 7 }), 'shared')
    expect((await server.put(path, { shared: 9 })).status).to.equal(200)
    expect((await server.put(taken, { shared: 7, code: 'une autre' })).status).to.equal(200)
    await expectReservationsHold()
    expect((await server.delete(`${path}?locale=fr`)).status).to.equal(204)
    expect((await server.put(taken, { code: 'same' })).status).to.equal(200)
    await expectReservationsHold()
  })

  it('reserves no values for drafts, null and the empty string', async () => {
    for (const code of [null, '', undefined]) {
      await create('/api/posts', { code })
      await create('/api/posts', { code })
    }
    for (const _ of [1, 2]) await create('/api/posts?status=draft', { code: 'a draft' })
    await expectReservationsHold()
  })
})

describe('a content-type that becomes sharded and unsharded again', () => {
  let first: TestServer
  let client: MongoClient
  const opened: TestServer[] = []

  before(async () => {
    first = await serve('resharded', { contentTypes: types(false) })
    client = await MongoClient.connect(first.uri)
  })
  after(async () => {
    await client.close()
    for (const server of opened) await server.close()
    await first.close()
  })

  const reopen = async (sharded: boolean): Promise<TestServer> => {
    const environment = { MONGODB_DATABASE: first.database }
    const server = await serve('resharded', { contentTypes: types(sharded), environment })
    opened.push(server)
    return server
  }
  const reservations = () => client.db(first.database).collection('quire_reservations')
  const uniqueOf = async (collection: string): Promise<number> => {
    const found: readonly Document[] = await client
      .db(first.database)
      .collection(collection)
      .listIndexes()
      .toArray()
    return found.filter(({ unique }) => unique === true).length
  }

  it('creates reservations of the stored values, and unique indexes afterwards', async () => {
    for (const code of ['a', 'b']) {
      expect((await first.post('/api/things', { code })).status).to.equal(201)
    }
    const sharded = await reopen(true)
    expect(await uniqueOf('thing_versions')).to.equal(0)
    expect(await reservations().countDocuments({})).to.equal(2)
    expect((await sharded.post('/api/things', { code: 'a' })).status).to.equal(400)
    expect((await sharded.post('/api/things', { code: 'c' })).status).to.equal(201)
    const whole = await reopen(false)
    expect(await uniqueOf('thing_versions')).to.equal(1)
    expect(await reservations().countDocuments({})).to.equal(0)
    expect((await whole.post('/api/things', { code: 'c' })).status).to.equal(400)
  })

  it('does not start if stored values repeat', async () => {
    const things = client
      .db(first.database)
      .collection<Document & { _id: string }>('thing_versions')
    await things.dropIndex('quire_unique_code')
    const stored = await things.findOne({ code: 'a' })
    const documentId = `z${'0'.repeat(23)}`
    await things.insertOne({ ...stored, documentId, _id: `${documentId}::published` })
    const error = await reopen(true).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(String(error)).to.match(/thing_versions: stored values repeat/)
  })
})
