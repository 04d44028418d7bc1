import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { pino } from 'pino'
import { type App, buildApp } from '../../src/server/app.ts'
import { readConfig } from '../../src/base/config/config.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../src/server/services/open-services.ts'
import { type ArchiveReport, importArchive } from '../../src/transfer/import-archive.ts'
import { readArchive } from '../../src/transfer/read-archive.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** Exports of the reference with its recorded responses, next to the checkout. See the README there. */
const ARCHIVES =
  process.env['STRAPI_ARCHIVE_DIR'] ??
  fileURLToPath(new URL('../../../../shared/strapi-archive', import.meta.url))

/** Requests with different responses, one per line, grouped by reason. */
const DIFFERENCES = new URL('../../../test/transfer/archive-differences.txt', import.meta.url)

/** Folders of the archive and their file counts. */
const FOLDERS: readonly (readonly [path: string, files: number])[] = [
  ['API Uploads', 15],
  ['Documents', 2],
  ['Empty – leer', 0],
  ['Photos', 4],
  ['Photos/2024 été', 4],
  ['Photos/2024 été/Rome 🏛', 4],
]

const TOKENS = { full: 'full-access', readonly: 'read-only', custom: 'custom' } as const

describe('archives of the reference and its recorded responses', () => {
  let test: TestDatabase
  let folder: string
  let services: Services
  let app: App
  let listener: Server | null = null

  before(async function () {
    if (!existsSync(join(ARCHIVES, 'export.tar.gz'))) this.skip()
    test = await openTestDatabase('real_archive')
    folder = await mkdtemp(join(tmpdir(), 'quire-real-archive-'))
    const config = readConfig({
      CONTENT_TYPES_DIR: join(ARCHIVES, 'content-types'),
      QUIRE_DATA_DIR: folder,
      MONGODB_DATABASE: test.name,
      JWT_SECRET: 'secret-of-the-test',
      RATE_LIMIT: 'off',
    })
    const dependencies = {
      config,
      deployment: { uri: test.uri },
      log: pino({ level: 'silent' }),
    }
    services = await openServices(dependencies)
    app = buildApp(dependencies, services)
    listener = createServer(app.callback())
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
  })
  after(async () => {
    if (listener === null) return
    listener.closeAllConnections()
    listener.close()
    await app.close()
    await test.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const bring = (name: string, key: string | null = null) => {
    const { schema, database, access, locales, storage, folders } = services
    const documents = documentContext(database, schema)
    return importArchive({
      file: { path: resolve(ARCHIVES, name), key },
      schema,
      locales: () => locales.current(),
      destination: {
        documents,
        access,
        locales,
        storage,
        folders,
        spoolFolder: join(folder, 'spool'),
      },
      intoExisting: false,
    })
  }

  it('are imported except for unsupported parts', async () => {
    const report = await bring('export-encrypted.tar.gz.enc', 'quire-archive-key')
    expect(report.files.records).to.equal(33)
    expect(report.users).to.equal(17)
    expect(report.notTaken).to.deep.equal([
      'role authenticated: plugin::users-permissions.auth.getSessions: no such action here',
      'role authenticated: plugin::users-permissions.auth.revokeSession: no such action here',
      'labels and forms of the admin panel: `quire import layouts` imports them',
    ])
    expect(report.types['api::article.article']).to.deep.equal({ versions: 262, added: 85 })
  })

  it('lead to the recorded responses except for the listed differences', async () => {
    await grantDrafts()
    const tokens = join(folder, 'tokens.json')
    await writeFile(tokens, JSON.stringify(await createTokens()))
    const differing = join(folder, 'different.txt')
    if (listener === null) throw new Error('there is no server')
    const { port } = listener.address() as AddressInfo
    await runReplay({ base: `http://127.0.0.1:${port}`, tokens, out: differing })
    const linesOf = (text: string): readonly string[] =>
      text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const found = linesOf(await readFile(differing, 'utf8'))
    const known = linesOf(readFileSync(DIFFERENCES, 'utf8'))
    const requests = found.map((line) => line.split('\t')[0] ?? '')
    // Compared with counts, because some requests differ only in their bodies.
    expect(requests.toSorted(), found.join('\n')).to.deep.equal(known.toSorted())
  })

  it('keep files in their folders', async () => {
    const found = await services.folders.list()
    expect(found.map(({ path, files }) => [path, files])).to.deep.equal(FOLDERS)
  })

  const nothingOf = (report: ArchiveReport): void => {
    const added = Object.values(report.types).map((type) => type.added)
    expect(new Set(added)).to.deep.equal(new Set([0]))
    expect([report.files.records, report.files.bytes, report.users]).to.deep.equal([0, 0, 0])
  }

  it('change no data when imported again, in any packing', async () => {
    nothingOf(await bring('export-encrypted.tar.gz.enc', 'quire-archive-key'))
  })

  it('are readable when unpacked', async () => {
    const unpacked = join(folder, 'unpacked')
    const packed = {
      path: join(ARCHIVES, 'export-encrypted.tar.gz.enc'),
      key: 'quire-archive-key',
    }
    for await (const { path, bytes } of readArchive(packed)) {
      await mkdir(dirname(join(unpacked, path)), { recursive: true })
      await writeFile(join(unpacked, path), bytes)
    }
    const report = await bring(unpacked)
    expect(report.types['api::article.article']?.versions).to.equal(262)
    nothingOf(report)
  })

  /** The reference shows drafts to callers that may find: difference 7. */
  const grantDrafts = async (): Promise<void> => {
    const { roles, actions } = services.access
    const drafts = actions.all
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.readDrafts'))
    for (const { type } of await roles.list()) await roles.grant(type, drafts)
  }

  const createTokens = async (): Promise<Readonly<Record<string, string>>> => {
    const made: Record<string, string> = {}
    for (const [name, type] of Object.entries(TOKENS)) {
      const permissions = type === 'custom' ? { permissions: ['api::article.article.find'] } : {}
      const { accessKey } = await services.access.apiTokens.create({ name, type, ...permissions })
      made[name] = accessKey
    }
    return made
  }
})

/** Its status is 1 if a response differs. The output file has the details. */
async function runReplay(paths: Readonly<Record<string, string>>): Promise<void> {
  const options = Object.entries({
    ...paths,
    users: join(ARCHIVES, 'users.json'),
    recorded: join(ARCHIVES, 'recorded.jsonl'),
    show: '0',
  }).flatMap(([name, value]) => [`--${name}`, value])
  await new Promise<void>((resolve, reject) => {
    const script = join(ARCHIVES, 'replay.mjs')
    execFile(process.execPath, [script, ...options], (error, stdout, stderr) => {
      if (/\d+ same, \d+ known, \d+ different/.test(stdout)) resolve()
      else reject(new Error(`${stdout}\n${stderr}`, { cause: error }))
    })
  })
}
