import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { pino } from 'pino'
import { compileSample, SAMPLE_UIDS } from '../../scripts/sample/sample-parts.ts'
import { seedSample } from '../../scripts/sample/seed-sample.ts'
import { SILENT } from '../../scripts/sample/show-progress.ts'
import { readConfig } from '../../src/config/config.ts'
import { OPERATORS } from '../../src/query/query.ts'
import { openServices } from '../../src/services/open-services.ts'
import { type Json, ROOT_TOKEN, serve, type TestServer } from './server.ts'

const ROOT = new URL('../../../', import.meta.url)
const PAGE = readFileSync(new URL('docs/api.md', ROOT), 'utf8')
const CITIES = 300

/** Each example: a `curl` line of an indented block, with the lines that a backslash or an open quote adds. */
function examplesIn(page: string): readonly string[] {
  const lines = page.split('\n').filter((line) => line.startsWith('    '))
  const examples: string[] = []
  for (const line of lines) {
    if (line.startsWith('    curl ')) examples.push(line.trim())
    else examples.push(`${examples.pop() ?? ''}\n${line}`)
  }
  return examples
}

describe('docs/api.md', () => {
  let server: TestServer
  let folder: string

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-api-page-'))
    const contentTypes = join(folder, 'content-types') // an example changes one
    cpSync(fileURLToPath(new URL('content-types', ROOT)), contentTypes, { recursive: true })
    const reads = SAMPLE_UIDS.flatMap((uid) =>
      uid === 'api::homepage.homepage' ? [`${uid}.find`] : [`${uid}.find`, `${uid}.findOne`],
    )
    server = await serve('api_page', {
      contentTypes,
      editableTypes: true,
      environment: { RATE_LIMIT: 'off' },
      permitted: [...reads, 'query::home-feed', 'query::country-by-code'],
    })
    const services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: contentTypes,
        QUIRE_DATA_DIR: folder,
        MONGODB_DATABASE: server.database,
      }),
      deployment: { uri: server.uri },
      log: pino({ level: 'silent' }),
    })
    await seedSample(services, compileSample(CITIES), SILENT)
    await services.close()
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The answer of one example, run by a shell as it is printed. */
  const run = async (example: string, documentId: string): Promise<Json> => {
    const isEndless = example.includes('/api/_live')
    const seconds = isEndless ? 2 : 20
    const command = example.replace(
      /^curl /,
      `curl -sS -w '\\n%{http_code}' --max-time ${seconds} `,
    )
    const ended = isEndless ? `${command} || [ $? -eq 28 ]` : command // 28: the time was over
    const { stdout } = await promisify(execFile)('bash', ['-c', ended], {
      cwd: fileURLToPath(ROOT),
      env: {
        ...process.env,
        QUIRE: `http://127.0.0.1:${server.port}`,
        TOKEN: ROOT_TOKEN,
        ID: documentId,
      },
    })
    const [, text = '', status] = /^([^]*)\n(\d{3})$/.exec(stdout) ?? []
    expect(status, `${example}\n${text}`).to.match(/^20\d$/)
    if (isEndless) {
      expect(text).to.match(/^id: \S+\n/)
      return null
    }
    const [first = ''] = example.includes('/api/_bulk') ? text.split('\n') : [text]
    return first === '' ? null : JSON.parse(first)
  }

  it('has examples that work as printed, one after the other', async () => {
    const examples = examplesIn(PAGE)
    expect(examples.length).to.be.above(40)
    let documentId = ''
    for (const example of examples) {
      const answer = await run(example, documentId)
      const data = Array.isArray(answer?.data) ? answer.data[0] : answer?.data
      if (Array.isArray(answer?.data) && !example.includes('status=draft')) {
        expect(answer.data, example).to.not.deep.equal([])
      }
      documentId = data?.documentId ?? documentId
    }
  })

  it('names every operator, and none that there is not', () => {
    const named = new Set([...PAGE.matchAll(/`\$(\w+)`/g)].map(([, name = '']) => name))
    expect([...named].sort()).to.deep.equal(
      [...OPERATORS, 'and', 'or', 'not', 'ID', 'QUIRE', 'TOKEN'].sort(),
    )
  })

  it('names every route with its permission, and none that there is not', () => {
    const documented = [...PAGE.matchAll(/^\| `([A-Z]+) (\/\S+)` +\|(?: ([^|]*) \|)?/gm)].map(
      ([, method = '', path = '', permission = '']) => {
        const [action = ''] = /`([^`]*)`/.exec(permission) ?? []
        return { route: `${method} ${path}`, permission: action.replaceAll('`', '') }
      },
    )
    const declared = server.routes
      .filter(
        ({ path }) => !/^\/api\/(?:categories|cities|countries|currencies|languages)\b/.test(path),
      )
      // The dialect answers GET on these paths with a 404, for which no router but a route can care.
      .filter(
        ({ access, method, path }) =>
          !(access === 'everyone' && method === 'get' && path.startsWith('/api/auth/')),
      )
    const routeOf = ({ method, path }: { method: string; path: string }): string =>
      `${method.toUpperCase()} ${path.replace('{*provider}', ':provider')}`
    const refresh = 'POST /api/auth/refresh' // only with UP_JWT_MANAGEMENT=refresh
    expect(
      documented
        .map(({ route }) => route)
        .filter((route) => route !== refresh)
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
