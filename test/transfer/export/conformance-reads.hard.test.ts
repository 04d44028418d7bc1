import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/cli.js', import.meta.url))
const SUITE =
  process.env['CONFORMANCE_DIR'] ??
  fileURLToPath(new URL('../../../../../shared/conformance', import.meta.url))
const run = promisify(execFile)
const hasSuite = existsSync(path.join(SUITE, 'run.mjs'))

/** The parts of a case that fixtures and reads use. See the README of the suite. */
interface Step {
  readonly method: string
  readonly path: string
  readonly query?: Json
  readonly rawQuery?: string
  readonly body?: Json
  readonly multipart?: Json
  readonly auth?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly capture?: Readonly<Record<string, string>>
}

interface SuiteLibrary {
  serialiseQuery(query: Json): string
  multipartBody(parts: Json): Promise<{ readonly type: string; readonly data: Buffer }>
}

interface Read {
  readonly id: string
  readonly path: string
  readonly headers: Record<string, string>
}

type Variables = Record<string, unknown>

/** Fields that depend on the request, such as its time and id. */
const OF_A_REQUEST = ['status', 'content-type', 'etag', 'content-language', 'link']

describe('the conformance content after export and import', () => {
  let source: TestServer
  let target: TestServer
  let folder: string
  let tokens: Readonly<Record<string, string>>
  let library: SuiteLibrary

  before(async function () {
    if (!hasSuite) this.skip()
    library = (await import(pathToFileURL(path.join(SUITE, 'lib/http.mjs')).href)) as SuiteLibrary
    folder = mkdtempSync(path.join(tmpdir(), 'quire-conformance-reads-'))
    const contentTypes = path.join(SUITE, 'content-types')
    const open = (label: string): Promise<TestServer> =>
      serve(label, {
        contentTypes,
        environment: { RATE_LIMIT: 'off', QUIRE_DATA_DIR: path.join(folder, label) },
      })
    source = await open('reads_source')
    target = await open('reads_target')
    const base = ['--base', `http://127.0.0.1:${source.port}`]
    const out = path.join(folder, 'tokens.json')
    const args = [...base, '--root-token', ROOT_TOKEN, '--out', out]
    await run(process.execPath, [path.join(SUITE, 'prepare.mjs'), ...args])
    tokens = JSON.parse(readFileSync(out, 'utf8')) as Record<string, string>
  })
  after(async () => {
    if (!hasSuite) return
    await source.close()
    await target.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const quire = (server: TestServer, label: string, ...words: string[]): Promise<unknown> =>
    run(process.execPath, [CLI, ...words], {
      env: {
        PATH: process.env['PATH'],
        MONGODB_URI: server.uri,
        MONGODB_DATABASE: server.database,
        CONTENT_TYPES_DIR: server.contentTypesDir,
        QUIRE_DATA_DIR: path.join(folder, label),
        JWT_SECRET: 'secret-of-the-test',
      },
    })

  const substitute = (value: unknown, variables: Variables): unknown => {
    if (typeof value === 'string') {
      const alone = /^\{\{([\w.]+)\}\}$/.exec(value)?.[1]
      if (alone !== undefined && alone in variables) return variables[alone]
      return value.replaceAll(/\{\{([\w.]+)\}\}/g, (whole, name: string) =>
        name in variables ? String(variables[name]) : whole,
      )
    }
    if (Array.isArray(value)) return value.map((each) => substitute(each, variables))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, substitute(each, variables)]),
    )
  }

  const addressOf = (step: Step, variables: Variables): string => {
    const query =
      step.rawQuery === undefined
        ? library.serialiseQuery((substitute(step.query ?? {}, variables) ?? {}) as Json)
        : String(substitute(step.rawQuery, variables))
    return `${String(substitute(step.path, variables))}${query === '' ? '' : `?${query}`}`
  }

  const setUp = async (steps: readonly Step[]): Promise<Variables> => {
    const variables: Variables = {}
    for (const step of steps) {
      const headers: Record<string, string> = { Authorization: `Bearer ${tokens['full']}` }
      let body: string | Buffer | undefined
      if (step.multipart !== undefined) {
        const parts = substitute(step.multipart, variables) as Json
        const { type, data } = await library.multipartBody(parts)
        headers['Content-Type'] = type
        body = data
      } else if (step.body !== undefined) {
        headers['Content-Type'] = 'application/json'
        body = JSON.stringify(substitute(step.body, variables))
      }
      const at = `http://127.0.0.1:${source.port}${addressOf(step, variables)}`
      const sent = { method: step.method, headers, ...(body !== undefined && { body }) }
      const answer = await fetch(at, sent)
      const shown = await answer.text()
      expect(answer.status, `${step.method} ${step.path}: ${shown}`).to.be.below(300)
      for (const [name, where] of Object.entries(step.capture ?? {})) {
        const found = where.split('.').reduce<Json>((held, key) => held?.[key], JSON.parse(shown))
        variables[name] = found
      }
    }
    return variables
  }

  /** Returns every GET of cases based on the fixture, except those that refer to their own entries. */
  const readsOf = (variables: Variables): readonly Read[] => {
    const cases = path.join(SUITE, 'cases')
    const names = readdirSync(cases).filter((name) => !name.startsWith('_'))
    const all = names.flatMap(
      (name) => JSON.parse(readFileSync(path.join(cases, name), 'utf8')) as Json[],
    )
    return all
      .filter(({ fixture }) => fixture === 'library')
      .flatMap(({ id, steps }) =>
        (steps as readonly Step[])
          .filter(({ method, auth }) => method === 'GET' && (auth ?? 'public') !== 'user')
          .map((step) => ({
            id: String(id),
            path: addressOf(step, variables),
            headers: {
              ...(typeof step.auth === 'string' &&
                tokens[step.auth] !== undefined && {
                  Authorization: `Bearer ${tokens[step.auth]}`,
                }),
            },
          })),
      )
      .filter((read) => !read.path.includes('{{'))
  }

  const answerOf = async ({ port }: TestServer, { path: at, headers }: Read): Promise<Json> => {
    const answer = await fetch(`http://127.0.0.1:${port}${at}`, { headers })
    const own = OF_A_REQUEST.map((name) => [name, answer.headers.get(name)])
    return { status: answer.status, headers: own, body: await answer.text() }
  }

  it('is returned byte for byte as before, with the original tokens', async () => {
    const text = readFileSync(path.join(SUITE, 'cases/_fixtures.json'), 'utf8')
    const fixtures: Json = JSON.parse(text)
    const variables = await setUp(fixtures.library.steps as readonly Step[])
    const reads = readsOf(variables)
    expect(reads.length).to.be.above(300)
    const archive = path.join(folder, 'backup.tar.gz')
    await quire(source, 'reads_source', 'export', archive)
    await quire(target, 'reads_target', 'import', 'archive', archive)
    const faults: string[] = []
    let found = 0
    for (const read of reads) {
      const [was, is] = [await answerOf(source, read), await answerOf(target, read)]
      if (was.status === 200) found += 1
      if (JSON.stringify(was) === JSON.stringify(is)) continue
      faults.push(`${read.id} ${read.path}\n${JSON.stringify(was)}\n${JSON.stringify(is)}`)
    }
    expect(faults, faults.slice(0, 3).join('\n')).to.have.lengthOf(0)
    expect(found).to.be.above(250)
  })
})
