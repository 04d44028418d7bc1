import { connect } from 'node:net'
import { expect } from 'chai'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { PROBE_ROUTES } from '../../support/probe-routes.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const PERMITTED = [
  'callback',
  'register',
  'forgotPassword',
  'resetPassword',
  'sendEmailConfirmation',
  'refresh',
].map((verb) => `plugin::users-permissions.auth.${verb}`)

describe('bodies of refused requests', () => {
  let server: TestServer
  before(async () => {
    server = await serve('refused-bodies', {
      contentTypes: {
        note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
        page: declare('page', { text: { type: 'string' } }, { kind: 'singleType' }),
      },
      extensions: [PROBE_ROUTES],
      permitted: PERMITTED,
      environment: { RATE_LIMIT: 'on', UP_JWT_MANAGEMENT: 'refresh' },
    })
  })
  after(() => server.close())

  it('refuses a request without waiting for its body, on routes other than content routes', async () => {
    const guarded = server.routes.filter(isRefused)
    expect(guarded.length).to.be.above(30)
    for (const { method, path } of guarded) {
      const target = path.replaceAll(/:\w+/g, 'x')
      const status = await statusWithoutBody(server.port, `${method.toUpperCase()} ${target}`)
      expect(status, `${method} ${path}`).to.be.oneOf([401, 403])
    }
  })

  it('refuses a sign-in over the rate limit without waiting for its body', async () => {
    const waysIn = server.routes.filter(isWayIn).map(({ path }) => path)
    expect(waysIn).to.include.members(['/api/auth/local', '/admin/session'])
    for (const path of waysIn) {
      const lockOut = async (): Promise<void> => {
        const request = { body: {}, token: null, headers: { 'sec-fetch-site': 'same-origin' } }
        for (let tries = 0; tries < 100; tries += 1) {
          if ((await server.send('POST', path, request)).status === 429) return
        }
        throw new Error(`${path}: attempts are not counted`)
      }
      // The minute of the limit may end between two requests, which allows another attempt.
      const statuses: (number | null)[] = []
      while (!statuses.includes(429) && statuses.length < 3) {
        await lockOut()
        statuses.push(await statusWithoutBody(server.port, `POST ${path}`).catch(() => null))
      }
      expect(statuses, path).to.include(429)
    }
  })
})

/**
 * Content routes parse the body before they check permissions, like the reference: a malformed body
 * is a 400.
 */
function isRefused({ method, path, access }: DeclaredRoute): boolean {
  if (method === 'get' || method === 'delete') return false
  const isContent =
    typeof access === 'object' && 'action' in access && access.action.startsWith('api::')
  if (isContent && !path.startsWith('/api/health')) {
    return false
  }
  return typeof access === 'object'
    ? !('action' in access && isAuth(access))
    : access !== 'everyone'
}

/** Open to everyone, or permitted to the role `public` here. */
function isWayIn({ method, access }: DeclaredRoute): boolean {
  if (method !== 'post') return false
  return access === 'everyone' || (typeof access === 'object' && isAuth(access))
}

function isAuth(access: object): boolean {
  return 'action' in access && PERMITTED.some((action) => action === access.action)
}

/** The status of the response to a request without the announced body. */
function statusWithoutBody(port: number, line: string): Promise<number> {
  const head = [
    `${line} HTTP/1.1`,
    'Host: a',
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    'Content-Length: 90000',
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(20_000, () => socket.destroy(new Error(`${line} waits for its body`)))
    socket.on('error', reject)
    socket.on('data', (data) => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(String(data))?.[1]))
      socket.destroy()
    })
    socket.write([...head, '', ''].join('\r\n'))
  })
}
