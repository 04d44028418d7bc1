import { expect } from 'chai'
import { type Collection, MongoClient, ObjectId } from 'mongodb'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { addAdministrator, addRole, signIn } from '../../support/admin-client.ts'
import { concretePath } from '../../support/concrete-path.ts'
import { hasStreams } from '../../support/foreign-database.ts'
import { type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { ADOPTED_TYPES } from './adopted-access-types.ts'

type Name = keyof typeof ADOPTED_TYPES

const NAMES = Object.keys(ADOPTED_TYPES) as Name[]
const uidOf = (name: Name): string => `api::${name}.${name}`

describe('access to adopted types', () => {
  let server: TestServer
  let client: MongoClient
  let isFollowed: boolean
  let actions: readonly string[]
  let every: readonly string[]
  let documentId: string
  const tokens: (string | null)[] = [null, ROOT_TOKEN]

  before(async () => {
    server = await serve('adopted_access', {
      contentTypes: ADOPTED_TYPES,
      environment: { RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
    })
    client = await MongoClient.connect(server.uri)
    isFollowed = await hasStreams({ db: client.db(server.database) })
    const namesIn = async (path: string): Promise<readonly string[]> =>
      (await server.get(path)).body.data.map(({ name }: Json) => name)
    actions = await namesIn('/admin/actions')
    every = await namesIn('/admin/administrator-actions')
    for (const type of ['read-only', 'full-access', 'custom']) {
      const body = { name: type, type, ...(type === 'custom' && { permissions: actions }) }
      const answer = await server.send('POST', '/admin/api-tokens', { body })
      expect(answer.status, answer.text).to.equal(201)
      tokens.push(answer.body.data.accessKey)
    }
    await permitPublic(actions)
    await addRole(server, 'matrix', [])
    await addAdministrator(server, 'Ada', ['matrix'])
  })
  after(async () => {
    await client.close()
    await server.close()
  })
  beforeEach(async () => {
    const _id = new ObjectId()
    documentId = _id.toHexString()
    for (const name of NAMES) {
      await rowsOf(name).deleteMany({})
      await rowsOf(name).insertOne({ _id, number: 'A-1' })
    }
  })

  const rowsOf = (name: Name): Collection => client.db(server.database).collection(`shop_${name}s`)

  async function permitPublic(permissions: readonly string[]): Promise<void> {
    const { status, text } = await server.send('PUT', '/admin/roles/public', {
      body: { permissions },
    })
    expect(status, text).to.equal(200)
  }

  const contents = async (name: Name): Promise<Json> => rowsOf(name).find({}).toArray()

  const expectedVerbs = (name: Name): readonly string[] => {
    const reads = ['find', 'findOne', ...(isFollowed ? ['sync'] : [])]
    const isWritten = isFollowed && name === 'ticket'
    return [...reads, ...(isWritten ? ['create', 'update', 'delete'] : [])]
  }

  it('has no action that writes without `write`, or without change streams', () => {
    for (const name of NAMES) {
      const own = actions.filter((action) => action.startsWith(`${uidOf(name)}.`))
      const verbs = own.map((action) => action.split('.').at(-1))
      expect(verbs, name).to.have.members(expectedVerbs(name))
    }
  })

  it('refuses writes of a type without `write` to every principal', async () => {
    const before = await contents('order')
    const wrong: string[] = []
    const requests = [
      ['POST', '/api/orders', 405],
      ['PUT', `/api/orders/${documentId}`, 405],
      ['DELETE', `/api/orders/${documentId}`, 405],
    ] as const
    for (const token of tokens) {
      for (const [method, path, expected] of requests) {
        const body = method === 'DELETE' ? undefined : { data: { number: 'A-2' } }
        const { status } = await server.send(method, path, { token, ...(body && { body }) })
        if (status !== expected) wrong.push(`${method} ${path} by ${String(token)}: ${status}`)
      }
    }
    expect(wrong).to.deep.equal([])
    expect(await contents('order')).to.deep.equal(before)
  })

  /** The routes below /api that need an action of these types. */
  const apiRoutes = () =>
    server.routes.flatMap((route) => {
      if (typeof route.access === 'string' || 'administrators' in route.access) return []
      const { action } = route.access
      const isOwn = NAMES.some((name) => action.startsWith(`${uidOf(name)}.`))
      return isOwn ? [{ ...route, action }] : []
    })

  it('opens exactly the permitted routes under /api', async () => {
    const wrong: string[] = []
    const routes = apiRoutes()
    expect(routes.length).to.be.at.least(isFollowed ? 7 : 4)
    for (const { method, path, action } of routes) {
      const body = ['post', 'put'].includes(method) ? { body: {} } : {}
      const ask = async (): Promise<number> =>
        (await server.send(method.toUpperCase(), concretePath(path), { token: null, ...body }))
          .status
      await permitPublic(actions)
      const granted = await ask()
      await permitPublic(actions.filter((other) => other !== action))
      const refused = await ask()
      if (granted < 500 && granted !== 403 && refused === 403) continue
      wrong.push(`${method} ${path}: ${granted}, ${refused} without ${action}`)
    }
    await permitPublic(actions)
    expect(wrong).to.deep.equal([])
  })

  for (const name of NAMES) {
    it(`opens the management of ${name} to administrators with its permissions only`, async () => {
      const before = await contents(name)
      const granted = every.filter((action) => action.startsWith(`${uidOf(name)}.`))
      expect(granted.length).to.be.above(1)
      const without = await walk(
        name,
        every.filter((action) => !granted.includes(action)),
      )
      expect(without.length).to.be.above(20)
      expect(without.filter((one) => !isRefused(one))).to.deep.equal([])
      expect(await contents(name)).to.deep.equal(before)
      const all = await walk(name, every)
      const isOpened = ({ outcome }: Walked): boolean =>
        /^(2\d\d none|4\d\d (?!forbidden|unauthorized|none))/.test(outcome)
      const wrong = all.filter((one) => (one.exists ? !isOpened(one) : !isRefused(one)))
      expect(wrong).to.deep.equal([])
      const isKept = !expectedVerbs(name).includes('delete')
      // The walk has duplicated the entry before it deletes it.
      const own = (await contents(name)).filter(({ _id }: Json) => String(_id) === documentId)
      expect(own).to.deep.equal(isKept ? before : [])
      if (isKept) expect(await contents(name)).to.deep.equal(before)
    })
  }

  interface Walked {
    readonly request: string
    /** The status and the error code. */
    readonly outcome: string
    /** Whether the type has the action of the route. Types without drafts have no actions on versions. */
    readonly exists: boolean
  }

  const isRefused = ({ outcome, exists }: Walked): boolean =>
    exists ? /^403 (forbidden|read_only_type)$/.test(outcome) : /^(403|404) /.test(outcome)

  function hasAction({ access }: DeclaredRoute, name: Name): boolean {
    if (typeof access === 'string' || 'action' in access) return true
    const action = access.administrators?.replace('<uid>', uidOf(name)) ?? null
    return action === null || every.includes(action)
  }

  /** Requests each management route of a type, for an entry that exists. */
  async function walk(name: Name, permissions: readonly string[]): Promise<readonly Walked[]> {
    const granted = [...new Set(permissions)].map((action) => ({ action }))
    const role = '/admin/administrator-roles/matrix'
    const put = await server.send('PUT', role, { body: { permissions: granted } })
    expect(put.status, put.text).to.equal(200)
    const ada = await signIn(server, 'ada@example.org')
    const walked: Walked[] = []
    for (const route of server.routes) {
      // The files of declarations have a permission of their own.
      if (!/^\/admin\/(?!content-types\/).*\/:uid/.test(route.path)) continue
      const { method, path } = route
      const named = path.replace('/:documentId', `/${documentId}`)
      const target = concretePath(named).replace('api::article.article', uidOf(name))
      const body = method === 'get' || method === 'delete' ? undefined : {}
      const { status, headers } = await ada.send(method.toUpperCase(), target, body)
      const outcome = `${status} ${String(headers['error-code'] ?? 'none')}`
      const exists = !path.includes('/actions/') && hasAction(route, name)
      walked.push({ request: `${method} ${path}`, outcome, exists })
    }
    return walked
  }
})
