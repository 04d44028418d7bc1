import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../../src/base/config/config.ts'
import { loadDefinitions } from '../../../src/schema/load.ts'
import { documentContext } from '../../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../../src/server/services/open-services.ts'
import { exportArchive, type ExportReport } from '../../../src/transfer/export/export-archive.ts'
import { type ArchiveReport, importArchive } from '../../../src/transfer/import-archive.ts'
import { jsonLines, readArchive } from '../../../src/transfer/read-archive.ts'
import { addAdministrator, signIn } from '../../support/admin-client.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { png } from '../../media/sample-images.ts'
import { type Library, loadLibrary, openLibrary } from '../../contract/library.ts'

const TRANSLATIONS = { de: { alternativeText: 'Ein Bild' }, fr: { caption: 'Une image' } }

describe('exportArchive', () => {
  let source: Library
  let target: TestServer
  let folder: string
  let archive: string
  let original: Buffer
  let cropped: Json
  const opened: Services[] = []

  const open = async (server: TestServer): Promise<Services> => {
    const services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: server.contentTypesDir,
        QUIRE_DATA_DIR:
          server === target
            ? path.join(folder, 'target')
            : path.join(server.contentTypesDir, 'data'),
        MONGODB_DATABASE: server.database,
        QUERY_TIMEOUT_MS: '20000',
        MONITOR_COMMANDS: 'off',
      }),
      deployment: { uri: server.uri },
      log: pino({ level: 'silent' }),
    })
    opened.push(services)
    return services
  }

  const exportTo = async (
    name: string,
    {
      key = null,
      during = () => Promise.resolve(),
    }: { key?: string | null; during?: () => Promise<void> } = {},
  ): Promise<ExportReport> => {
    const { database, schema, locales, access, storage } = await open(source.server)
    const documents = documentContext(database, schema)
    let first = true
    return exportArchive({
      target: { path: path.join(folder, name), key },
      documents: {
        ...documents,
        database: new Proxy(database, {
          get: (of, member) => {
            if (member === 'collection' && first) {
              first = false
              void during()
            }
            return Reflect.get(of, member) as unknown
          },
        }),
      },
      schema,
      declarations: await loadDefinitions(source.server.contentTypesDir),
      locales: await locales.current(),
      access,
      storage,
      spoolFolder: path.join(folder, 'spool'),
    })
  }

  const importInto = async (
    server: TestServer,
    name: string,
    key: string | null = null,
    intoExisting = false,
  ): Promise<ArchiveReport> => {
    const { database, schema, locales, access, storage, folders } = await open(server)
    const documents = documentContext(database, schema)
    return importArchive({
      file: { path: path.join(folder, name), key },
      schema,
      locales: () => locales.current(),
      destination: {
        documents,
        access,
        locales,
        storage,
        folders,
        spoolFolder: path.join(folder, 'spool'),
      },
      intoExisting,
    })
  }

  /** Reads all lists completely, in both statuses and all locales. */
  const everything = async (server: TestServer): Promise<Json> => {
    const answers: Json = {}
    const { body } = await server.get('/admin/content-types')
    for (const { uid, kind, pluralName, singularName } of body.data as Json[]) {
      if (!String(uid).startsWith('api::')) continue
      const name = kind === 'singleType' ? singularName : pluralName
      for (const status of ['draft', 'published']) {
        for (const locale of ['en', 'fr', 'de']) {
          const query = `populate=*&status=${status}&locale=${locale}&pagination[pageSize]=100`
          const { status: code, body: shown } = await server.get(`/api/${name}?${query}`)
          answers[`${name} ${query}`] = [code, shown]
        }
      }
    }
    for (const at of [
      '/api/upload/files?sort=id',
      '/api/users?sort=id&populate=*',
      '/api/i18n/locales',
    ]) {
      answers[at] = (await server.get(at)).body
    }
    const { folders, database } = await open(server)
    answers['folders'] = await folders.list()
    answers['inFolders'] = await database
      .collection('files')
      .find({}, { projection: { documentId: 1, folder: 1 }, sort: { _id: 1 } })
      .toArray()
    answers['comments'] = await database
      .collection('quire_comments')
      .find({}, { sort: { _id: 1 } })
      .toArray()
    answers['roles'] = (await server.get('/admin/roles')).body
    answers['tokens'] = (await server.get('/admin/api-tokens')).body
    return JSON.parse(JSON.stringify(answers))
  }

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-export-'))
    source = await openLibrary('export_source')
    await loadLibrary(source)
    await source.as('root', 'PUT', '/api/homepage', {
      data: { title: 'Home', highlights: ['{{a1}}'] },
    })
    const { folders, database } = await open(source.server)
    const { id } = await folders.create({ name: 'Kept' })
    await database.collection('files').updateOne({}, { $set: { folder: id } })
    await comment()
    const [file] = (await source.server.get('/api/upload/files?sort=id')).body
    const body = { fileInfo: { translations: TRANSLATIONS } }
    await source.server.send('POST', `/api/upload?id=${file.id}`, { body })
    await crop()
    archive = 'backup.tar.gz'
    target = await serve('export_target', {
      contentTypes: source.server.contentTypesDir,
      environment: { QUIRE_DATA_DIR: path.join(folder, 'target') },
    })
  })
  /** One on an entry, and one on an entry in the trash, of which archives have nothing. */
  const comment = async (): Promise<void> => {
    await addAdministrator(source.server, 'Ada', ['administrator'])
    const ada = await signIn(source.server, 'ada@example.org')
    for (const text of ['Kept', 'Deleted']) {
      const made = await source.server.post('/api/articles', { title: text, slug: text })
      const entry = `/admin/content/api::article.article/${made.body.data.documentId}`
      const body = { text, attribute: 'title' }
      expect((await ada.send('POST', `${entry}/comments`, body)).status).to.equal(201)
      if (text === 'Deleted') await ada.send('DELETE', entry)
    }
  }
  const crop = async (): Promise<void> => {
    original = await png(300, 200)
    const { server } = source
    const body = multipart({ files: [{ name: 'map.png', content: original, type: 'image/png' }] })
    cropped = (await server.send('POST', '/api/upload', { headers: MULTIPART, body })).body[0]
    const area = { x: 10, y: 10, width: 100, height: 100 }
    const answer = await server.send('PUT', `/admin/files/${cropped.id}/crop`, { body: area })
    expect(answer.status, answer.text).to.equal(200)
  }
  after(async () => {
    for (const services of opened) await services.close()
    await source.close()
    await target.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('restores an identical database, including ids, when imported', async () => {
    const report = await exportTo(archive)
    expect(report).to.include({ isConsistent: true })
    expect(report.missing).to.deep.equal([])
    await importInto(target, archive)
    const restored = await everything(target)
    const { comments, ...others } = await everything(source.server)
    expect(restored).to.deep.include(others)
    expect(others['/api/upload/files?sort=id'][0].translations).to.deep.equal(TRANSLATIONS)
    const kept = comments.filter(({ text }: Json) => text === 'Kept')
    expect(kept).to.have.length(1)
    expect(restored.comments).to.deep.equal(kept)
  })

  it('restores the original of a cropped picture, which no address leads to', async () => {
    const stored = await target.storedFiles()
    expect(stored.filter((name) => name.startsWith('original_private_'))).to.have.length(1)
    const paths: string[] = []
    for await (const entry of readArchive({ path: path.join(folder, archive), key: null })) {
      if (entry.path.includes('original_')) paths.push(entry.path)
      entry.bytes.resume()
    }
    expect(paths.map((each) => path.dirname(each))).to.deep.equal(['quire/originals'])
    const file = `/api/upload/files/${cropped.documentId}`
    expect((await target.get(file)).body).to.include({ width: 100, height: 100 })
    const reset = await target.delete(`/admin/files/${cropped.documentId}/crop`)
    expect(reset.status, reset.text).to.equal(200)
    const { url, width } = (await target.get(file)).body
    const response = await fetch(`http://127.0.0.1:${target.port}${url}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([width, bytes.equals(original)]).to.deep.equal([300, true])
    const area = { x: 10, y: 10, width: 100, height: 100 }
    const again = `/admin/files/${cropped.documentId}/crop`
    expect((await target.send('PUT', again, { body: area })).status).to.equal(200)
  })

  it('changes no data when imported again', async () => {
    const client = await MongoClient.connect(target.uri)
    const rows = async (): Promise<unknown> => {
      const db = client.db(target.database)
      const names = (await db.listCollections().toArray()).map(({ name }) => name)
      const own = names.filter((name) => !name.startsWith('quire_')).sort()
      return Promise.all(
        own.map((name) =>
          db
            .collection(name)
            .find({}, { sort: { _id: 1 } })
            .toArray(),
        ),
      )
    }
    const before = await rows()
    const report = await importInto(target, archive)
    expect(Object.values(report.types).map(({ added }) => added)).to.satisfy((all: number[]) =>
      all.every((added) => added === 0),
    )
    expect(await rows()).to.deep.equal(before)
    await client.close()
  })

  it('reuses a folder with the same name', async () => {
    const other = await serve('export_folders', {
      contentTypes: source.server.contentTypesDir,
      environment: { QUIRE_DATA_DIR: path.join(folder, 'other') },
    })
    try {
      const { folders } = await open(other)
      const { id } = await folders.create({ name: 'Kept' })
      await importInto(other, archive)
      await importInto(other, archive)
      expect((await folders.list()).map((each) => [each.id, each.path, each.files])).to.deep.equal([
        [id, 'Kept', 1],
      ])
    } finally {
      await other.close()
    }
  })

  it('adds files with their texts in all languages to other content', async () => {
    const other = await serve('export_existing', {
      contentTypes: source.server.contentTypesDir,
      environment: { QUIRE_DATA_DIR: path.join(folder, 'existing') },
    })
    try {
      await other.post('/api/articles?status=draft', { title: 'here', slug: 'here' })
      await importInto(other, archive, null, true)
      // The server learns of the imported locales within a second.
      const isKnown = async (): Promise<boolean> =>
        (await other.get('/api/i18n/locales')).body.length > 2
      await until(isKnown, 20_000)
      const { body } = await other.get('/api/upload/files')
      const translated = body.filter((file: Json) => file.translations !== undefined)
      expect(translated.map((file: Json) => file.translations)).to.deep.equal([TRANSLATIONS])
    } finally {
      await other.close()
    }
  })

  it('is followed by new ids', async () => {
    const { body } = await target.get('/api/articles?status=draft&sort=id:desc&pagination[limit]=1')
    const made = await target.post('/api/articles?status=draft', { title: 'after', slug: 'after' })
    expect(made.status, made.text).to.equal(201)
    expect(made.body.data.id).to.be.above(body.data[0].id)
  })

  it('has the layout of the reference with rows before links and metadata last', async () => {
    const paths: string[] = []
    const lines: Json[] = []
    for await (const entry of readArchive({ path: path.join(folder, archive), key: null })) {
      paths.push(entry.path)
      if (!/^(?:entities|links)\//.test(entry.path)) entry.bytes.resume()
      else for await (const line of jsonLines(entry)) lines.push(line)
    }
    const rows = new Set(lines.map(({ type, id }) => `${type} ${id}`))
    for (const { data } of lines.filter((line) => 'data' in line)) {
      expect(data).to.include.keys('documentId', 'createdAt', 'publishedAt', 'locale')
    }
    const ends = lines.flatMap(({ left, right }) => (left === undefined ? [] : [left, right]))
    expect(ends.length).to.be.above(20)
    const dangling = ends.filter(
      ({ type, ref }) => String(type).includes('::') && !rows.has(`${type} ${ref}`),
    )
    expect(dangling).to.deep.equal([])
    expect(paths.at(0)).to.equal('schemas/schemas_00001.jsonl')
    expect(paths.at(-1)).to.equal('metadata.json')
    expect(paths).to.include.members(['entities/entities_00001.jsonl', 'links/links_00001.jsonl'])
  })

  it('is encrypted with a key and only readable with it', async () => {
    await exportTo('backup.tar.enc', { key: 'a key' })
    const open = async (key: string | null): Promise<string[]> => {
      const paths: string[] = []
      for await (const entry of readArchive({ path: path.join(folder, 'backup.tar.enc'), key })) {
        paths.push(entry.path)
        entry.bytes.resume()
      }
      return paths
    }
    expect(await open('a key')).to.include('metadata.json')
    for (const key of [null, 'another']) {
      expect(await open(key).catch((error: unknown) => String(error))).to.be.a('string')
    }
  })

  it('is checked for damage before any write', async () => {
    await exportTo('plain.tar')
    const bytes = readFileSync(path.join(folder, 'plain.tar'))
    const at = bytes.indexOf('"type":"api::', bytes.indexOf('quire/rows_00001.jsonl'))
    bytes.write('x', at + 40)
    writeFileSync(path.join(folder, 'damaged.tar'), bytes)
    const empty = await serve('export_empty', { contentTypes: source.server.contentTypesDir })
    try {
      const refused = await importInto(empty, 'damaged.tar').catch((error: unknown) =>
        String(error),
      )
      expect(refused).to.match(/damaged: quire\/rows/)
      expect(await empty.count('articles')).to.equal(0)
    } finally {
      await empty.close()
    }
  })

  it('is consistent during concurrent writes', async () => {
    const made: string[] = []
    const during = async (): Promise<void> => {
      for (let n = 0; n < 20; n += 1) {
        const data = { title: `during ${n}`, slug: `during-${n}` }
        made.push((await source.server.post('/api/articles', data)).body.data.documentId)
      }
    }
    const report = await exportTo('during.tar', { during })
    expect(report.isConsistent).to.equal(true)
    const seen: string[] = []
    for await (const entry of readArchive({ path: path.join(folder, 'during.tar'), key: null })) {
      if (!entry.path.startsWith('entities/')) {
        entry.bytes.resume()
        continue
      }
      for await (const { data } of jsonLines(entry)) {
        const { documentId, title } = data as Json
        if (String(title).startsWith('during')) seen.push(documentId)
      }
    }
    const counts = new Map<string, number>()
    for (const id of seen) counts.set(id, (counts.get(id) ?? 0) + 1)
    expect(
      [...counts.values()].every((count) => count === 2),
      'draft and publication',
    ).to.equal(true)
    const last = Math.max(-1, ...[...counts.keys()].map((id) => made.indexOf(id)))
    expect([...counts.keys()].sort()).to.deep.equal(made.slice(0, last + 1).sort())
  })
})
