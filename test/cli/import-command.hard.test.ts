import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Json, serve, type TestServer } from '../support/server.ts'
import { CONTENT_TYPES } from '../contract/content-types.ts'
import { type Library, loadLibrary, openLibrary } from '../contract/library.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))

/** Keys whose values differ between servers with equal content. */
const OWN = new Set(['id', 'createdAt', 'updatedAt', 'url', 'hash', 'provider'])

function same(value: Json): Json {
  if (Array.isArray(value)) return value.map(same)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([name]) => !OWN.has(name))
  return Object.fromEntries(
    entries.map(([name, one]) => [name, name === 'publishedAt' ? one !== null : same(one)]),
  )
}

describe('quire import url', () => {
  let source: Library
  let target: TestServer
  let folder: string

  before(async () => {
    source = await openLibrary('import_source')
    await loadLibrary(source)
    await source.as('root', 'PUT', '/api/homepage', {
      data: { title: 'Home', highlights: ['{{a1}}'] },
    })
    await source.as('root', 'PUT', '/api/homepage?locale=fr', { data: { title: 'Accueil' } })
    await source.as('root', 'PUT', '/api/setting', { data: { site_name: 'S' } })
    folder = mkdtempSync(path.join(tmpdir(), 'quire-import-'))
    for (const [name, declaration] of Object.entries(CONTENT_TYPES)) {
      const file = path.join(folder, `${name}.json`)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(declaration))
    }
    const environment = { UPLOAD_STORAGE: 'gridfs' }
    target = await serve('import_target', {
      contentTypes: folder,
      environment,
      locales: ['fr', 'de'],
    })
  })

  after(async () => {
    await source.close()
    await target.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function importUrl(
    ...words: readonly string[]
  ): Promise<{ status: number | null; out: string; error: string }> {
    const child = spawn(process.execPath, [CLI, 'import', 'url', ...words], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        CONTENT_TYPES_DIR: folder,
        MONGODB_URI: target.uri,
        MONGODB_DATABASE: target.database,
        UPLOAD_STORAGE: 'gridfs',
        QUIRE_DATA_DIR: path.join(folder, 'data'),
      },
    })
    const said = { out: '', error: '' }
    child.stdout.on('data', (chunk: Buffer) => void (said.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => void (said.error += chunk.toString()))
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, ...said }
  }

  const address = (): string => `http://127.0.0.1:${source.server.port}`
  const importAll = (option: string): ReturnType<typeof importUrl> =>
    importUrl(address(), '--token', source.tokens.root ?? '', option)

  it('stores no data in a dry run', async () => {
    const { status, out, error } = await importAll('--dry-run')
    expect(status, error).to.equal(0)
    expect(out)
      .to.match(/api::article.article +17 +0\n/)
      .and.include('A dry run')
    expect((await target.get('/api/articles?status=draft&locale=*')).body.data).to.deep.equal([])
    expect((await target.get('/api/upload/files')).body).to.deep.equal([])
  })

  it('imports documents with their ids, locales, statuses, relations and files', async () => {
    const { status, out, error } = await importAll('--json')
    expect(status, error).to.equal(0)
    const report = JSON.parse(out)
    expect(report.files).to.deep.equal({ read: 2, added: 2 })
    expect(report.notTaken).to.include(
      'api::article.article: secret, pass: what is private is not shown by the source',
    )
    const queries = [
      'articles?locale=*&sort=views,locale&populate[sections][populate]=*&populate[seo][populate]=*&populate[links]=true&populate[tags]=true&populate[author]=true&populate[related]=true&populate[cover]=true&populate[gallery]=true&populate[note]=true&populate[category]=true',
      'articles?status=draft&locale=*&sort=views,locale&populate=*',
      'categories?status=draft&locale=*&sort=code,locale&populate=articles',
      'tags?sort=name&populate=articles',
      'authors?sort=name&populate=*',
      'profiles?populate=*',
      'secret-notes?populate=*',
      'setting',
    ]
    for (const query of queries) {
      const [there, here] = [
        await source.as('root', 'GET', `/api/${query}`),
        await target.get(`/api/${query}`),
      ]
      expect(there.status, there.text).to.equal(200)
      const [mine, theirs] = [same(here.body.data), same(there.body.data)]
      for (const [index, entry] of [theirs].flat().entries()) {
        for (const [name, value] of Object.entries(entry)) {
          expect([mine].flat()[index]?.[name], `${query} ${index} ${name}`).to.deep.equal(value)
        }
      }
      expect([mine].flat()).to.have.lengthOf([theirs].flat().length)
    }
    const home = await target.get('/api/homepage?populate[highlights][fields]=title')
    expect(home.body.data).to.include({ title: 'Home' })
    expect(home.body.data.highlights[0].title).to.equal('Alpha one')
    expect((await target.get('/api/homepage?locale=fr')).body.data.title).to.equal('Accueil')
    const [file] = (await target.get('/api/upload/files?filters[name]=note.txt')).body
    expect((await target.get(file.url)).text).to.equal('hello text')
  })

  it('keeps existing content when the import runs again', async () => {
    await target.put(`/api/tags/${source.ids['red']}`, { name: 'crimson' })
    const { out, status } = await importAll('--json')
    const { types, files } = JSON.parse(out)
    expect(status).to.equal(0)
    expect(Object.values(types).map(({ added }: Json) => added)).to.have.members(
      Object.keys(types).map(() => 0),
    )
    expect(files).to.deep.equal({ read: 2, added: 0 })
    expect((await target.get(`/api/tags/${source.ids['red']}`)).body.data.name).to.equal('crimson')
  })

  it('reports types that it could not import and continues', async () => {
    const { out, status } = await importUrl(address())
    expect(status).to.equal(0)
    expect(out).to.match(/api::secret-note.secret-note: the source has no published content/)
  })

  it('refuses an invalid address and an invalid token', async () => {
    const [unreadable, refused, silent, named] = await Promise.all([
      importUrl('nowhere'),
      importUrl(address(), '--token', 'wrong'),
      importUrl('http://127.0.0.1:1'),
      importUrl('http://localhost:1'),
    ])
    expect(unreadable).to.include({ status: 1 })
    expect(refused.error).to.match(/answers 401 .* is the token/)
    expect(silent.error).to.match(/does not answer: connect ECONNREFUSED/)
    expect(named.error).to.match(/does not answer: connect ECONNREFUSED/)
  })
})
