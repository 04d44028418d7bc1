import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { filesIn, MULTIPART, multipart } from '../../support/uploads.ts'

const NDJSON = { 'Content-Type': 'application/x-ndjson' }
const CREATE = 'api::note.note.create'
const UPLOAD = 'plugin::upload.content-api.upload'

describe('a long request that loses its permissions', () => {
  let server: TestServer
  before(async () => {
    server = await serve('revoked_requests', {
      contentTypes: {
        note: declare('note', { text: { type: 'string', unique: true } }),
        page: declare('page', { text: { type: 'string', unique: true } }),
      },
      environment: { RATE_LIMIT: 'off', TRUST_PROXY: '1' },
    })
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await server.send(method, target, { body })
    expect(answer.status, answer.text).to.be.within(200, 204)
    return answer.body
  }

  const addToken = async (permissions: readonly string[]): Promise<Json> =>
    (
      await ok('POST', '/admin/api-tokens', {
        name: String(Math.random()),
        type: 'custom',
        permissions,
      })
    ).data

  const roleOf = async (type: string): Promise<Json> =>
    (await ok('GET', '/api/users-permissions/roles')).roles.find((role: Json) => role.type === type)

  /** Creates an end user with permission to create notes. */
  const addUser = async (username: string): Promise<Json> => {
    await ok('PUT', '/admin/roles/authenticated', { permissions: [CREATE, ...PASSWORD_CHANGE] })
    const body = { username, email: `${username}@example.org`, password: `secret of ${username}` }
    return ok('POST', '/api/auth/local/register', body)
  }
  const PASSWORD_CHANGE = ['plugin::users-permissions.auth.changePassword']

  const open = (
    target: string,
    { token, headers }: { token: string; headers: Readonly<Record<string, string>> },
  ): ClientRequest => {
    const sent = request({
      port: server.port,
      host: '127.0.0.1',
      path: target,
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${token}` },
    })
    sent.on('error', () => undefined)
    return sent
  }
  const line = (text: string): string =>
    `${JSON.stringify({ op: 'upsert', type: 'note', key: { text }, data: {} })}\n`

  /** Sends one line, revokes the permissions and sends two more lines. Returns the responses. */
  const bulkAround = async (token: string, revoke: () => Promise<unknown>): Promise<Json[]> => {
    const sent = open('/api/_bulk', { token, headers: NDJSON })
    sent.write(line(`before ${number()}`))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
    expect(JSON.parse(String((await lines.next()).value))).to.include({ line: 1, status: 201 })
    await revoke()
    sent.end(line(`after ${number()}`) + line(`after ${number()}`))
    const rest: Json[] = []
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      rest.push(JSON.parse(next.value))
    }
    return rest
  }
  let texts = 0
  const number = (): number => (texts += 1)
  const writtenAfter = async (): Promise<number> =>
    (await server.get('/api/notes?filters[text][$startsWith]=after')).body.meta.pagination.total

  const endings: readonly {
    readonly title: string
    readonly begin: () => Promise<{ token: string; revoke: () => Promise<unknown> }>
    readonly statuses: readonly (readonly [line: number | null, status: number])[]
  }[] = [
    {
      title: 'a deleted API token',
      begin: async () => {
        const { id, accessKey: token } = await addToken([CREATE])
        return { token, revoke: () => ok('DELETE', `/admin/api-tokens/${id}`) }
      },
      statuses: [[null, 401]],
    },
    {
      title: 'an API token without permission to write',
      begin: async () => {
        const { id, accessKey: token } = await addToken([CREATE])
        const permissions = ['api::note.note.find']
        return { token, revoke: () => ok('PUT', `/admin/api-tokens/${id}`, { permissions }) }
      },
      statuses: [[null, 403]],
    },
    {
      title: 'an API token with permission to write another type only',
      begin: async () => {
        const { id, accessKey: token } = await addToken([CREATE])
        const permissions = ['api::page.page.create']
        return { token, revoke: () => ok('PUT', `/admin/api-tokens/${id}`, { permissions }) }
      },
      statuses: [
        [2, 403],
        [3, 403],
      ],
    },
    {
      title: 'a blocked user',
      begin: async () => {
        const { jwt: token, user } = await addUser('blocked')
        return { token, revoke: () => ok('PUT', `/api/users/${user.id}`, { blocked: true }) }
      },
      statuses: [[null, 401]],
    },
    {
      title: 'a deleted user',
      begin: async () => {
        const { jwt: token, user } = await addUser('deleted')
        return { token, revoke: () => ok('DELETE', `/api/users/${user.id}`) }
      },
      statuses: [[null, 401]],
    },
    {
      title: 'a user with a changed password',
      begin: async () => {
        const { jwt: token } = await addUser('changed')
        const [password, passwordConfirmation] = ['another secret', 'another secret']
        const body = { currentPassword: 'secret of changed', password, passwordConfirmation }
        const revoke = async (): Promise<unknown> => {
          const answer = await server.send('POST', '/api/auth/change-password', { body, token })
          return expect(answer.status, answer.text).to.equal(200)
        }
        return { token, revoke }
      },
      statuses: [[null, 401]],
    },
    {
      title: 'a user of a role without the permission',
      begin: async () => {
        const { jwt: token } = await addUser('reduced')
        const permissions = PASSWORD_CHANGE
        return { token, revoke: () => ok('PUT', '/admin/roles/authenticated', { permissions }) }
      },
      statuses: [[null, 403]],
    },
    {
      title: 'a user in another role',
      begin: async () => {
        const { jwt: token, user } = await addUser('moved')
        const { id: role } = await roleOf('public')
        return { token, revoke: () => ok('PUT', `/api/users/${user.id}`, { role }) }
      },
      statuses: [[null, 403]],
    },
  ]

  for (const { title, begin, statuses } of endings) {
    it(`stops bulk lines of ${title}`, async () => {
      const { token, revoke } = await begin()
      const before = await writtenAfter()
      const answers = await bulkAround(token, revoke)
      expect(answers.map(({ line: at, status }) => [at, status])).to.deep.equal(statuses)
      expect(await writtenAfter()).to.equal(before)
    })
  }

  it('stops an atomic batch of a deleted token', async () => {
    const { id, accessKey: token } = await addToken([CREATE])
    const before = await writtenAfter()
    const sent = open('/api/_bulk?atomic=true', { token, headers: NDJSON })
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    sent.write(line(`after ${number()}`))
    const isAccepted = async (): Promise<boolean> =>
      (await ok('GET', '/admin/api-tokens')).data.some(
        (row: Json) => row.id === id && row.lastUsedAt !== null,
      )
    await until(isAccepted, 10_000)
    await ok('DELETE', `/admin/api-tokens/${id}`)
    sent.end(line(`after ${number()}`))
    const [{ statusCode }] = await answered
    expect(statusCode).to.equal(401)
    expect(await writtenAfter()).to.equal(before)
  })

  it('stores no upload of a deleted token', async () => {
    const { id, accessKey: token } = await addToken([UPLOAD])
    const body = multipart({ files: [{ name: 'late.txt', content: Buffer.alloc(150_000, 'x') }] })
    const headers = { ...MULTIPART, 'content-length': String(body.length) }
    const sent = open('/api/upload', { token, headers })
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    sent.write(body.subarray(0, 100_000))
    const spool = path.join(server.contentTypesDir, 'data')
    await until(() => filesIn(spool).some((name) => name.includes('upload-')), 10_000)
    await ok('DELETE', `/admin/api-tokens/${id}`)
    sent.end(body.subarray(100_000))
    const [{ statusCode }] = await answered
    expect(statusCode).to.equal(401)
    expect((await server.get('/api/upload/files')).body).to.deep.equal([])
  })
})
