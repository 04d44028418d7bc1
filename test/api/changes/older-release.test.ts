import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { readToken, writeToken } from '../../../src/changes/sync/query/sync-token.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const note = (more: object = {}) => declare('note', { title: { type: 'string' }, ...more })
const page = declare('page', { title: { type: 'string' } })

const OLDER = { note: note(), page }
const NEWER = {
  note: note({ text: { type: 'string' } }),
  page,
  extra: declare('extra', { title: { type: 'string' } }),
}

describe('sync during a roll-out of other types', () => {
  let older: TestServer
  let newer: TestServer | null
  let database = ''

  beforeEach(async () => {
    older = await open(OLDER)
    const server = await open(NEWER)
    newer = server
    for (const type of ['notes', 'pages', 'extras']) {
      expect((await server.post(`/api/${type}`, { title: type })).status).to.equal(201)
    }
    await server.settled()
    await older.settled()
  })

  afterEach(async () => {
    const { uri } = older
    await newer?.close()
    await older.close()
    const client = await MongoClient.connect(uri)
    await client.db(database).dropDatabase()
    await client.close()
    database = ''
  })

  async function open(contentTypes: Readonly<Record<string, object>>): Promise<TestServer> {
    const environment = database ? { MONGODB_DATABASE: database } : {}
    const server = await serve('older_release', { contentTypes, environment })
    database = server.database
    return server
  }

  function fromNewer(query: string): Promise<Answer> {
    if (newer === null) throw new Error('the newer server has stopped')
    return newer.get(`/api/_sync?${query}`)
  }

  async function newerToken(types: string): Promise<string> {
    const { status, text, body } = await fromNewer(`types=${types}`)
    expect(status, text).to.equal(200)
    return body.next
  }

  const ops = ({ body }: Answer): readonly string[] => body.items.map(({ op }: Json) => op)

  async function stopNewer(): Promise<void> {
    await newer?.close()
    newer = null
  }

  it('refuses the rows of a newer release, which sends no row again', async () => {
    const token = await newerToken('note')
    const refused = await older.get(`/api/_sync?token=${token}`)
    expect(refused.status, refused.text).to.equal(503)
    expect(refused.headers).to.include({ 'error-code': 'older_release', 'retry-after': '1' })
    expect(refused.body.error.name).to.equal('ServiceUnavailableError')
    const again = await fromNewer(`token=${token}`)
    expect(again.body.items).to.deep.equal([])
  })

  it('resets the rows of an older release once', async () => {
    const first = (await older.get('/api/_sync?types=note')).body.next
    const reset = await fromNewer(`token=${first}`)
    expect(ops(reset)).to.deep.equal(['reset', 'put'])
    expect((await older.get(`/api/_sync?token=${reset.body.next}`)).status).to.equal(503)
    expect((await older.get(`/api/_sync?token=${first}`)).body.items).to.deep.equal([])
  })

  it('keeps the rows of a token without ids of locales, and adds the ids', async () => {
    const token = readToken(await newerToken('page'))
    expect(token.localeIds).to.have.length(1)
    const { body } = await fromNewer(`token=${writeToken({ ...token, localeIds: [] })}`)
    expect(body).to.deep.equal({ items: [], next: writeToken(token), more: false })
  })

  it('serves types of the same shape in both releases', async () => {
    const token = await newerToken('page')
    await older.post('/api/pages', { title: 'second' })
    await older.settled()
    const { status, body, text } = await older.get(`/api/_sync?token=${token}`)
    expect(status, text).to.equal(200)
    expect(body.items.map(({ data }: Json) => data.title)).to.deep.equal(['second'])
  })

  it('refuses rows of a type that it does not know', async () => {
    const token = await newerToken('page,extra')
    for (const one of [token, await newerToken('extra')]) {
      const refused = await older.get(`/api/_sync?token=${one}`)
      expect(refused.headers['error-code'], refused.text).to.equal('older_release')
    }
    await stopNewer()
    await until(async () => (await older.get(`/api/_sync?token=${token}`)).status === 200, 30_000)
    expect(ops(await older.get(`/api/_sync?token=${token}`))).to.include('reset')
  })

  it('resets the rows after a roll-back, when no newer process is running', async () => {
    const token = await newerToken('note')
    await stopNewer()
    await until(async () => (await older.get(`/api/_sync?token=${token}`)).status === 200, 30_000)
    const back = await older.get(`/api/_sync?token=${token}`)
    expect(ops(back)).to.deep.equal(['reset', 'put'])
    expect((await older.get(`/api/_sync?token=${back.body.next}`)).body.items).to.deep.equal([])
  })

  it('stays the older one after a restart of its process', async () => {
    const token = await newerToken('note')
    const another = await open(OLDER)
    const refused = await another.get(`/api/_sync?token=${token}`)
    await another.close()
    expect(refused.headers['error-code'], refused.text).to.equal('older_release')
  })

  it('takes tokens of servers that know no releases', async () => {
    const { types, ...rest } = readToken(await newerToken('note'))
    const bare = types.map(({ release: _release, ...one }) => one)
    const token = writeToken({ ...rest, types: bare })
    expect(ops(await older.get(`/api/_sync?token=${token}`))).to.deep.equal(['reset', 'put'])
  })

  it('responds with 400 to a token with another release', async () => {
    const token = readToken(await newerToken('note'))
    const types = token.types.map((one) => ({ ...one, shape: 'x.!' }))
    const text = writeToken({ ...token, types: types.map(({ release: _no, ...one }) => one) })
    expect((await older.get(`/api/_sync?token=${text}`)).status).to.equal(400)
  })
})
