import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { startTokenIssuer, type TokenIssuer } from '../../support/token-issuer.ts'
import { until } from '../../support/until.ts'

const PAGE = 'https://app.example.org/done'
const AUTH = 'plugin::users-permissions.auth'
const toUser = (relation: string, onUserDelete: string) => ({
  type: 'relation',
  relation,
  target: 'plugin::users-permissions.user',
  onUserDelete,
})
const CONTENT_TYPES = {
  note: declare(
    'note',
    { text: { type: 'string' }, owner: toUser('manyToOne', 'delete') },
    { draftAndPublish: true },
  ),
  profile: declare('profile', { text: { type: 'string' }, user: toUser('oneToOne', 'delete') }),
  team: declare('team', { text: { type: 'string' }, members: toUser('manyToMany', 'anonymize') }),
}

/** `close` compares each response with the description of the API. */
describe('content of anonymous users', () => {
  let issuer: TokenIssuer
  let server: TestServer

  before(async () => {
    issuer = await startTokenIssuer()
    server = await serve('anonymous_content', {
      contentTypes: CONTENT_TYPES,
      environment: {
        RATE_LIMIT: 'off',
        ANONYMOUS_USERS: 'on',
        ANONYMOUS_MAX_PER_NETWORK: '1000',
        OIDC_ALLOW_HTTP: 'on',
        PUBLIC_URL: 'https://cms.example.org',
        SIGN_IN_ACME_ISSUER: issuer.issuer,
        SIGN_IN_ACME_CLIENT_IDS: 'app',
        SIGN_IN_ACME_REDIRECTS: PAGE,
      },
    })
    const permissions = [
      'plugin::users-permissions.user.me',
      'plugin::users-permissions.user.find', // relations need the right to find their targets
      ...['connect', 'register', 'changePassword', 'callback'].map((verb) => `${AUTH}.${verb}`),
      ...['note', 'profile', 'team'].flatMap((name) => {
        return ['create', 'find', 'update'].map((verb) => `api::${name}.${name}.${verb}`)
      }),
    ]
    const answer = await server.send('PUT', '/admin/roles/anonymous-user', {
      body: { permissions },
    })
    expect(answer.status, answer.text).to.equal(200)
  })
  after(async () => {
    await issuer.close()
    await server.close()
  })

  const as = (jwt: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    server.send(method, path, {
      token: null,
      headers: { authorization: `Bearer ${jwt}` },
      ...(body !== undefined && { body }),
    })
  const enter = async (): Promise<{ jwt: string; id: string }> => {
    const { status, text, body } = await server.send('POST', '/api/auth/anonymous', {
      token: null,
      body: {},
    })
    expect(status, text).to.equal(200)
    return { jwt: body.jwt, id: body.user.documentId }
  }
  const create = async (jwt: string, plural: string, data: object): Promise<string> => {
    const answer = await as(jwt, 'POST', `/api/${plural}`, { data })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const isStored = async (documentId: string): Promise<boolean> =>
    (await server.get(`/api/users?filters[documentId]=${documentId}`)).body.length === 1
  const token = async (subject: string): Promise<string> => {
    const claims = { aud: 'app', sub: subject, email: `${subject}@example.org` }
    return issuer.sign({ ...claims, email_verified: true }, new Date())
  }
  const connect = async (jwt: string | null, subject: string, more = {}): Promise<Answer> =>
    server.send('POST', '/api/auth/acme/token', {
      token: null,
      headers: jwt === null ? {} : { authorization: `Bearer ${jwt}` },
      body: { idToken: await token(subject), ...more },
    })
  const ownerOf = async (note: string): Promise<Json> =>
    (await server.get(`/api/notes/${note}?status=draft&populate=owner`)).body.data.owner

  it('stores the user with the first permitted write, which may name the user', async () => {
    const { jwt, id } = await enter()
    expect((await as(jwt, 'GET', '/api/notes')).status).to.equal(200)
    expect((await as(jwt, 'DELETE', '/api/notes/k3v0123456789012345678ab')).status).to.equal(403)
    expect(await isStored(id)).to.equal(false)
    const note = await create(jwt, 'notes', { text: 'a', owner: id })
    expect(await isStored(id)).to.equal(true)
    expect((await ownerOf(note)).documentId).to.equal(id)
  })

  it('stores one user for concurrent first writes', async () => {
    const { jwt, id } = await enter()
    const notes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => create(jwt, 'notes', { text: `${n}`, owner: id })),
    )
    expect(new Set(notes).size).to.equal(8)
    expect(await isStored(id)).to.equal(true)
  })

  it('stores the user before lines of a bulk request', async () => {
    const { jwt, id } = await enter()
    const line = { op: 'upsert', type: 'team', documentId: 'k3v0123456789012345678cd' }
    const answer = await server.send('POST', '/api/_bulk', {
      token: null,
      headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ ...line, data: { text: 'x', members: [id] } }),
    })
    expect(answer.text).to.include('"created"')
    expect(await isStored(id)).to.equal(true)
  })

  it('stays with a user that links a new identity', async () => {
    const { jwt, id } = await enter()
    const note = await create(jwt, 'notes', { text: 'a', owner: id })
    const { status, text, body } = await connect(jwt, 'new')
    expect(status, text).to.equal(200)
    expect(body.user).to.include({ documentId: id, provider: 'acme', email: 'new@example.org' })
    expect((await ownerOf(note)).documentId).to.equal(id)
    const again = await connect(null, 'new')
    expect(again.body.user.documentId).to.equal(id)
  })

  it('refuses an identity or an address of another account', async () => {
    const owner = await connect(null, 'known')
    expect(owner.status, owner.text).to.equal(200)
    const { jwt, id } = await enter()
    const used = await connect(jwt, 'known')
    expect([used.status, used.headers['error-code']]).to.deep.equal([409, 'identity_in_use'])
    const other = await server.send('POST', '/api/auth/acme/token', {
      token: null,
      headers: { authorization: `Bearer ${jwt}` },
      body: {
        idToken: await issuer.sign(
          { aud: 'app', sub: 'stranger', email: 'known@example.org', email_verified: true },
          new Date(),
        ),
      },
    })
    expect([other.status, other.headers['error-code']]).to.deep.equal([409, 'email_in_use'])
    expect((await as(jwt, 'GET', '/api/users/me')).body.documentId).to.equal(id)
    const link = await as(jwt, 'POST', '/api/auth/acme/link', { idToken: await token('third') })
    expect(link.status).to.equal(403)
  })

  it('moves to the account of the identity with merge', async () => {
    const account = (await connect(null, 'merged')).body
    const owner = account.user.documentId
    const own = (await server.post('/api/profiles', { text: 'own', user: owner })).body.data
    const { jwt, id } = await enter()
    const notes = []
    for (let n = 0; n < 3; n += 1) {
      notes.push(await create(jwt, 'notes', { text: `${n}`, owner: id }))
    }
    await server.send('POST', `/api/notes/${notes[0]}/actions/publish`, { body: {} })
    const profile = await create(jwt, 'profiles', { text: 'of the anonymous user', user: id })
    const team = await create(jwt, 'teams', { text: 't', members: [id, owner] })
    const { status, text, body } = await connect(jwt, 'merged', { merge: true })
    expect(status, text).to.equal(200)
    expect(body.user.documentId).to.equal(owner)
    expect((await as(jwt, 'GET', '/api/users/me')).status).to.equal(401)
    await until(async () => !(await isStored(id)), 20_000)
    for (const note of notes) expect((await ownerOf(note)).documentId).to.equal(owner)
    const published = await server.get(`/api/notes/${notes[0]}?populate=owner`)
    expect(published.body.data.owner.documentId).to.equal(owner)
    const members = (await server.get(`/api/teams/${team}?populate=members`)).body.data.members
    expect(members.map((one: Json) => one.documentId)).to.deep.equal([owner])
    await until(async () => (await server.get(`/api/profiles/${profile}`)).status === 404, 20_000)
    const kept = (await server.get(`/api/profiles/${own.documentId}?populate=user`)).body.data
    expect(kept.user.documentId).to.equal(owner)
    expect((await connect(jwt, 'merged', { merge: true })).status).to.equal(401)
  })
})
