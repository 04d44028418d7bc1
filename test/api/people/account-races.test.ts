import { expect } from 'chai'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const ROUNDS = 6

describe('concurrent changes of accounts', () => {
  let server: TestServer

  before(async () => {
    server = await serve('account_races', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
      environment: { RATE_LIMIT: 'off' },
    })
  })

  after(() => server.close())

  const admin = (method: string, path: string, body?: object): Promise<Answer> =>
    server.send(method, path, body === undefined ? {} : { body })

  it('never creates a username that equals the email of another account', async () => {
    for (let n = 0; n < ROUNDS; n += 1) {
      const shared = `shared${n}@example.org`
      const accounts = [
        { username: shared, email: `one${n}@example.org`, password: 'secret1' },
        { username: `two${n}`, email: shared, password: 'secret2' },
      ]
      const register = (body: object): Promise<Answer> =>
        server.send('POST', '/api/auth/local/register', { body, token: null })
      const manage = (body: object): Promise<Answer> =>
        admin('POST', '/api/users', { ...body, role: 1 })
      const [first = register, second = register] = n % 2 === 0 ? [register] : [register, manage]
      const answers = await Promise.all([first(accounts[0] ?? {}), second(accounts[1] ?? {})])
      const made = answers.filter(({ status }) => status < 300)
      expect(made, answers.map(({ text }) => text).join()).to.have.length(1)
      for (const { status } of answers) expect(status).to.be.below(500)
    }
  })

  it('never assigns a role that is deleted at the same time', async () => {
    for (let n = 0; n < ROUNDS; n += 1) {
      const type = `role${n}`
      await admin('POST', '/admin/roles', { name: type, type })
      const role = (await admin('GET', `/admin/roles/${type}`)).body.data
      const user = { username: `user${n}`, email: `user${n}@example.org`, password: 'secret1' }
      const [made, removed] = await Promise.all([
        admin('POST', '/api/users', { ...user, role: role.id }),
        admin('DELETE', `/admin/roles/${type}`),
      ])
      for (const { status, text } of [made, removed]) expect(status, text).to.be.below(500)
      const isGone = (await admin('GET', `/admin/roles/${type}`)).status === 404
      expect(isGone, 'removed, or has its user').to.equal(made.status !== 201)
    }
  })
})

describe('deeply nested bodies', () => {
  let server: TestServer

  before(async () => {
    server = await serve('deep_bodies', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' }, data: { type: 'json' } }) },
      environment: { RATE_LIMIT: 'off' },
    })
  })

  after(() => server.close())

  it('responds with 400 on every route, with and without an Idempotency-Key', async () => {
    const nested = (levels: number, [open, close]: readonly [string, string]): string =>
      `${open.repeat(levels)}1${close.repeat(levels)}`
    const { documentId } = (await server.post('/api/tags', { name: 'a' })).body.data
    const routes = [
      ['POST', '/api/tags'],
      ['PUT', `/api/tags/${documentId}`],
      ['POST', '/api/users'],
      ['POST', '/api/auth/local'],
      ['POST', '/api/auth/local/register'],
      ['POST', '/admin/roles'],
      ['POST', '/admin/api-tokens'],
    ] as const
    for (const levels of [51, 600, 5_000, 60_000]) {
      for (const value of [nested(levels, ['[', ']']), nested(levels, ['{"a":', '}'])]) {
        const body = `{"data":{"name":"a","data":${value}},"name":${value}}`
        const key = { 'idempotency-key': `"k${levels}${value.length}"` }
        const asked = routes.flatMap((route) => [{}, key].map((more) => [...route, more] as const))
        for (const [method, target, more] of asked) {
          const headers = { 'content-type': 'application/json', ...more }
          const { status, text } = await server.send(method, target, { headers, body })
          expect(status, `${method} ${target} ${levels} ${text.slice(0, 200)}`).to.equal(400)
        }
      }
    }
    expect(server.takeLog()).to.deep.equal([])
  })
})
