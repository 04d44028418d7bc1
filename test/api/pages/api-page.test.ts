import { execFile } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { OPERATORS } from '../../../src/query/query.ts'
import { examplesIn } from '../../support/page-examples.ts'
import { serveSample } from '../../support/sample-server.ts'
import { type Json, ROOT_TOKEN, type TestServer } from '../../support/server.ts'

const ROOT = new URL('../../../../', import.meta.url)
const PAGE = readFileSync(new URL('docs/api.md', ROOT), 'utf8')

/** The variables of the examples, taken from earlier responses. */
type Last = Readonly<Partial<Record<(typeof VARIABLES)[number], string>>>
const VARIABLES = ['ID', 'N', 'REVISION', 'JWT', 'LINK', 'FILE', 'ITEM'] as const

/** The entry of a response: the first of a list, or the newest role, which is the last one. */
function entryOf(answer: Json): Json {
  const data = answer?.data ?? answer?.roles?.toReversed() ?? answer
  return (Array.isArray(data) ? data[0] : data) ?? {}
}

function namesIn(answer: Json): Last {
  const entry = entryOf(answer)
  const { documentId, id, revision, url, items } = entry.user ?? entry
  const { jwt, link } = entry
  const file = /[^/]*$/.exec(url ?? '')?.[0]
  const names = {
    ID: documentId,
    N: id,
    REVISION: revision,
    JWT: jwt,
    LINK: link,
    FILE: file === '' ? undefined : file,
    ITEM: items?.[0]?.id,
  }
  return Object.fromEntries(
    Object.entries(names)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}

/** Lists that may be empty at this point of the page. The index of searches follows the writes. */
const MAY_BE_EMPTY =
  /\/_search|status=draft|\[updatedBy\]|\/usages|\/deliveries|\/passkeys|\/presence/

/** Method and path of an example, such as `GET /api/articles/$ID`. */
function routeOfExample(example: string): string {
  const [, path = ''] = /\$QUIRE([^\s"?]*)/.exec(example) ?? []
  const [, method = / (?:-d|--data-binary|-F) /.test(example) ? 'POST' : 'GET'] =
    / -X (\w+) /.exec(example) ?? []
  return `${method} ${path}`
}

function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}

/** The routes of the tables, with their permissions. */
function rowsIn(page: string): readonly { readonly route: string; readonly permission: string }[] {
  return [...page.matchAll(/^\| `([A-Z]+) (\/\S*)` +\|(?: ([^|]*) \|)?/gm)].map(
    ([, method = '', path = '', permission = '']) => {
      const [action = ''] = /`([^`]*)`/.exec(permission) ?? []
      return { route: `${method} ${path}`, permission: action.replaceAll('`', '') }
    },
  )
}

/** Routes that exist with UP_JWT_MANAGEMENT=refresh or ANONYMOUS_USERS=on only. */
const WITH_A_VARIABLE = [
  'POST /api/auth/anonymous',
  'POST /api/auth/refresh',
  'GET /api/auth/sessions',
  'DELETE /api/auth/sessions/:id',
]

/**
 * Routes that need a mail, a browser, a picture, another service, an hour of waiting or another configuration.
 */
const NEEDS_MORE_THAN_A_SHELL = [
  ...WITH_A_VARIABLE,
  'POST /api/_push',
  'POST /api/upload/presign',
  'POST /api/upload/complete',
  'GET /api/upload/resumable/:id',
  'PATCH /api/upload/resumable/:id',
  'DELETE /api/upload/resumable/:id',
  'POST /api/auth/reset-password',
  'GET /api/auth/email-confirmation',
  'GET /api/auth/:provider/callback',
  'GET /api/connect/:provider',
  'GET /api/connect/:provider/callback',
  'POST /api/connect/:provider/callback',
  'POST /api/auth/:provider/token',
  'POST /api/auth/:provider/link',
  'POST /api/auth/code/verify',
  'GET /api/auth/identities',
  'DELETE /api/auth/identities/:id',
  'GET /admin/files/resumable/:id',
  'PATCH /admin/files/resumable/:id',
  'DELETE /admin/files/resumable/:id',
  'PUT /admin/files/:id/crop',
  'DELETE /admin/files/:id/crop',
  'POST /admin/first-administrator',
  'POST /admin/session/passkey',
  'POST /admin/session/code',
  'GET /admin/oidc',
  'GET /admin/oidc/callback',
  'POST /admin/session/link',
  'POST /admin/forgot-password',
  'POST /admin/me/passkeys',
  'PUT /admin/me/passkeys/:id',
  'DELETE /admin/me/passkeys/:id',
  'POST /admin/me/totp/confirm',
  'POST /admin/me/totp/recovery-codes',
  'DELETE /admin/me/totp',
  'DELETE /admin/administrators/:id/totp',
  'POST /admin/users/:documentId/reset',
  'GET /admin/extension-failures',
  'POST /admin/webhooks/:id/test',
  'POST /admin/webhooks/:id/replay',
  'POST /admin/content/:uid/translations/suggest',
  'POST /admin/content/:uid/:documentId/preview',
  'PUT /admin/content/:uid/:documentId/review',
  'POST /admin/schedules/:id/actions/retry',
  'GET /studio',
  'GET /studio/{*path}',
  'GET /admin',
]

