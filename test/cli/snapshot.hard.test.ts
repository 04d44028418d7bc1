import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@quire/client'
import { createStore, memoryStorage, sqliteSnapshot } from '@quire/client/sync'
import { expect } from 'chai'
import sqlite from 'node-sqlite3-wasm'
import { declare, type Json, serve, type TestServer } from '../support/server.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { contentPlanOf } from '../../tools/simulate/src/models/content-plan-of.ts'
import { openSqliteFile } from '../clients/store/sqlite-database.ts'
import { until } from '../support/until.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))
const CLIENT = new URL('../../../docs/sync/client.mjs', import.meta.url)
const PERMITTED = ['article', 'tag'].flatMap((name) => [
  `api::${name}.${name}.find`,
  `api::${name}.${name}.sync`,
])

interface Store {
  readonly rows: Map<string, Json>
  getToken(): Promise<string | null>
  apply(changes: readonly object[], next: string): Promise<void>
}

interface Client {
  memoryStore(): Store
  openCopy(options: object): { pull(): Promise<boolean> }
}

describe('quire snapshot', () => {
  let server: TestServer
  let client: Client
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-snapshot-'))

  before(async () => {
    server = await serve('snapshot', {
      contentTypes: {
        article: declare(
          'article',
          {
            title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
            tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
          },
          { draftAndPublish: true, localized: true },
        ),
        tag: declare('tag', {
          name: { type: 'string' },
          secret: { type: 'string', private: true },
        }),
      },
      locales: ['fr'],
      permitted: PERMITTED,
    })
    client = (await import(CLIENT.href)) as Client
    for (let each = 0; each < 12; each += 1) {
      const tag = (await server.post('/api/tags', { name: `t${each}`, secret: 'hidden' })).body.data
      const article = await server.post('/api/articles', {
        title: `a${each}`,
        tags: [tag.documentId],
      })
      await server.put(`/api/articles/${article.body.data.documentId}?locale=fr`, {
        title: `f${each}`,
      })
    }
    await server.post('/api/articles?status=draft', { title: 'a draft' })
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await server.close()
  })

  const quire = async (...words: readonly string[]): Promise<{ code: number; said: string }> => {
    const child = spawn(process.execPath, [CLI, 'snapshot', ...words], {
      env: {
        PATH: process.env['PATH'],
        MONGODB_URI: server.uri,
        MONGODB_DATABASE: server.database,
        CONTENT_TYPES_DIR: server.contentTypesDir,
        QUIRE_DATA_DIR: path.join(folder, 'data'),
        JWT_SECRET: 'secret-of-the-test',
      },
    })
    let said = ''
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (text: Buffer) => (said += text.toString()))
    }
    const [code] = (await once(child, 'close')) as [number]
    return { code, said }
  }

  const copyOf = (store: Store, scope: object) =>
    client.openCopy({ url: `http://127.0.0.1:${server.port}`, scope, store })
  const rowsOf = ({ rows }: Store): Json =>
    [...rows.values()]
      .map(({ op: _op, ...row }) => row)
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const keyOf = ({ type, documentId, locale }: Json): string =>
    `${type} ${documentId} ${locale ?? ''}`

  /** Checks that a client can load the file as a finished sync and continue from its token. */
  async function assertGoesOn(rows: readonly Json[], token: string, scope: object): Promise<void> {
    const fresh = client.memoryStore()
    await copyOf(fresh, scope).pull()
    const store = client.memoryStore()
    await store.apply(
      rows.map((row) => ({ kind: 'put', key: keyOf(row), row })),
      token,
    )
    expect(rowsOf(store)).to.deep.equal(rowsOf(fresh))
    const asked: string[] = []
    const copy = client.openCopy({
      url: `http://127.0.0.1:${server.port}`,
      scope,
      store,
      fetch: async (url: string, init: RequestInit) => {
        const response = await fetch(url, init)
        asked.push(await response.clone().text())
        return response
      },
    })
    await copy.pull()
    expect(asked.map((text) => JSON.parse(text).items)).to.deep.equal([[]])
    const name = `after ${token.length} ${Math.random()}`
    const { documentId } = (await server.post('/api/tags', { name })).body.data
    await until(async () => {
      await copy.pull()
      return store.rows.has(`tag ${documentId} `)
    }, 10_000)
    expect(asked.join('').match(/"op"/g), 'nothing but what has changed').to.have.lengthOf(1)
  }

  it('leaves out types whose rules depend on the user', async () => {
    const setRights = async (rules: readonly object[], permissions: readonly string[]) => {
      const body = { rules, permissions }
      const answer = await server.send('PUT', '/admin/roles/public', { body })
      expect(answer.status, answer.text).to.equal(200)
    }
    const [, , ...ofTags] = PERMITTED
    const rule = { action: 'api::article.article.sync', where: { createdBy: '$user' } }
    await setRights([rule], ['api::article.article.find', ...ofTags])
    const file = path.join(folder, 'personal.ndjson')
    const left = await quire('--types', 'article,tag', '--locale', '*', '--out', file)
    const refused = await quire('--types', 'article', '--out', path.join(folder, 'none.ndjson'))
    const open = { ...rule, where: { title: { $startsWith: 'a1' } } }
    await setRights([open], ['api::article.article.find', ...ofTags])
    const ruled = path.join(folder, 'ruled.ndjson')
    const written = await quire('--types', 'article', '--locale', 'en', '--out', ruled)
    await setRights([], PERMITTED)
    expect(left.code, left.said).to.equal(0)
    expect(left.said).to.include('Left out, because their rules depend on the user: article.')
    const rows = readFileSync(file, 'utf8').trim().split('\n').slice(0, -1)
    expect(new Set(rows.map((row) => JSON.parse(row).type))).to.deep.equal(new Set(['tag']))
    expect(refused.code).not.to.equal(0)
    expect(written.code, written.said).to.equal(0)
    expect(readFileSync(ruled, 'utf8').match(/"op":"put"/g)).to.have.length(3)
  })

  it('writes NDJSON that a client can continue from', async () => {
    const file = path.join(folder, 'app.ndjson')
    const { code, said } = await quire('--types', 'article,tag', '--locale', '*', '--out', file)
    expect(code, said).to.equal(0)
    expect(said).to.match(/^Wrote .*: 36 rows/m)
    const text = readFileSync(file, 'utf8')
    expect(text).not.to.contain('hidden').and.not.to.contain('a draft')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    const end = lines.pop()
    expect(end.more).to.equal(false)
    await assertGoesOn(lines, end.next, { types: 'article,tag', locale: '*' })
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).to.deep.equal([])
  })

  it('writes a SQLite database with the same rows', async () => {
    const file = path.join(folder, 'app.db')
    const { code, said } = await quire('--types', 'article,tag', '--locale', '*', '--out', file)
    expect(code, said).to.equal(0)
    const database = new sqlite.Database(file, { readOnly: true })
    const rows = database.all('SELECT * FROM rows') as Json[]
    const token = database.get('SELECT token FROM sync') as Json
    expect(database.get('PRAGMA integrity_check')).to.deep.equal({ integrity_check: 'ok' })
    database.close()
    await assertGoesOn(
      rows.map(({ data, locale, ...row }) => ({
        ...row,
        locale: locale === '' ? null : locale,
        data: JSON.parse(data),
      })),
      token.token,
      { types: 'article,tag', locale: '*' },
    )
  })

  it('supports fields, filters and roles', async () => {
    const file = path.join(folder, 'some.ndjson')
    const filters = '{"article":{"title":{"$in":["a1","a2"]}}}'
    const { code, said } = await quire(
      '--types',
      'article',
      '--fields',
      'article=title',
      '--filters',
      filters,
      '--out',
      file,
    )
    expect(code, said).to.equal(0)
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    expect(lines.slice(0, -1).map(({ data }) => data.title)).to.have.members(['a1', 'a2'])
    expect(Object.keys(lines[0].data)).to.have.members(['id', 'documentId', 'title'])
  })

  const refused: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['no file', ['--types', 'tag'], 2, /--out/],
    ['no types', ['--out', 'x.ndjson'], 2, /--types/],
    ['an unknown type', ['--types', 'nope', '--out', 'x.ndjson'], 2, /nope/],
    [
      'an unknown format',
      ['--types', 'tag', '--format', 'csv', '--out', 'x'],
      2,
      /ndjson or sqlite/,
    ],
    [
      'filters with invalid JSON',
      ['--types', 'tag', '--filters', '{', '--out', 'x'],
      2,
      /--filters/,
    ],
    [
      'a role without permission',
      ['--types', 'tag', '--role', 'authenticated', '--out', 'x'],
      1,
      /api::tag.tag/,
    ],
    [
      'drafts without permission',
      ['--types', 'article', '--status', 'draft', '--out', 'x'],
      1,
      /readDrafts/,
    ],
    [
      'an unknown key',
      ['--types', 'tag', '--token', 'f'.repeat(64), '--out', 'x'],
      1,
      /credentials/,
    ],
    ['a missing folder', ['--types', 'tag', '--out', '/nowhere/at/all/x'], 1, /nowhere/],
  ]
  it('refuses invalid requests and leaves no file', async () => {
    for (const [what, words, status, why] of refused) {
      const { code, said } = await quire(...words)
      expect([what, code], said).to.deep.equal([what, status])
      expect(said).to.match(why)
    }
    expect(existsSync('x')).to.equal(false)
  })

  for (const format of ['ndjson', 'sqlite'] as const) {
    it(`writes a file that the client store opens and continues from: ${format}`, async () => {
      const file = path.join(folder, `store.${format}`)
      const asked = ['--types', 'article,tag', '--locale', 'en,fr', '--format', format]
      const { code, said } = await quire(...asked, '--out', file)
      expect(code, said).to.equal(0)
      const content: Json = contentPlanOf(await loadSchema(server.contentTypesDir))
      const base = `http://127.0.0.1:${server.port}`
      const answers: Json[] = []
      const counting = async (url: string | URL | Request, init?: RequestInit) => {
        const response = await fetch(url, init)
        answers.push(await response.clone().json())
        return response
      }
      const open = (more: object): Promise<Json> =>
        createStore({
          content,
          client: createClient<Json>(
            { articles: 'collection', tags: 'collection' },
            { url: base, fetch: counting },
          ),
          types: ['articles', 'tags'],
          locale: ['en', 'fr'],
          storage: memoryStorage(),
          ...more,
        } as Json)
      const database = format === 'sqlite' ? openSqliteFile(file) : null
      const read = (): Promise<string> =>
        database === null ? Promise.resolve(readFileSync(file, 'utf8')) : sqliteSnapshot(database)
      const store = await open({ snapshot: read })
      database?.close()
      expect(answers).to.have.length(0)
      expect(store.$status()).to.include({ isComplete: true })
      const fresh = await open({})
      await fresh.$sync()
      for (const locale of ['en', 'fr']) {
        const query = { locale, sort: 'title', pageSize: 100, populate: { tags: true } }
        const shown = store.articles.query(query)
        expect(shown.total).to.equal(12)
        expect(shown).to.deep.equal(fresh.articles.query(query))
      }
      answers.length = 0
      const name = `since the snapshot in ${format}`
      const made = (await server.post('/api/tags', { name })).body.data
      await until(async () => {
        await store.$sync()
        return store.tags.query({ filters: { name } }).total === 1
      }, 10_000)
      const items = answers.flatMap((answer) => answer.items)
      expect(items.map(({ op, documentId }) => [op, documentId])).to.deep.equal([
        ['put', made.documentId],
      ])
      await Promise.all([store.$close(), fresh.$close()])
    })
  }
})
