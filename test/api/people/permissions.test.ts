import { expect } from 'chai'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

describe('permissions over HTTP', () => {
  let server: TestServer
  let documentId: string
  const tokens: Record<string, string> = {}

  before(async () => {
    server = await serve('permissions', {
      contentTypes: {
        note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
        tag: declare('tag', { name: { type: 'string' } }),
      },
      permitted: ['api::tag.tag.find'],
    })
    documentId = (await server.post('/api/notes', { text: 'a' })).body.data.documentId
    for (const [type, permissions] of [
      ['read-only', undefined],
      ['full-access', undefined],
      ['custom', ['api::note.note.find', 'api::note.note.create']],
    ] as const) {
      const body: Json = { name: type, type, ...(permissions && { permissions }) }
      const answer = await server.send('POST', '/admin/api-tokens', { body })
      expect(answer.status, answer.text).to.equal(201)
      tokens[type] = answer.body.data.accessKey
    }
  })

  after(() => server.close())

  const list = '/api/notes'
  const one = (): string => `/api/notes/${documentId}`
  const rows: readonly (readonly [string, string, () => string, number])[] = [
    ['nobody', 'GET', () => list, 403],
    ['nobody', 'GET', one, 403],
    ['nobody', 'POST', () => list, 403],
    ['nobody', 'PUT', one, 403],
    ['nobody', 'DELETE', one, 403],
    ['nobody', 'GET', () => '/api/tags', 200],
    ['nobody', 'GET', () => '/api/tags/x', 403],
    ['read-only', 'GET', () => list, 200],
    ['read-only', 'GET', one, 200],
    ['read-only', 'GET', () => `${list}?status=draft`, 200],
    ['read-only', 'POST', () => list, 403],
    ['read-only', 'PUT', one, 403],
    ['read-only', 'DELETE', one, 403],
    ['custom', 'GET', () => list, 200],
    ['custom', 'GET', one, 403],
    ['custom', 'GET', () => `${list}?status=draft`, 403],
    ['custom', 'POST', () => `${list}?status=draft`, 201],
    ['custom', 'DELETE', one, 403],
    ['custom', 'GET', () => '/api/tags', 403],
    ['full-access', 'GET', one, 200],
    ['full-access', 'PUT', one, 200],
    ['full-access', 'POST', () => list, 201],
  ]
  for (const [caller, method, path, status] of rows) {
    it(`responds with ${status} to ${method} ${path()} of ${caller}`, async () => {
      const answer = await server.send(method, path(), {
        token: tokens[caller] ?? null,
        ...(method !== 'GET' && method !== 'DELETE' && { body: { data: { text: 'b' } } }),
      })
      expect(answer.status, answer.text).to.equal(status)
      if (status === 403) {
        const { message, ...rest } = answer.body.error
        expect(rest).to.deep.equal({ status: 403, name: 'ForbiddenError', details: {} })
        // API tokens learn the missing action, other callers do not.
        const isTold = caller !== 'nobody'
        expect(message).to.match(isTold ? /^Forbidden: \S+ is not permitted$/ : /^Forbidden$/)
      }
    })
  }

  it('gives the same response for existing and unknown entries', async () => {
    const there = await server.get(one(), { token: null })
    const missing = await server.get('/api/notes/x', { token: null })
    expect(missing.text).to.equal(there.text)
  })

  it('checks permissions before the query and the data', async () => {
    const query = await server.get('/api/notes?filters[nope]=1', { token: null })
    const data = await server.post('/api/notes', { nope: 1 }, { token: null })
    expect([query.status, data.status]).to.deep.equal([403, 403])
  })

  it('parses the body before it checks permissions', async () => {
    const answer = await server.send('POST', list, { token: null, body: '{"data":' })
    expect([answer.status, answer.body.error.name]).to.deep.equal([400, 'SyntaxError'])
  })

  it('responds with 401 to an unknown token, even on public routes', async () => {
    for (const path of [list, '/api/tags', one()]) {
      const answer = await server.get(path, { token: 'f'.repeat(256) })
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        401,
        'Missing or invalid credentials',
      ])
    }
  })

  for (const authorization of ['Bearer', 'Basic eA==', 'deadbeef', 'Token x', 'Bearer a b', '']) {
    it(`treats the header "${authorization}" as anonymous`, async () => {
      const answer = (path: string): Promise<{ readonly status: number }> =>
        server.get(path, { token: null, headers: { authorization } })
      expect((await answer('/api/tags')).status).to.equal(200)
      expect((await answer(list)).status).to.equal(403)
    })
  }

  it('accepts the scheme in any case, and no token in the query', async () => {
    const headers = { authorization: `bEARER   ${ROOT_TOKEN}` }
    expect((await server.get(list, { token: null, headers })).status).to.equal(200)
    const inQuery = `${list}?access_token=${ROOT_TOKEN}&token=${ROOT_TOKEN}`
    expect((await server.get(inQuery, { token: null })).status).to.equal(403)
  })
})
