import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { isHardSuite } from '../../support/model-runs.ts'
import { type AdminClient, addAdministrator, addRole, signIn } from '../../support/admin-client.ts'
import { concretePath } from '../../support/concrete-path.ts'
import { PROBE_ROUTES } from '../../support/probe-routes.ts'
import { ADOPTED_TYPES } from './adopted-access-types.ts'
import { pushed } from '../../support/push-world.ts'
import {
  type Answer,
  declare,
  type Json,
  ROOT_TOKEN,
  serve,
  type TestServer,
} from '../../support/server.ts'

const CONTENT_TYPES = {
  article: declare(
    'article',
    { title: { type: 'string' } },
    { draftAndPublish: true, search: { title: 1 } },
  ),
  tag: pushed(declare('tag', { name: { type: 'string' } })),
  'queries/feed': { type: 'article', fields: ['title'] },
  ...ADOPTED_TYPES,
  homepage: declare(
    'homepage',
    { title: { type: 'string' } },
    { kind: 'singleType', draftAndPublish: true },
  ),
}

/**
 * Actions that need an account of an end user; other principals get a 401 even with the permission.
 */
const OF_END_USERS: ReadonlySet<string> = new Set([
  'plugin::users-permissions.user.me',
  'plugin::users-permissions.auth.changePassword',
  'plugin::users-permissions.auth.logout',
])

/** Status of the public routes for an unknown token; the remaining routes respond with 404. */
const OPEN: ReadonlyMap<string, number> = new Map([
  ['/api/openapi.json', 401],
  ['/api/docs', 200],
  ['/api/clock', 401],
  ['/', 200],
])

/** Routes that exist on servers with refresh tokens only. */
const OF_SESSIONS = [
  'post /api/auth/refresh',
  'get /api/auth/sessions',
  'delete /api/auth/sessions/:id',
]

/** Further routes of the management that apply rules. */
const RULED_MANAGEMENT = [
  'get /admin/content/:uid/:documentId/locales',
  'get /admin/content/:uid/:documentId/usages',
  'post /admin/content/:uid/usages',
  'get /admin/content/:uid/people',
  'post /admin/content/:uid/uid-proposals',
  'post /admin/content/:uid/bulk',
  'post /admin/content/:uid/:documentId/check',
  'get /admin/content/:uid/:documentId/comments',
  'post /admin/content/:uid/:documentId/comments',
  'put /admin/content/:uid/:documentId/comments/:id',
  'delete /admin/content/:uid/:documentId/comments/:id',
  'put /admin/content/:uid/:documentId/review',
  'post /admin/content/:uid/:documentId/duplicate',
  'post /admin/content/:uid/translations/export',
  'post /admin/content/:uid/translations/compare',
  'post /admin/content/:uid/translations/import',
  'post /admin/content/:uid/translations/suggest',
  'post /admin/content/:uid/:documentId/preview',
  'get /admin/views/:uid',
  'post /admin/views/:uid',
  'put /admin/views/:uid/:id',
  'delete /admin/views/:uid/:id',
  'get /admin/history/:uid/:documentId',
  'get /admin/history/:uid/:documentId/diff',
  'get /admin/history/:uid/:documentId/:revision',
  'post /admin/history/:uid/:documentId/:revision/restore',
  'post /admin/trash/:uid/:documentId/restore',
  'delete /admin/trash/:uid/:documentId',
]

const DRAFTS = ['find', 'readDrafts'].map((verb) => `api::article.article.${verb}`)

type Expected = 'through' | 'unauthorized' | 'forbidden'

interface Asker {
  readonly caller: string
  /** Null sends no header. */
  readonly token: () => string | null
  readonly isEndUser: boolean
  /**
   * The grants before the requests: `actions` for this principal, `others` for other principals.
   */
  readonly granted: (actions: readonly string[], others: readonly string[]) => Granted
  readonly may: (action: string, actions: readonly string[]) => boolean
}

interface Granted {
  readonly public?: readonly string[]
  readonly authenticated?: readonly string[]
  readonly custom?: readonly string[]
}

/**
 * Pairs of granted actions and of actions to try. The usual suite has two halves that separate
 * neighbouring actions; the hard suite has each action alone, and all actions except one.
 */
