import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const COLLECTION = 'quire_idempotency_keys'

interface Row {
  readonly _id: string
  readonly expiresAt: Date
}

describe('Idempotency-Key', () => {
  let server: TestServer
  let client: MongoClient
  let keys = 0

  before(async () => {
    server = await serve('idempotency', {
      contentTypes: {
        note: declare(
          'note',
          { text: { type: 'string', required: true }, price: { type: 'decimal' } },
          { draftAndPublish: true },
        ),
        tag: declare('tag', { name: { type: 'string', unique: true } }),
      },
      permitted: ['api::note.note.create', 'api::note.note.find'],
    })
    client = await MongoClient.connect(server.uri)
  })

  after(async () => {
    await client.close()
    await server.close()
  })

  const rows = () => client.db(server.database).collection<Row>(COLLECTION)
  const newKey = (): string => `key-${(keys += 1)}`
  const post = (
    path: string,
    data: object,
    key: string,
    sent: { token?: string | null; headers?: Record<string, string> } = {},
  ): Promise<Answer> =>
    server.post(path, data, { ...sent, headers: { 'idempotency-key': key, ...sent.headers } })
  const replayed = (answer: Answer): boolean => answer.headers['idempotency-replayed'] === 'true'

  it('repeats the first response and creates one entry', async () => {
    const key = newKey()
    const before = await server.count('note_versions')
    const first = await post('/api/notes', { text: 'a', price: '1.10' }, key)
    const second = await post('/api/notes', { text: 'a', price: '1.10' }, key)
    expect([first.status, replayed(first)]).to.deep.equal([201, false])
    expect([second.status, replayed(second)]).to.deep.equal([201, true])
    expect(second.text).to.equal(first.text)
    for (const header of ['content-type', 'etag']) {
      expect(second.headers[header]).to.equal(first.headers[header])
    }
    expect(await server.count('note_versions')).to.equal(before + 2)
  })

  it('repeats the response after the document was changed or deleted', async () => {
    const key = newKey()
    const first = await post('/api/tags', { name: 'gone' }, key)
    const path = `/api/tags/${first.body.data.documentId}`
    await server.put(path, { name: 'changed' })
    expect((await post('/api/tags', { name: 'gone' }, key)).text).to.equal(first.text)
    await server.delete(path)
    expect((await post('/api/tags', { name: 'gone' }, key)).text).to.equal(first.text)
  })

  it('repeats an error', async () => {
    const key = newKey()
    const first = await post('/api/notes', { text: 7 }, key)
    const second = await post('/api/notes', { text: 7 }, key)
    expect([first.status, second.status, replayed(second)]).to.deep.equal([400, 400, true])
    const codes = [first, second].map(({ headers }) => headers['error-code'])
    expect(codes).to.deep.equal(['invalid_payload', 'invalid_payload'])
    expect(second.text).to.equal(first.text)
  })

  it('responds with 422 to another body, query or format', async () => {
    const key = newKey()
    await post('/api/notes', { text: 'a' }, key)
    const others = [
      await post('/api/notes', { text: 'b' }, key),
      await post('/api/notes?status=draft', { text: 'a' }, key),
      await post('/api/notes', { text: 'a' }, key, {
        headers: { 'strapi-response-format': 'v4' },
      }),
    ]
    for (const { status, body } of others) {
      expect([status, body.error.name]).to.deep.equal([422, 'UnprocessableContentError'])
    }
  })

  it('separates callers and endpoints', async () => {
    const key = newKey()
    const root = await post('/api/notes', { text: 'a' }, key)
    const nobody = await post('/api/notes', { text: 'a' }, key, { token: null })
    expect([nobody.status, replayed(nobody)]).to.deep.equal([201, false])
    expect(nobody.body.data.documentId).to.not.equal(root.body.data.documentId)
    expect((await post('/api/tags', { name: 'apart' }, key)).status).to.equal(201)
    expect((await post('/api/tags', { name: 'apart' }, key, { token: null })).status).to.equal(403)
  })

  it('creates one entry for simultaneous requests', async () => {
    const key = newKey()
    const before = await server.count('note_versions')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/api/notes', { text: 'at once' }, key)),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].every((status) => status === 201 || status === 409)).to.equal(true)
    expect(answers.filter((answer) => answer.status === 201 && !replayed(answer))).to.have.length(1)
    for (const { status, body, headers } of answers) {
      if (status !== 409) continue
      expect([body.error.name, headers['retry-after']]).to.deep.equal(['ConflictError', '1'])
    }
    expect(await server.count('note_versions')).to.equal(before + 2)
  })

  it('returns the entry that a lost process has created, and restarts an uncommitted creation', async () => {
    const key = newKey()
    const first = await post('/api/notes', { text: 'lost', price: '2.50' }, key)
    const [row] = await rows().find().sort({ expiresAt: -1 }).limit(1).toArray()
    const _id = row?._id ?? ''
    const version = await client
      .db(server.database)
      .collection('note_versions')
      .findOne({ documentId: first.body.data.documentId, status: 'published' })
    await rows().updateOne({ _id }, { $set: { version }, $unset: { answer: '' } })
    const again = await post('/api/notes', { text: 'lost', price: '2.50' }, key)
    expect([again.status, again.text, replayed(again)]).to.deep.equal([201, first.text, true])

    await rows().updateOne({ _id }, { $unset: { answer: '', version: '' } })
    expect((await post('/api/notes', { text: 'lost', price: '2.50' }, key)).status).to.equal(409)
    // An expired lease, or a lease by a clock that was an hour ahead.
    for (const leasedUntil of [new Date(0), new Date(Date.now() + 3_600_000)]) {
      await rows().updateOne(
        { _id },
        { $set: { leasedUntil }, $unset: { answer: '', version: '' } },
      )
      const anew = await post('/api/notes', { text: 'lost', price: '2.50' }, key)
      expect([anew.status, replayed(anew)]).to.deep.equal([201, false])
      expect(anew.body.data.documentId).to.not.equal(first.body.data.documentId)
    }
  })

  it('forgets a key after a day', async () => {
    const key = newKey()
    const first = await post('/api/notes', { text: 'a' }, key)
    const day = 24 * 60 * 60 * 1_000
    const [row] = await rows().find().sort({ expiresAt: -1 }).limit(1).toArray()
    expect(Number(row?.expiresAt)).to.be.within(Date.now() + day - 60_000, Date.now() + day)
    await rows().updateOne({ _id: row?._id ?? '' }, { $set: { expiresAt: new Date(0) } })
    const second = await post('/api/notes', { text: 'b' }, key)
    expect([second.status, replayed(second)]).to.deep.equal([201, false])
    expect(second.body.data.documentId).to.not.equal(first.body.data.documentId)
  })

  it('accepts a key with or without quotes, and refuses invalid keys', async () => {
    const key = newKey()
    const first = await post('/api/notes', { text: 'a' }, `"${key}"`)
    expect((await post('/api/notes', { text: 'a' }, key)).text).to.equal(first.text)
    for (const bad of ['', '""', '"a', 'a b', '"a", "b"', 'a;b', 'x'.repeat(256), 'ü']) {
      const answer = await post('/api/notes', { text: 'a' }, bad)
      expect(answer.status, bad).to.equal(400)
      expect(answer.body.error.details).to.deep.equal({ header: 'Idempotency-Key' })
    }
    expect((await post('/api/notes', { text: 'a' }, 'x'.repeat(255))).status).to.equal(201)
  })
})
