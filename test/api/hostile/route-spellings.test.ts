import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { PROBE_ROUTES } from '../../support/probe-routes.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

/** Spellings of a path that different parts of a server may interpret differently. */
const SPELLINGS: Readonly<Record<string, (path: string, port: number) => string>> = {
  'as declared': (path) => path,
  'capital letters': (path) => path.toUpperCase(),
  'one capital letter': (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  'a capital letter in the last segment': (path) =>
    path.replace(/[a-z](?=[^/a-z]*[^/]*$)/, (letter) => letter.toUpperCase()),
  'percent-encoding of the first letter': (path) => path.replace(/[a-z]/, percentEncoded),
  'percent-encoding of all': (path) => path.replaceAll(/[a-z]/g, percentEncoded),
  'a percent-encoded slash': (path) => path.replace(/(?!^)\//, '%2F'),
  'a double slash in front': (path) => `/${path}`,
  'double slashes': (path) => path.replaceAll(/(?!^)\//g, '//'),
  'a trailing slash': (path) => `${path}/`,
  'two trailing slashes': (path) => `${path}//`,
  'the absolute form': (path, port) => `http://127.0.0.1:${port}${path}`,
  'the absolute form with capital letters': (path, port) =>
    `http://127.0.0.1:${port}${path.toUpperCase()}`,
  'a dot segment in front': (path) => `/.${path}`,
  'dot segments that climb': (path) => `/_health/..${path}`,
  'encoded dot segments': (path) => `/_health/%2e%2e${path}`,
  'dot segments within': (path) => path.replaceAll(/(?!^)\//g, '/./'),
  'a semicolon': (path) => `${path};x=1`,
  'a backslash': (path) => path.replace(/(?!^)\//, '\\'),
  'a null byte': (path) => `${path}%00`,
}

const percentEncoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`

describe('every declared route in every spelling, without credentials', () => {
  let server: TestServer
  before(async () => {
    server = await serve('spellings', {
      editableTypes: true,
      extensions: [PROBE_ROUTES],
      contentTypes: {
        article: declare('article', { title: { type: 'string' } }, { draftAndPublish: true }),
        homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
        'queries/feed': { type: 'article' },
      },
      environment: { RATE_LIMIT: 'off', LOG_LEVEL: 'silent', METRICS_TOKEN: 'of-the-test' },
      permitted: [],
    })
  })
  after(() => server.close())

  const commands: string[] = []
  before(() => server.onCommand(({ name }) => commands.push(name)))

  const ask = ({ method, path }: DeclaredRoute, spell: (path: string, port: number) => string) =>
    server.send(method.toUpperCase(), spell(concrete(path), server.port), {
      token: null,
      ...(method !== 'get' && method !== 'delete' && { body: {} }),
    })

  for (const [label, spell] of Object.entries(SPELLINGS)) {
    it(`reaches no handler: ${label}`, async () => {
      const guarded = server.routes.filter(({ access }) => access !== 'everyone')
      expect(guarded.length).to.be.above(50)
      const wrong: string[] = []
      for (const route of guarded) {
        const fault = await faultOf(() => ask(route, spell))
        if (fault !== null) wrong.push(`${route.method} ${route.path}: ${fault}`)
      }
      expect(wrong).to.deep.equal([])
    })
  }

  /**
   * Evidence that the handler behind a guard ran: a response that no guard sends, or a database
   * command. The process sends occasional commands of its own, but not every time.
   */
  const faultOf = async (send: () => Promise<Answer>): Promise<string | null> => {
    let fault: string | null = null
    for (let attempt = 0; attempt < 3; attempt += 1) {
      commands.length = 0
      const { status } = await send()
      const sent = commands.join()
      if (status === 401 || status === 403) return null
      if (![400, 404, 405].includes(status)) return `answers ${status}`
      if (sent === '') return null
      fault = `${status} after ${sent}`
    }
    return fault
  }

  it('finds the management under its exact spelling only', async () => {
    for (const path of ['/ADMIN/roles', '/Admin/roles', '/admin/Roles', '//admin/roles']) {
      expect((await server.get(path)).status, path).to.equal(404)
    }
    expect((await server.get('/admin/roles')).status).to.equal(200)
  })

  it('guards routes instead of path prefixes', () => {
    const folder = new URL('../../../../src/', import.meta.url)
    const using = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .filter((name) => /\b[Rr]outer\.use\(/.test(readFileSync(new URL(name, folder), 'utf8')))
    expect(using).to.deep.equal([])
  })
})

/** The path with parameter values that match no row. */
function concrete(path: string): string {
  return path
    .replaceAll(/\{\*\w+\}/g, 'nothing')
    .replaceAll(/:action\b/g, 'publish')
    .replaceAll(/:\w+/g, 'nothing')
}
