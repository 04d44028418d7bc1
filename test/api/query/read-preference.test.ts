import { expect } from 'chai'
import type { ObservedCommand } from '../../../src/base/observed.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const FULL = { name: 'full', type: 'full-access' }

/** The read preference of a command that allows stale members, otherwise null. */
function preferenceOf({ command }: ObservedCommand): Json {
  const said = command['$readPreference'] as Json
  return said?.maxStalenessSeconds === undefined ? null : said.mode
}

/** `bulkWrite` names collections in `nsInfo`. */
function isOfNotes({ command, name }: ObservedCommand): boolean {
  if (name !== 'bulkWrite') return command[name] === 'note_versions'
  return (command['nsInfo'] as Json).some(({ ns }: Json) => ns.endsWith('.note_versions'))
}

describe('the read preference of a token', () => {
  let server: TestServer
  const seen: ObservedCommand[] = []

  before(async () => {
    const relation = { type: 'relation', relation: 'oneToMany', target: 'api::note.note' }
    server = await serve('token_reads', {
      environment: { CACHE_BYTES: '0' }, // without a cache, so that every read reaches the database
      contentTypes: {
        note: declare('note', { text: { type: 'string', unique: true }, others: relation }),
      },
    })
    server.onCommand((command) => seen.push(command))
  })
  after(async () => server.close())

  const makeToken = async (body: object): Promise<Json> => {
    const answer = await server.send('POST', '/admin/api-tokens', { body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  /** The commands of one request on content, with the read preference of each. */
  const commandsOf = async (token: string, method: string, path: string, body?: object) => {
    await server.get('/api/notes?pagination[limit]=1', { token }) // caches the token and records its use
    seen.length = 0
    const answer = await server.send(method, path, { token, body })
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 204])
    const ofNotes = seen.filter(isOfNotes)
    const others = seen.filter((one) => !ofNotes.includes(one))
    return { answer, ofNotes, others }
  }

  it('applies to all reads of content and to no other command', async () => {
    const { data: target } = (await server.post('/api/notes', { text: 'target' })).body
    const { data: note } = (
      await server.post('/api/notes', { text: 'a', others: [target.documentId] })
    ).body
    const { accessKey } = await makeToken({ ...FULL, readPreference: 'secondaryPreferred' })
    const filter = 'filters[others][text]=target&populate=others&pagination[withCount]=true'
    for (const path of [`/api/notes?${filter}`, `/api/notes/${note.documentId}?populate=others`]) {
      const { ofNotes, others } = await commandsOf(accessKey, 'GET', path)
      expect(ofNotes.length, path).to.be.at.least(2)
      expect(new Set(ofNotes.map(preferenceOf)), path).to.deep.equal(
        new Set(['secondaryPreferred']),
      )
      expect(
        others.map(preferenceOf).filter((mode) => mode !== null),
        path,
      ).to.deep.equal([])
    }
  })

  it('does not apply to reads before, in and after a write', async () => {
    const { accessKey } = await makeToken({ ...FULL, name: 'writes', readPreference: 'nearest' })
    const made = await commandsOf(accessKey, 'POST', '/api/notes?populate=others', {
      data: { text: 'b', others: [] },
    })
    const path = `/api/notes/${made.answer.body.data.documentId}`
    const put = await commandsOf(accessKey, 'PUT', `${path}?populate=others`, {
      data: { text: 'c', others: [made.answer.body.data.documentId] },
    })
    const deleted = await commandsOf(accessKey, 'DELETE', path)
    for (const { ofNotes, others } of [made, put, deleted]) {
      expect(ofNotes).to.not.be.empty
      expect(
        [...ofNotes, ...others].map(preferenceOf).filter((mode) => mode !== null),
      ).to.deep.equal([])
    }
  })

  it('is shown, changed and removed, and applies within a second', async () => {
    const token = await makeToken({ name: 'shown', type: 'read-only' })
    expect(token.readPreference).to.equal(null)
    const path = `/admin/api-tokens/${token.id}`
    for (const readPreference of ['primaryPreferred', 'primary', 'nearest', null]) {
      const changed = await server.send('PUT', path, { body: { readPreference } })
      expect(changed.body.data).to.deep.include({ readPreference, name: 'shown' })
      const kept = await server.send('PUT', path, { body: { description: String(readPreference) } })
      expect(kept.body.data.readPreference).to.equal(readPreference)
      const { ofNotes } = await commandsOf(token.accessKey, 'GET', '/api/notes')
      const expected = readPreference === 'primary' ? null : readPreference
      expect(new Set(ofNotes.map(preferenceOf))).to.deep.equal(new Set([expected]))
    }
    const { body } = await server.get('/admin/api-tokens')
    expect(body.data.map((one: Json) => one.readPreference)).to.include.members([null, 'nearest'])
  })

  it('must be a mode of MongoDB', async () => {
    for (const readPreference of ['Primary', 'secondary-preferred', '', 1, ['nearest'], {}]) {
      const body = { name: 'odd', type: 'read-only', readPreference }
      const answer = await server.send('POST', '/admin/api-tokens', { body })
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.error.details.errors[0].path).to.deep.equal(['readPreference'])
    }
  })
})