describe('docs/api.md', () => {
  let server: TestServer
  let folder: string

  before(async () => {
    ;({ server, folder } = await serveSample('api_page'))
    cpSync(fileURLToPath(new URL('README.md', ROOT)), join(folder, 'README.md')) // an example uploads it
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /**
   * Runs an example in a shell exactly as printed. Returns its response, or null if that is not
   * JSON.
   */
  const run = async (example: string, last: Last): Promise<Json> => {
    const isEndless = / -N /.test(example)
    const seconds = isEndless ? 2 : 20
    const command = example.replace(
      /^curl /,
      `curl -sS -w '\\n%{http_code} %{content_type}' --max-time ${seconds} `,
    )
    const ended = isEndless ? `${command} || [ $? -eq 28 ]` : command // 28: timeout
    const { stdout } = await promisify(execFile)('sh', ['-c', ended], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        QUIRE: `http://127.0.0.1:${server.port}`,
        TOKEN: ROOT_TOKEN,
        ...last,
      },
    })
    const [, text = '', status, type = ''] = /^([^]*)\n(\d{3}) (.*)$/.exec(stdout) ?? []
    expect(status, `${example}\n${text}`).to.match(/^20\d$/)
    if (isEndless) {
      expect(text).to.match(/^(id|data): \S+\n/)
      return null
    }
    if (!type.includes('json')) return null
    const [first = ''] = type.includes('ndjson') ? text.split('\n') : [text]
    return JSON.parse(first)
  }

  it('has examples that work as printed, in order', async () => {
    const examples = examplesIn(PAGE)
    let last: Last = {}
    for (const example of examples) {
      const answer = await run(example, last)
      if (Array.isArray(answer?.data) && !MAY_BE_EMPTY.test(example)) {
        expect(answer.data, example).to.not.deep.equal([])
      }
      last = { ...last, ...namesIn(answer) }
    }
  })

  it('has an example of every route that a shell can request', () => {
    const asked = examplesIn(PAGE).map(routeOfExample)
    const without = rowsIn(PAGE)
      .map(({ route }) => route)
      .filter((route) => !asked.some((one) => patternOf(route).test(one)))
    expect(without).to.have.members([...NEEDS_MORE_THAN_A_SHELL])
  })

  it('names exactly the existing operators', () => {
    const named = new Set([...PAGE.matchAll(/`\$(\w+)`/g)].map(([, name = '']) => name))
    expect([...named].sort()).to.deep.equal(
      [...OPERATORS, 'and', 'or', 'not', ...VARIABLES, 'QUIRE', 'TOKEN'].sort(),
    )
  })

  it('names exactly the existing routes, with their permissions', () => {
    const documented = rowsIn(PAGE)
    const declared = server.routes
      .filter(
        ({ path }) =>
          !/^\/api\/(?:categories|cities|countries|currencies|languages|lists|notes)\b/.test(path),
      )
      // Strapi responds to GET on these paths with 404, so Quire declares routes for them.
      .filter(
        ({ access, method, path }) =>
          !(access === 'everyone' && method === 'get' && path.startsWith('/api/auth/')),
      )
    const routeOf = ({ method, path }: { method: string; path: string }): string =>
      `${method.toUpperCase()} ${path.replace('{*provider}', ':provider')}`
    expect(
      documented
        .map(({ route }) => route)
        .filter((route) => !WITH_A_VARIABLE.includes(route))
        .sort(),
    ).to.deep.equal(declared.map(routeOf).sort())
    for (const route of declared) {
      if (typeof route.access === 'string') continue
      const action = 'action' in route.access ? route.access.action : route.access.administrators
      const name = action ?? '' // any administrator
      const found = documented.find((row) => row.route === routeOf(route))
      const expected = /^(?:api::|<uid>)/.test(name)
        ? `…${name.slice(name.lastIndexOf('.') + 1)}`
        : name
      expect(found?.permission, routeOf(route)).to.equal(expected)
    }
  })
})