function grantsOf(
  all: readonly string[],
): readonly (readonly [readonly string[], readonly string[]])[] {
  if (isHardSuite()) {
    return all.flatMap((action) => [
      [[action], [action]],
      [all.filter((name) => name !== action), [action]],
    ])
  }
  return [0, 1].map((half) => [all.filter((_, index) => index % 2 === half), all])
}

describe('access to every route', () => {
  let server: TestServer
  let all: readonly string[]
  const tokens: Record<string, string> = {}
  let customId: number

  before(async () => {
    server = await serve('matrix', {
      editableTypes: true,
      contentTypes: CONTENT_TYPES,
      extensions: [PROBE_ROUTES],
      environment: {
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'silent',
        UP_JWT_MANAGEMENT: 'refresh',
        ANONYMOUS_USERS: 'on',
      },
    })
    all = (await admin('GET', '/admin/actions')).body.data.map(({ name }: Json) => name)
    for (const type of ['read-only', 'full-access', 'custom', 'expired']) {
      const body = {
        name: type,
        type: type === 'expired' ? 'full-access' : type,
        ...(type === 'custom' && { permissions: [] }),
        ...(type === 'expired' && { lifespanDays: 1 }),
      }
      const { data } = (await admin('POST', '/admin/api-tokens', body)).body
      tokens[type] = data.accessKey
      if (type === 'custom') customId = data.id
    }
    await expire('expired')
    for (const name of ['user', 'blocked']) {
      const body = { username: name, email: `${name}@example.org`, password: 'correct horse' }
      await admin('PUT', '/admin/roles/public', {
        permissions: ['plugin::users-permissions.auth.register'],
      })
      const answer = await server.send('POST', '/api/auth/local/register', { body, token: null })
      expect(answer.status, answer.text).to.equal(200)
      tokens[name] = answer.body.jwt
    }
    const blocked = (await server.get('/api/users?filters[username]=blocked')).body[0].id
    await admin('PUT', `/api/users/${blocked}`, { blocked: true })
  })

  const logIn = async (): Promise<void> => {
    const body = { identifier: 'user', password: 'correct horse' }
    tokens['user'] = (await admin('POST', '/api/auth/local', body)).body.jwt
  }

  /** The user has deleted its account. */
  const signUp = async (): Promise<void> => {
    const roles = (await admin('GET', '/admin/roles')).body.data
    const role = roles.find(({ type }: Json) => type === 'authenticated').id
    const body = { username: 'user', email: 'user@example.org', password: 'correct horse', role }
    await admin('POST', '/api/users', body)
    await logIn()
  }

  after(() => server.close())

  const admin = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await server.send(method, path, { token: ROOT_TOKEN, ...(body && { body }) })
    expect(answer.status, `${method} ${path} ${answer.text}`).to.be.oneOf([200, 201])
    return answer
  }

  /** Makes a token expire without waiting. */
  const expire = async (name: string): Promise<void> => {
    const client = await MongoClient.connect(server.uri)
    const rows = client.db(server.database).collection('quire_api_tokens')
    const { modifiedCount } = await rows.updateOne({ name }, { $set: { expiresAt: new Date(0) } })
    await client.close()
    expect(modifiedCount).to.equal(1)
  }

  const always = (): boolean => true
  const isGranted: Asker['may'] = (action, actions) => actions.includes(action)
  const nothing = (): object => ({})
  const token = (name: string) => () => tokens[name] ?? ''
  const ASKERS: readonly Asker[] = [
    {
      caller: 'anybody',
      token: () => null,
      isEndUser: false,
      granted: (actions, others) => ({ public: actions, authenticated: others }),
      may: isGranted,
    },
    {
      caller: 'an end user',
      token: token('user'),
      isEndUser: true,
      granted: (actions, others) => ({ public: others, authenticated: actions }),
      may: isGranted,
    },
    {
      caller: 'a custom token',
      token: token('custom'),
      isEndUser: false,
      granted: (actions, others) => ({ public: others, custom: actions }),
      may: isGranted,
    },
    {
      caller: 'a read-only token',
      token: token('read-only'),
      isEndUser: false,
      granted: nothing,
      may: (action) => /\.(find|findOne)$|^query::/.test(action),
    },
    {
      caller: 'a full-access token',
      token: token('full-access'),
      isEndUser: false,
      granted: nothing,
      may: always,
    },
    { caller: 'root', token: () => ROOT_TOKEN, isEndUser: false, granted: nothing, may: always },
  ]

  /** Invalid credentials open no route, even if the public role permits everything. */
  const UNKNOWN: readonly (readonly [string, () => string])[] = [
    ['an unknown token', () => 'f'.repeat(256)],
    ['an expired token', token('expired')],
    ['a blocked user', token('blocked')],
  ]

  const grant = async (granted: Granted): Promise<void> => {
    const { custom, ...roles } = granted
    for (const [type, permissions] of Object.entries(roles)) {
      await admin('PUT', `/admin/roles/${type}`, { permissions })
    }
    if (custom !== undefined) {
      await admin('PUT', `/admin/api-tokens/${customId}`, { permissions: custom })
    }
  }

  const ask = ({ method, path }: Pick<DeclaredRoute, 'method' | 'path'>, key: string | null) =>
    server.send(method.toUpperCase(), concretePath(path), {
      token: key,
      ...(method !== 'get' && method !== 'delete' && { body: {} }),
    })

  /** No route responds with one of these two statuses once access is granted. */
  const outcomeOf = ({ status }: Answer): Expected =>
    status === 401 ? 'unauthorized' : status === 403 ? 'forbidden' : 'through'

  const expectedFor = (asker: Asker, action: string, actions: readonly string[]): Expected => {
    if (!asker.may(action, actions)) return 'forbidden'
    return OF_END_USERS.has(action) && !asker.isEndUser ? 'unauthorized' : 'through'
  }

  for (const asker of ASKERS) {
    it(`opens exactly the permitted routes under /api to ${asker.caller}`, async () => {
      const wrong: string[] = []
      const tried = new Set<string>()
      const paths = new Set<string>()
      await logIn()
      for (const [actions, routesOf] of grantsOf(all)) {
        await grant(
          asker.granted(
            actions,
            all.filter((name) => !actions.includes(name)),
          ),
        )
        for (const route of server.routes) {
          if (typeof route.access === 'string' || 'administrators' in route.access) continue
          const { action } = route.access
          if (!routesOf.includes(action)) continue
          tried.add(action)
          paths.add(`${route.method} ${route.path}`)
          const answer = await ask(route, asker.token())
          if (action.endsWith('.logout')) await logIn()
          if (route.path === '/api/users/me' && answer.status === 204) await signUp()
          const expected = expectedFor(asker, action, actions)
          if (outcomeOf(answer) === expected) continue
          wrong.push(`${route.method} ${route.path}: ${answer.status}, expected ${expected}`)
        }
      }
      expect(wrong).to.deep.equal([])
      expect(tried.size).to.be.above(30)
      expect([...paths]).to.include.members(OF_SESSIONS)
    })
  }

  for (const [caller, key] of UNKNOWN) {
    it(`responds with 401 to ${caller} on every route under /api, even if everything is public`, async () => {
      await grant({ public: all, authenticated: all })
      const wrong: string[] = []
      for (const route of server.routes) {
        if (!route.path.startsWith('/api/')) continue
        const answer = await ask(route, key())
        const expected = route.access === 'everyone' ? (OPEN.get(route.path) ?? 404) : 401
        if (answer.status !== expected)
          wrong.push(`${route.method} ${route.path}: ${answer.status}`)
      }
      expect(wrong).to.deep.equal([])
    })
  }

  it('allows /api/_bulk to every principal that may write a type', async () => {
    const routes = server.routes.filter(({ access }) => access === 'writers')
    expect(routes.map(({ path }) => path)).to.deep.equal(['/api/_bulk'])
    const reading = all.filter((name) => !/^api::.*\.(create|update|delete)$/.test(name))
    const [route] = routes
    if (route === undefined) return
    await grant({ public: reading, authenticated: reading, custom: reading })
    for (const key of [null, tokens['user'], tokens['read-only'], tokens['custom']]) {
      expect(outcomeOf(await ask(route, key ?? null))).to.equal('forbidden')
    }
    const granted = ['api::tag.tag.delete']
    await grant({ public: granted, authenticated: granted, custom: granted })
    for (const key of [null, tokens['user'], tokens['full-access'], tokens['custom'], ROOT_TOKEN]) {
      expect(outcomeOf(await ask(route, key ?? null))).to.equal('through')
    }
  })

  it('allows /mcp to API tokens and root only', async () => {
    const routes = server.routes.filter(({ access }) => access === 'programs')
    expect(routes.map(({ path }) => path)).to.deep.equal(['/mcp'])
    const [route] = routes
    if (route === undefined) return
    await grant({ public: all, authenticated: all, custom: [] })
    await logIn()
    expect(outcomeOf(await ask(route, null))).to.equal('unauthorized')
    expect(outcomeOf(await ask(route, tokens['user'] ?? ''))).to.equal('forbidden')
    for (const key of [tokens['read-only'], tokens['custom'], ROOT_TOKEN]) {
      expect(outcomeOf(await ask(route, key ?? null))).to.equal('through')
    }
  })

  it('allows /api/_sync and /api/_live to every principal that may sync a type', async () => {
    const routes = server.routes.filter(({ access }) => access === 'syncers')
    expect(routes.map(({ path }) => path)).to.deep.equal(['/api/_sync', '/api/_live'])
    const others = all.filter((name) => !name.endsWith('.sync'))
    await grant({ public: others, authenticated: others, custom: others })
    for (const route of routes) {
      for (const key of [null, tokens['user'], tokens['custom']]) {
        expect(outcomeOf(await ask(route, key ?? null))).to.equal('forbidden')
      }
    }
    const granted = ['api::tag.tag.sync']
    await grant({ public: granted, authenticated: granted, custom: granted })
    const askers = [null, tokens['user'], tokens['read-only'], tokens['custom'], ROOT_TOKEN]
    for (const route of routes) {
      for (const key of askers) {
        expect(outcomeOf(await ask(route, key ?? null))).to.equal('through')
      }
    }
  })

  it('opens /api/_search exactly to principals that may find a searched type', async () => {
    const routes = server.routes.filter(({ access }) => access === 'searchers')
    expect(routes.map(({ path }) => path)).to.deep.equal(['/api/_search'])
    const [route] = routes
    if (route === undefined) return
    const find = 'api::article.article.find'
    const others = all.filter((name) => name !== find)
    await grant({ public: others, authenticated: others, custom: others })
    await logIn()
    for (const key of [null, tokens['user'], tokens['custom']]) {
      expect(outcomeOf(await ask(route, key ?? null))).to.equal('forbidden')
    }
    await grant({ public: [find], authenticated: [find], custom: [find] })
    await logIn()
    const askers = [null, tokens['user'], tokens['read-only'], tokens['custom'], ROOT_TOKEN]
    for (const key of askers) {
      expect(outcomeOf(await ask(route, key ?? null))).to.equal('through')
    }
  })

  it('opens /api/_push exactly to end users that may push a type', async () => {
    const routes = server.routes.filter(({ access }) => access === 'pushers')
    expect(routes.map(({ path }) => path)).to.deep.equal(['/api/_push'])
    const push = 'api::tag.tag.push'
    const [route] = routes
    if (route === undefined) return
    await logIn()
    const wrong: string[] = []
    for (const [actions] of [...grantsOf(all), [all] as const]) {
      for (const asker of ASKERS) {
        const others = all.filter((name) => !actions.includes(name))
        await grant(asker.granted(actions, others))
        const expected = asker.isEndUser && actions.includes(push) ? 'through' : 'forbidden'
        const { status } = await ask(route, asker.token())
        // The body is none of lines.
        if (status === (expected === 'through' ? 400 : 403)) continue
        wrong.push(`${asker.caller}, ${actions.join(' ')}: ${status}, expected ${expected}`)
      }
    }
    expect(wrong).to.deep.equal([])
  })

  /** The routes of the management, with the administrator action of each. */
  const management = () =>
    server.routes.flatMap((route) => {
      if (typeof route.access === 'string' || 'action' in route.access) return []
      const { administrators } = route.access
      return [{ route, action: administrators?.replace('<uid>', 'api::article.article') ?? null }]
    })

  it('allows the management routes to root and administrators only', async () => {
    await grant({ public: all, authenticated: all, custom: all })
    await logIn()
    const routes = management().map(({ route }) => route)
    expect(routes.length).to.be.above(10)
    const wrong: string[] = []
    for (const route of routes) {
      const askers: readonly (readonly [string | null, Expected])[] = [
        [null, 'unauthorized'],
        ['f'.repeat(256), 'unauthorized'],
        [tokens['user'] ?? '', 'forbidden'],
        [tokens['read-only'] ?? '', 'forbidden'],
        [tokens['full-access'] ?? '', 'forbidden'],
        [tokens['custom'] ?? '', 'forbidden'],
        [ROOT_TOKEN, 'through'],
      ]
      for (const [key, expected] of askers) {
        const answer = await ask(route, key)
        if (outcomeOf(answer) === expected) continue
        wrong.push(`${route.method} ${route.path}: ${answer.status}, expected ${expected}`)
      }
    }
    expect(wrong).to.deep.equal([])
  })

  const permit = async (permissions: readonly string[]): Promise<void> => {
    const listed = [...new Set(permissions)].map((action) => ({ action }))
    await admin('PUT', '/admin/administrator-roles/matrix', { permissions: listed })
  }

  /** The error code of the response, if any. */
  const errorCodeOf = async (
    ada: AdminClient,
    { method, path }: DeclaredRoute,
  ): Promise<string | undefined> => {
    const body = method === 'get' || method === 'delete' ? undefined : {}
    // Drafts need one more permission.
    const target = concretePath(path) + (method === 'get' ? '?status=published' : '')
    const { headers } = await ada.send(method.toUpperCase(), target, body)
    return headers['error-code'] as string | undefined
  }

  /** Whether the route checks a draft, which needs the permission to read drafts. */
  const isCheck = (path: string): boolean => path.endsWith('/:uid/:documentId/check')

  /** Requests the routes of these actions and the routes without an action. */
  const tryManagement = async (
    actions: readonly string[],
    tried: readonly string[],
  ): Promise<readonly string[]> => {
    const routes = management().filter(({ action }) => action === null || tried.includes(action))
    // The history contains drafts, so it needs the permission to read them.
    const isHistory = routes.some(({ route }) => /\/history\//.test(route.path))
    const permitted = new Set([...actions, ...(isHistory ? DRAFTS : [])])
    await permit([...permitted])
    const wrong: string[] = []
    let ada = await signIn(server, 'ada@example.org')
    for (const { route, action } of routes) {
      const code = (await errorCodeOf(ada, route)) ?? 'none'
      if (/session|password/.test(route.path)) ada = await signIn(server, 'ada@example.org')
      const needed = action === null ? [] : [action, ...(isCheck(route.path) ? DRAFTS : [])]
      const isRefused = needed.some((name) => !permitted.has(name))
      if (isRefused === (code === 'forbidden') && code !== 'unauthorized') continue
      wrong.push(`${route.method} ${route.path}: ${code}, refused: ${isRefused}`)
    }
    return wrong
  }

  it('opens exactly the permitted management routes to an administrator', async () => {
    await addRole(server, 'matrix', [])
    await addAdministrator(server, 'Ada', ['matrix'])
    const every: readonly string[] = (
      await admin('GET', '/admin/administrator-actions')
    ).body.data.map(({ name }: Json) => name)
    const wrong: string[] = []
    for (const [actions, tried] of grantsOf(every)) {
      wrong.push(...(await tryManagement(actions, tried)))
    }
    for (const action of DRAFTS) {
      await permit(every.filter((name) => name !== action))
      const ada = await signIn(server, 'ada@example.org')
      for (const { route } of management().filter((one) => one.action === action)) {
        const code = await errorCodeOf(ada, route)
        if (code !== 'forbidden') wrong.push(`${route.method} ${route.path}: let through`)
      }
    }
    expect(wrong).to.deep.equal([])
    expect(every.length).to.be.above(all.length)
  })

  it('opens no route to principals under rules that does not apply rules', async () => {
    const where = { documentId: 'a'.repeat(24) }
    const verbs = ['find', 'findOne', 'readDrafts', 'sync', 'create', 'update', 'delete', 'publish']
    const rules = verbs.map((verb) => ({ action: `api::article.article.${verb}`, where }))
    await grant({ public: [], authenticated: [], custom: [] })
    await admin('PUT', `/admin/api-tokens/${customId}`, { permissions: [], rules })
    await admin('PUT', '/admin/administrator-roles/matrix', { permissions: [], rules })
    const ada = await signIn(server, 'ada@example.org')
    const opened: string[] = []
    for (const { route, action } of management()) {
      if (action?.startsWith('api::') !== true) continue
      if ((await errorCodeOf(ada, route)) === 'forbidden') continue
      opened.push(`${route.method} ${route.path}`)
    }
    for (const route of server.routes) {
      if (!route.path.startsWith('/api/') || route.access === 'everyone') continue
      if (outcomeOf(await ask(route, tokens['custom'] ?? '')) !== 'through') continue
      opened.push(`${route.method} ${route.path}`)
    }
    await admin('PUT', `/admin/api-tokens/${customId}`, { permissions: [], rules: [] })
    await admin('PUT', '/admin/administrator-roles/matrix', { permissions: [], rules: [] })
    expect(opened).to.include.members([
      'get /admin/content/:uid',
      'get /admin/content/:uid/:documentId',
      'get /api/articles',
      'get /api/articles/:documentId',
      'get /api/_search',
      'get /api/_sync',
      'get /api/_live',
    ])
    const applies =
      /^\w+ (\/admin\/content\/:uid|\/api\/articles|\/api\/_(?:bulk|search|sync|live)$)(\/:documentId(\/actions\/\w+)?)?$/
    const others = opened.filter((route) => !applies.test(route))
    expect(others).to.have.members(RULED_MANAGEMENT)
  })

  it('opens no further route to end users under rules, and /api/_push with its own action', async () => {
    const where = { documentId: '$user' }
    const verbs = ['find', 'findOne', 'sync', 'create', 'update', 'delete']
    const rules = verbs.map((verb) => ({ action: `api::tag.tag.${verb}`, where }))
    const opened = async (permissions: readonly string[]): Promise<readonly string[]> => {
      await grant({ public: [] })
      await admin('PUT', '/admin/roles/authenticated', { permissions, rules })
      await logIn()
      const found: string[] = []
      for (const route of server.routes) {
        if (!route.path.startsWith('/api/') || route.access === 'everyone') continue
        if (outcomeOf(await ask(route, tokens['user'] ?? '')) !== 'through') continue
        found.push(`${route.method} ${route.path}`)
      }
      return found
    }
    const ruled = [
      'get /api/tags',
      'post /api/tags',
      'get /api/tags/:documentId',
      'put /api/tags/:documentId',
      'delete /api/tags/:documentId',
      'post /api/_bulk',
      'get /api/_sync',
      'get /api/_live',
    ]
    const without = await opened([])
    expect(without).to.have.members(ruled)
    const push = 'api::tag.tag.push'
    expect(await opened([push])).to.have.members([...ruled, 'post /api/_push'])
    const ruledPush = { permissions: [], rules: [{ action: push, where }] }
    const refused = await server.send('PUT', '/admin/roles/authenticated', { body: ruledPush })
    expect(refused.status, refused.text).to.equal(400)
    await admin('PUT', '/admin/roles/authenticated', { permissions: [], rules: [] })
  })

  it('ignores the cookie of an administrator under /api', async () => {
    await grant({ public: [], authenticated: [] })
    const { cookie } = await signIn(server, 'ada@example.org')
    await permit(all)
    const wrong: string[] = []
    for (const { method, path, access } of server.routes) {
      if (!path.startsWith('/api/') || access === 'everyone') continue
      const { status } = await server.send(method.toUpperCase(), concretePath(path), {
        token: null,
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
        ...(method !== 'get' && method !== 'delete' && { body: {} }),
      })
      if (status !== 403) wrong.push(`${method} ${path}: ${status}`)
    }
    expect(wrong).to.deep.equal([])
  })

  it('imports the router in one file and opens only the known routes to everyone', () => {
    const folder = new URL('../../../../src/http/', import.meta.url)
    const own = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        name.endsWith('.ts') &&
        readFileSync(new URL(name, folder), 'utf8').includes(`from '@koa/router'`),
    )
    expect(own).to.deep.equal(['router/guarded-router.ts'])
    const open = server.routes.filter(({ access }) => access === 'everyone')
    // In order: the API description and its page, health checks, the root page, sign-in methods of
    // the Studio and its app, bytes of files, and sign-in pages that the dialect has under another
    // method.
    expect(
      open.map(({ path }) => path).filter((path) => !path.startsWith('/api/auth/')),
    ).to.deep.equal([
      '/api/openapi.json',
      '/api/docs',
      '/api/docs/:asset',
      '/api/clock',
      '/api/clock',
      '/api/clock',
      '/_health',
      '/_ready',
      '/',
      '/admin/start',
      '/admin/first-administrator',
      '/admin/session',
      '/admin/session/code',
      '/admin/session/link',
      '/admin/session/passkey',
      '/admin/reset-password',
      '/admin/session/passkey/options',
      '/admin/forgot-password',
      '/admin/oidc',
      '/admin/oidc/callback',
      '/studio',
      '/studio/{*path}',
      '/admin',
      '/uploads/:name',
    ])
  })
})
