import { expect } from 'chai'
import { MongoClient, type Db } from 'mongodb'
import {
  USER_CONTENT,
  type UserContentRow,
} from '../../../src/content/deleted-users/user-content-rows.ts'
import { newDocumentId } from '../../../src/mongo/versions/document-id.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const USER = 'plugin::users-permissions.user'
const AUTHENTICATED = 'authenticated'

const toUser = (onUserDelete: string | null, relation = 'manyToOne') => ({
  type: 'relation',
  relation,
  target: USER,
  ...(onUserDelete !== null && { onUserDelete }),
})

const CONTENT_TYPES = {
  note: declare(
    'note',
    { text: { type: 'string' }, owner: toUser('delete'), editor: toUser('anonymize') },
    { draftAndPublish: true },
  ),
  remark: declare(
    'remark',
    { text: { type: 'string' }, author: toUser('anonymize') },
    { history: true },
  ),
  like: declare('like', { text: { type: 'string' }, fan: toUser(null) }),
  team: declare('team', {
    name: { type: 'string' },
    members: toUser('anonymize', 'manyToMany'),
  }),
}

interface SignedIn {
  readonly jwt: string
  readonly id: number
  readonly documentId: string
}

describe('DELETE /api/users/me', () => {
  let server: TestServer
  let client: MongoClient
  let db: Db

  before(async () => {
    server = await serve('delete_account', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    client = await new MongoClient(server.uri).connect()
    db = client.db(server.database)
    const role = (await server.get(`/admin/roles/${AUTHENTICATED}`)).body.data
    const permissions = [...role.permissions, 'api::note.note.create', 'api::note.note.find']
    await ok('PUT', `/admin/roles/${AUTHENTICATED}`, { permissions })
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const work = () => db.collection<UserContentRow>(USER_CONTENT)
  const ok = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const { status, text, body: answer } = await server.send(method, path, body ? { body } : {})
    expect(status, `${method} ${path} ${text}`).to.be.below(300)
    return answer
  }
  const register = async (name: string): Promise<SignedIn> => {
    const body = { username: name, email: `${name}@example.org`, password: 'secret of all' }
    const answer = await server.send('POST', '/api/auth/local/register', { body, token: null })
    expect(answer.status, answer.text).to.equal(200)
    const { jwt, user } = answer.body
    return { jwt, id: user.id, documentId: user.documentId }
  }
  const as = (jwt: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    server.send(method, path, {
      token: null,
      headers: { authorization: `Bearer ${jwt}` },
      ...(body !== undefined && { body }),
    })
  /** All content of the user is processed; only the second pass is pending. */
  const processed = (documentId: string): Promise<void> =>
    until(async () => {
      const row = await work().findOne({ _id: documentId })
      return row !== null && row.dueAt > new Date(Date.now() + 60_000) && row.lease === null
    }, 20_000)
  /** Every row of the database, apart from the work itself, the audit and the names of the process. */
  const rowsNaming = async (documentId: string): Promise<readonly string[]> => {
    const found: string[] = []
    for (const { name } of await db.listCollections().toArray()) {
      if (name === USER_CONTENT) continue
      for (const { by: _by, ...row } of await db.collection(name).find().toArray()) {
        const isAudit = name === 'quire_commits' && row['versions'] === undefined
        if (!isAudit && JSON.stringify(row).includes(documentId))
          found.push(`${name} ${String(row._id)}`)
      }
    }
    return found
  }
  const create = async (plural: string, data: object, query = ''): Promise<string> =>
    (await ok('POST', `/api/${plural}${query}`, { data })).data.documentId

  it('deletes, anonymizes and keeps content as declared', async () => {
    const gone = await register('gone')
    const other = await register('other')
    const notes = []
    for (let n = 0; n < 3; n += 1) {
      const data = { text: `note ${n}`, owner: gone.documentId }
      notes.push(await create('notes', data, n === 0 ? '?status=published' : ''))
    }
    const edited = await create('notes', {
      text: 'of other',
      owner: other.documentId,
      editor: gone.documentId,
    })
    const handed = await create('notes', { text: 'handed on', owner: gone.documentId })
    await ok('PUT', `/api/notes/${handed}`, { data: { owner: other.documentId } })
    const trashed = await create('notes', { text: 'in the trash', owner: gone.documentId })
    await ok('DELETE', `/api/notes/${trashed}`)
    const remark = await create('remarks', { text: 'a', author: gone.documentId })
    const removed = await create('remarks', { text: 'b', author: gone.documentId })
    await ok('DELETE', `/api/remarks/${removed}`)
    const like = await create('likes', { text: 'c', fan: gone.documentId })
    const members = [other.documentId, gone.documentId]
    const team = await create('teams', { name: 'd', members })

    const answer = await as(gone.jwt, 'DELETE', '/api/users/me')
    expect([answer.status, answer.text]).to.deep.equal([204, ''])
    expect((await as(gone.jwt, 'GET', '/api/users/me')).status).to.equal(401)
    await processed(gone.documentId)

    for (const id of notes) {
      expect((await server.get(`/api/notes/${id}?status=draft`)).status).to.equal(404)
      expect((await server.get(`/admin/history/api::note.note/${id}`)).body.data).to.deep.equal([])
    }
    const left = await ok('GET', `/api/notes/${edited}?status=draft&populate=*`)
    expect(left.data).to.include({ text: 'of other', editor: null })
    expect(left.data.owner.documentId).to.equal(other.documentId)
    const kept = await ok('GET', `/api/notes/${handed}?status=draft&populate=*`)
    expect(kept.data.owner.documentId).to.equal(other.documentId)
    const said = await ok('GET', `/api/remarks/${remark}?populate=*`)
    expect(said.data).to.include({ text: 'a', author: null })
    expect((await ok('GET', `/api/teams/${team}?populate=*`)).data.members).to.have.length(1)
    const trash = (await ok('GET', '/admin/trash')).data
    const inTrash = trash.map((one: Json) => one.documentId)
    expect(inTrash).to.include(removed)
    expect(inTrash).not.to.include(trashed)
    expect(inTrash).not.to.include.members(notes)
    await ok('POST', `/admin/trash/api::remark.remark/${removed}/restore`, {})
    const restored = await ok('GET', `/api/remarks/${removed}?populate=*`)
    expect(restored.data).to.include({ text: 'b', author: null })
    expect((await ok('GET', `/api/likes/${like}`)).data.text).to.equal('c')
    const rows = await rowsNaming(gone.documentId)
    expect(rows.map((row) => row.split(' ')[0])).to.deep.equal(['like_versions'])
    const past = (await ok('GET', `/admin/history/api::remark.remark/${remark}`)).data
    expect(past).to.have.length(2)
  })

  it('shows the deletions in the audit as work of the user', async () => {
    const gone = await register('audited')
    const note = await create('notes', { text: 'x', owner: gone.documentId })
    await as(gone.jwt, 'DELETE', '/api/users/me')
    await processed(gone.documentId)
    await server.settled()
    const { data } = await ok('GET', '/admin/audit?pagination[pageSize]=100')
    const deletion = data.find((row: Json) =>
      row.items?.some((item: Json) => item.documentId === note && item.op === 'delete'),
    )
    expect(deletion?.by ?? data.find((row: Json) => row.documentId === note)?.by).to.deep.equal({
      kind: 'user',
      id: gone.documentId,
      name: null,
    })
  })

  it('takes the same path if somebody else deletes the user', async () => {
    const gone = await register('removed')
    const note = await create('notes', { text: 'x', owner: gone.documentId })
    await ok('DELETE', `/api/users/${gone.id}`)
    await processed(gone.documentId)
    expect((await server.get(`/api/notes/${note}?status=draft`)).status).to.equal(404)
    expect(await rowsNaming(gone.documentId)).to.deep.equal([])
  })

  it('deletes more documents than one transaction takes', async () => {
    const gone = await register('busy')
    const lines = Array.from({ length: 230 }, (_, n) =>
      JSON.stringify({
        op: 'upsert',
        type: 'remark',
        documentId: newDocumentId(),
        data: { text: `${n}`, author: gone.documentId },
      }),
    )
    const more = Array.from({ length: 230 }, (_, n) =>
      JSON.stringify({
        op: 'upsert',
        type: 'note',
        documentId: newDocumentId(),
        data: { text: `${n}`, owner: gone.documentId },
      }),
    )
    const sent = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: [...lines, ...more].join('\n'),
    })
    expect(sent.status, sent.text.slice(0, 300)).to.equal(200)
    const before = await db.collection('note_versions').countDocuments({})
    await as(gone.jwt, 'DELETE', '/api/users/me')
    await processed(gone.documentId)
    expect(await db.collection('note_versions').countDocuments({})).to.equal(before - 460)
    expect(await rowsNaming(gone.documentId)).to.deep.equal([])
  })

  it('finds content that a request of the user stored late', async () => {
    const gone = await register('late')
    const note = await create('notes', { text: 'x' })
    await as(gone.jwt, 'DELETE', '/api/users/me')
    await processed(gone.documentId)
    const [stored] = await db.collection('note_versions').find({ documentId: note }).toArray()
    expect(stored).not.to.equal(undefined)
    await db
      .collection('note_versions')
      .updateMany({ documentId: note }, { $set: { [ownerIn(stored ?? {})]: gone.documentId } })
    const rows = work()
    const first = { dueAt: new Date(0), createdAt: new Date(0) }
    await rows.updateOne({ _id: gone.documentId }, { $set: first })
    await until(async () => (await rows.findOne({ _id: gone.documentId })) === null, 20_000)
    expect((await server.get(`/api/notes/${note}?status=draft`)).status).to.equal(404)
  })

  /** Tests store attributes under other names. */
  const ownerIn = (row: object): string =>
    Object.keys(row).find((name) => name.startsWith('owner')) ?? 'owner'

  it('answers one of two concurrent requests, and 401 to the other one or a second 204', async () => {
    const gone = await register('twice')
    const answers = await Promise.all([
      as(gone.jwt, 'DELETE', '/api/users/me'),
      as(gone.jwt, 'DELETE', '/api/users/me'),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses).to.include(204)
    expect(statuses.filter((status) => status !== 204 && status !== 401)).to.deep.equal([])
    const rows = work()
    expect(await rows.countDocuments({ _id: gone.documentId })).to.equal(1)
  })

  it('refuses everybody but a signed-in user', async () => {
    expect((await server.send('DELETE', '/api/users/me', { token: null })).status).to.equal(403)
    expect((await server.delete('/api/users/me')).status).to.equal(401)
    const { jwt } = await register('stays')
    expect((await as(`${jwt}x`, 'DELETE', '/api/users/me')).status).to.equal(401)
    expect((await as(jwt, 'GET', '/api/users/me')).status).to.equal(200)
  })
})
