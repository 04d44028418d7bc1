import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '../../src/base/config/config.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { openServices } from '../../src/server/services/open-services.ts'
import { type ArchiveReport, importArchive } from '../../src/transfer/import-archive.ts'
import { declare, serve, type TestServer } from '../support/server.ts'
import { makeArchive } from './make-archive.ts'

const AT = '2026-01-02T03:04:05.006Z'
const USER = 'plugin::users-permissions.user'
const CONTENT_TYPES = {
  package: { name: 'project' },
  'src/api/team/content-types/team/schema': declare('team', { name: { type: 'string' } }),
  'src/extensions/users-permissions/content-types/user/schema': {
    kind: 'collectionType',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    options: { draftAndPublish: false },
    attributes: {
      username: { type: 'string', minLength: 3, unique: true, required: true },
      email: { type: 'email', minLength: 6, required: true },
      bio: { type: 'text', maxLength: 20 },
      age: { type: 'integer' },
      team: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
    },
  },
}

const documentIdOf = (name: string): string => name.padEnd(24, '0')
const row = (type: string, id: number, name: string, data: object) => ({
  type,
  id,
  data: {
    documentId: documentIdOf(name),
    createdAt: AT,
    updatedAt: AT,
    publishedAt: AT,
    locale: null,
    ...data,
  },
})
const user = (id: number, name: string, data: object) =>
  row(USER, id, name, { username: name, email: `${name}@example.org`, confirmed: true, ...data })

describe('users of an archive with project attributes', () => {
  let server: TestServer
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-users-'))
    server = await serve('import_users', { contentTypes: CONTENT_TYPES })
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const bring = async (): Promise<ArchiveReport> => {
    const services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: server.contentTypesDir,
        QUIRE_DATA_DIR: folder,
        MONGODB_DATABASE: server.database,
        QUERY_TIMEOUT_MS: '20000',
      }),
      deployment: { uri: server.uri },
      log: pino({ level: 'silent' }),
    })
    const path = join(folder, 'export.tar.gz')
    await makeArchive(path, {
      entities: [
        row('api::team.team', 1, 'red', { name: 'Red' }),
        user(1, 'marie', { bio: 'Physicist', age: 66 }),
        user(2, 'long', { bio: 'x'.repeat(21) }),
        user(3, 'aged', { age: 'many' }),
        user(4, 'anonymous', { provider: 'anonymous', email: null }),
      ],
      links: [
        {
          kind: 'relation.basic',
          relation: 'manyToOne',
          left: { type: USER, ref: 1, field: 'team' },
          right: { type: 'api::team.team', ref: 1 },
        },
      ],
      configuration: [],
      assets: {},
    })
    const { schema, database, access, locales, storage, folders } = services
    try {
      return await importArchive({
        file: { path, key: null },
        schema,
        locales: () => locales.current(),
        destination: {
          documents: documentContext(database, schema),
          access,
          locales,
          storage,
          folders,
          spoolFolder: join(folder, 'spool'),
        },
        intoExisting: false,
      })
    } finally {
      await services.close()
    }
  }

  it('keep these attributes unless a value violates its declaration', async () => {
    const report = await bring()
    const list = await server.get('/api/users?populate=team&sort=id')
    const [first, ...others] = list.body
    expect(first, list.text).to.include({ id: 1, username: 'marie', bio: 'Physicist', age: 66 })
    expect(first).to.include({ createdAt: AT, updatedAt: AT })
    expect(first.team).to.include({ name: 'Red' })
    expect(others).to.deep.equal([])
    expect(report.users).to.equal(1)
    const notTaken = report.notTaken.filter((sentence) => sentence.startsWith(USER))
    expect(notTaken).to.have.length(3)
    expect(notTaken.filter((sentence) => sentence.includes('anonymous users'))).to.have.length(1)
    expect((await bring()).users).to.equal(0)
  })
})
