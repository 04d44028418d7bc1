import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const USER = 'plugin::users-permissions.user'

describe('attacks on content, users and roles', () => {
  let server: TestServer
  before(async () => {
    server = await serve('attacks', {
      contentTypes: {
        'components/shared/part': { attributes: { name: { type: 'string' } } },
        note: declare('note', {
          title: { type: 'string' },
          body: { type: 'text' },
          parts: { type: 'component', component: 'shared.part', repeatable: true },
          self: {
            type: 'relation',
            relation: 'manyToMany',
            target: 'api::note.note',
          },
        }),
      },
      environment: { RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
    })
  })
  after(() => server.close())

  const admin = async (method: string, path: string, body?: object): Promise<Json> => {
    const { status, body: answered } = await server.send(method, path, { ...(body && { body }) })
    expect(status, JSON.stringify(answered)).to.be.oneOf([200, 201])
    return answered
  }

  it('limits a filter to 50 relations', async () => {
    const chain = '[self]'.repeat(10)
    const ask = (branches: number): string =>
      Array.from(
        { length: branches },
        (_, index) => `filters[$or][${index}]${chain}[title]=x`,
      ).join('&')
    expect((await server.get(`/api/notes?${ask(5)}`)).status).to.equal(200)
    const { status, body } = await server.get(`/api/notes?${ask(6)}`)
    expect(status).to.equal(400)
    expect(body.error.message).to.match(/\[self\].*more than 50 relations/)
  })

  it('limits a list of components to 5,000', async () => {
    for (const part of [1, { name: 'x' }]) {
      const parts = Array.from({ length: 5_001 }, () => part)
      const { status, body, text } = await server.post('/api/notes', { title: 'x', parts })
      expect(status).to.equal(400)
      expect(body.error.message).to.equal('parts holds more than 5000 components')
      expect(text.length).to.be.below(1_000)
    }
  })

  it('responds with 400 to an invalid brotli body', async () => {
    const { status, body } = await server.send('POST', '/api/notes', {
      body: 'xxxxxxxx',
      headers: { 'content-encoding': 'br' },
    })
    expect([status, body.error.status]).to.deep.equal([400, 400])
  })

  it('computes a response again if it is too large to be stored with its Idempotency-Key', async () => {
    const large = await server.post('/api/notes', { body: 'y'.repeat(300_000) })
    const self = [large.body.data.documentId]
    await server.put(`/api/notes/${self[0]}`, { self })
    const deep = Array.from({ length: 15 }, () => 'self').join('.')
    const headers = { 'idempotency-key': 'k' }
    const send = () =>
      server.post(`/api/notes?populate=${deep}`, { title: 'once', self }, { headers })
    const first = await send()
    expect(first.status).to.equal(201)
    expect(first.text.length).to.be.above(4_000_000)
    const again = await send()
    expect([again.status, again.text === first.text]).to.deep.equal([201, true])
  })

  describe('a token that manages users', () => {
    let token: string
    let strong: number
    let weak: number

    before(async () => {
      const role = async (type: string, permissions: readonly string[]): Promise<number> =>
        (await admin('POST', '/admin/roles', { name: type, type, permissions })).data.id
      strong = await role('strong', ['api::note.note.delete', `${USER}.me`])
      weak = await role('weak', [`${USER}.update`, `${USER}.destroy`, `${USER}.me`])
      const permissions = [`${USER}.create`, `${USER}.update`, `${USER}.destroy`]
      const body = { name: 'of users', type: 'custom', permissions }
      token = (await admin('POST', '/admin/api-tokens', body)).data.accessKey
    })

    const user = (name: string, role: number) => ({
      username: name,
      email: `${name}@example.org`,
      password: 'correct horse',
      confirmed: true,
      role,
    })

    it('cannot assign a role with more permissions', async () => {
      const refused = await server.send('POST', '/api/users', { body: user('mal', strong), token })
      expect(refused.status).to.equal(403)
      const { status, body } = await server.send('POST', '/api/users', {
        body: user('eve', weak),
        token,
      })
      expect(status).to.equal(201)
      const raised = await server.send('PUT', `/api/users/${body.id}`, {
        body: { role: strong },
        token,
      })
      expect(raised.status).to.equal(403)
    })

    it('cannot change an account with more permissions', async () => {
      const { id } = await admin('POST', '/api/users', user('boss', strong))
      for (const change of [
        { password: 'another horse' },
        { email: 'eve@example.org' },
        { blocked: true },
      ]) {
        const { status } = await server.send('PUT', `/api/users/${id}`, { body: change, token })
        expect(status, JSON.stringify(change)).to.equal(403)
      }
      const body = { identifier: 'boss', password: 'correct horse' }
      expect((await server.send('POST', '/api/auth/local', { body })).status).to.equal(200)
    })

    it('deletes an account with equal permissions, but none with more', async () => {
      const { id: chief } = await admin('POST', '/api/users', user('chief', strong))
      expect((await server.delete(`/api/users/${chief}`, { token })).status).to.equal(403)
      expect((await server.get(`/api/users/${chief}`)).status).to.equal(200)
      const { id: equal } = await admin('POST', '/api/users', user('equal', weak))
      expect((await server.delete(`/api/users/${equal}`, { token })).status).to.equal(200)
      expect((await server.get(`/api/users/${equal}`)).status).to.equal(404)
    })

    it('cannot delete a role with more permissions', async () => {
      const name = 'remover of roles'
      const permissions = ['plugin::users-permissions.role.deleteRole', `${USER}.me`]
      const { accessKey } = (
        await admin('POST', '/admin/api-tokens', { name, type: 'custom', permissions })
      ).data
      const remove = async (id: number): Promise<number> =>
        (await server.delete(`/api/users-permissions/roles/${id}`, { token: accessKey })).status
      expect(await remove(strong)).to.equal(403)
      const small = { name: 'small', type: 'small', permissions: [`${USER}.me`] }
      expect(await remove((await admin('POST', '/admin/roles', small)).data.id)).to.equal(200)
    })

    it('changes accounts with equal permissions, and itself except for its role', async () => {
      const { id } = await admin('POST', '/api/users', user('adam', weak))
      const body = { username: 'adam II' }
      expect((await server.send('PUT', `/api/users/${id}`, { body, token })).status).to.equal(200)
      const signIn = { identifier: 'adam II', password: 'correct horse' }
      const { jwt } = await admin('POST', '/api/auth/local', signIn)
      const self = await server.send('PUT', `/api/users/${id}`, {
        body: { role: strong },
        token: jwt,
      })
      expect(self.status).to.equal(403)
      const own = await server.send('PUT', `/api/users/${id}`, {
        body: { username: 'adam' },
        token: jwt,
      })
      expect(own.status).to.equal(200)
    })
  })
})
