import { expect } from 'chai'
import type { Passwords } from '../../../src/people/sign-in/passwords.ts'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { concretePath } from '../../support/concrete-path.ts'
import { PROBE_ROUTES } from '../../support/probe-routes.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const CONTENT_TYPES = {
  article: declare(
    'article',
    { title: { type: 'string' } },
    { draftAndPublish: true, search: { title: 1 } },
  ),
  'queries/feed': { type: 'article', fields: ['title'] },
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
}
const AUTH = 'plugin::users-permissions.auth'
const SIGN_INS = [
  'callback',
  'register',
  'forgotPassword',
  'resetPassword',
  'emailConfirmation',
  'sendEmailConfirmation',
  'refresh',
].map((verb) => `${AUTH}.${verb}`)

/** Routes that do not read the database. The files of the Studio are read once. */
const FROM_MEMORY = [
  '/_health',
  '/',
  '/studio',
  '/studio/{*path}',
  '/admin',
  '/api/docs',
  '/api/docs/:asset',
]

/**
 * Routes that respond even at the limit of concurrent requests, by method and path, with the
 * reason.
 */
const OUTSIDE_IN_FLIGHT: ReadonlyMap<string, string> = new Map([
  ...FROM_MEMORY.map((path) => [`get ${path}`, 'from memory'] as const),
  ['get /_ready', 'concurrent probes share one check, and a busy server stays ready'],
  ['get /metrics', 'for operators only, who must see a server that is overloaded'],
])

/** Public routes without a limit of attempts. */
const OUTSIDE_RATES: ReadonlyMap<string, string> = new Map([
  ...FROM_MEMORY.map((path) => [`get ${path}`, 'from memory'] as const),
  ['get /_ready', 'concurrent probes share one check'],
  ['get /api/openapi.json', 'limited by MAX_IN_FLIGHT, and accepts no secret'],
  ['get /admin/start', 'limited by MAX_IN_FLIGHT, and accepts no secret'],
  ['get /uploads/:name', 'limited by MAX_IN_FLIGHT, and accepts no secret'],
  ['get /api/clock', 'limited by MAX_IN_FLIGHT, the code of a project'],
  ['patch /api/clock', 'limited by MAX_IN_FLIGHT, the code of a project'],
  ['put /api/clock', 'limited by MAX_IN_FLIGHT, the code of a project'],
])

const OWN = { 'sec-fetch-site': 'same-origin' }

/** A trivial page for a method that the reference does not have: `GET /api/auth/local`. */
const isNoPage = ({ method, path, access }: DeclaredRoute): boolean =>
  method === 'get' && path.startsWith('/api/auth/') && access === 'everyone'

const nameOf = ({ method, path }: DeclaredRoute): string => `${method} ${path}`

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe('limits of every route', () => {
  /** Verifies a password only after `release`. The sign-in is pending until then. */
  const slowPasswords = () => {
    const entered = gate()
    const released = gate()
    const passwords: Passwords = {
      hash: () => Promise.resolve('hash'),
      verify: async () => {
        entered.open()
        await released.opened
        return false
      },
      isForeign: () => false,
    }
    return { passwords, entered: entered.opened, release: released.open }
  }

  const ask = (server: TestServer, { method, path }: DeclaredRoute): Promise<Answer> =>
    server.send(method.toUpperCase(), concretePath(path), {
      token: null,
      headers: OWN,
      ...(method !== 'get' && method !== 'delete' && { body: {} }),
    })

  it('limits concurrent requests on all but the listed routes', async () => {
    const { passwords, entered, release } = slowPasswords()
    const server = await serve('route-limits', {
      contentTypes: CONTENT_TYPES,
      extensions: [PROBE_ROUTES],
      permitted: SIGN_INS,
      editableTypes: true,
      passwords,
      environment: {
        MAX_IN_FLIGHT: '1',
        RATE_LIMIT: 'off',
        UP_JWT_MANAGEMENT: 'refresh',
        LOG_LEVEL: 'silent',
      },
    })
    try {
      const body = { identifier: 'nobody', password: 'none' }
      const first = server.send('POST', '/api/auth/local', { body, token: null })
      await entered
      const outside = new Set<string>()
      for (const route of server.routes) {
        if (isNoPage(route)) continue
        const { status, headers } = await ask(server, route)
        if (status !== 503 || headers['error-code'] !== 'overloaded') outside.add(nameOf(route))
      }
      release()
      expect((await first).status).to.equal(400)
      expect([...outside].sort()).to.deep.equal([...OUTSIDE_IN_FLIGHT.keys()].sort())
    } finally {
      release()
      await server.close()
    }
  })

  it('limits attempts on all public routes but the listed ones', async () => {
    const server = await serve('route-rates', {
      contentTypes: CONTENT_TYPES,
      extensions: [PROBE_ROUTES],
      permitted: SIGN_INS,
      environment: { UP_JWT_MANAGEMENT: 'refresh', LOG_LEVEL: 'silent' },
    })
    try {
      const uncounted = new Set<string>()
      for (const route of server.routes) {
        const { access } = route
        const isSignIn =
          typeof access === 'object' && 'action' in access && SIGN_INS.includes(access.action)
        if ((access !== 'everyone' && !isSignIn) || isNoPage(route)) continue
        const { headers } = await ask(server, route)
        if (headers['x-ratelimit-limit'] === undefined) uncounted.add(nameOf(route))
      }
      expect([...uncounted].sort()).to.deep.equal([...OUTSIDE_RATES.keys()].sort())
    } finally {
      await server.close()
    }
  })

  it('limits the unread bytes of static files', async () => {
    const server = await serve('route-bytes', {
      contentTypes: CONTENT_TYPES,
      environment: { MAX_UNSENT_BYTES: '1048576', LOG_LEVEL: 'silent' },
    })
    try {
      const { status, headers } = await server.get('/api/docs/swagger-ui-bundle.js', {
        token: null,
      })
      expect([status, headers['error-code']]).to.deep.equal([503, 'overloaded'])
    } finally {
      await server.close()
    }
  })
})
