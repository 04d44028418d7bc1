import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Db, MongoClient } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../src/base/config/config.ts'
import { createApp } from '../../src/server/app.ts'
import { startDeployment } from '../../src/server/deployment/start-deployment.ts'
import { startServer } from '../../src/server/run-server.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { openServices } from '../../src/server/services/open-services.ts'
import { importArchive } from '../../src/transfer/import-archive.ts'
import { ROOT_TOKEN } from '../support/server.ts'
import { makeArchive } from '../transfer/make-archive.ts'
import { readEverything } from '../transfer/read-everything.ts'

/** An empty database with an empty data folder. */
export interface Place {
  readonly uri: string
  readonly database: string
  readonly folder: string
  readonly contentTypes: string
}

/** A program that fails as a whole or succeeds, and can be repeated after a failure. */
export interface FaultProgram {
  readonly name: string
  /** Prepares the place before faults. */
  prepare(place: Place): Promise<void>
  /** @throws the error of the program */
  run(place: Place): Promise<void>
  /** The state that the program creates, equal for all places. */
  read(db: Db, place: Place): Promise<unknown>
}

const START = { LOG_LEVEL: 'silent', HOST: '127.0.0.1', PORT: '0', RATE_LIMIT: 'off' }

const environmentOf = ({ database, folder, contentTypes }: Place): Record<string, string> => ({
  CONTENT_TYPES_DIR: contentTypes,
  QUIRE_DATA_DIR: folder,
  MONGODB_DATABASE: database,
  ROOT_API_TOKEN: ROOT_TOKEN,
  QUERY_TIMEOUT_MS: '20000',
})

/** Starts the server like `quire start` and stops it. `work` runs while it listens. */
async function start(place: Place, work?: (address: string) => Promise<void>): Promise<void> {
  const server = await startServer({
    env: { ...START, ...environmentOf(place), MONGODB_URI: place.uri },
    startDeployment,
    createApp,
  })
  try {
    await work?.(server.address)
  } finally {
    await server.close()
  }
}

async function createMemo(address: string): Promise<void> {
  const { status } = await fetch(`${address}/api/memos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { name: 'one' } }),
  })
  if (status !== 201) throw new Error(`the started server responds with ${status}`)
}

/** Exists after a background task has read content, for which a lease may have to expire first. */
const QUERY_STATS = 'quire_query_stats'

/** Collections, indexes and settings that a start creates. */
async function readStarted(db: Db, place: Place): Promise<unknown> {
  await start(place, createMemo)
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  const created = collections.filter(({ name }) => name !== QUERY_STATS)
  const indexes = created.map(async ({ name }) => {
    const names = (await db.collection(name).indexes()).map((index) => String(index['name']))
    return `${name}: ${names.toSorted().join()}`
  })
  const count = (name: string): Promise<number> => db.collection(name).countDocuments()
  return {
    indexes: (await Promise.all(indexes)).toSorted(),
    counts: await Promise.all(['quire_roles', 'quire_locales', 'memo_versions'].map(count)),
  }
}

const AT = '2026-01-02T03:04:05.006Z'
const idOf = (name: string): string => name.padEnd(24, '0')
const row = (type: string, id: number, name: string, data: object): object => ({
  type,
  id,
  data: { documentId: idOf(name), createdAt: AT, updatedAt: AT, publishedAt: AT, ...data },
})
const post = (id: number, locale: string, publishedAt: string | null): object =>
  row('api::post.post', id, 'post', { title: `Post ${locale}`, locale, publishedAt })

const ARCHIVE = {
  entities: [
    row('plugin::upload.file', 5, 'file', {
      name: 'a.txt',
      hash: 'a_1234567890',
      ext: '.txt',
      mime: 'text/plain',
      size: 0.01,
      url: '/uploads/a_1234567890.txt',
    }),
    ...['en', 'fr'].map((code, at) => row('plugin::i18n.locale', at, code, { code, name: code })),
    post(1, 'en', null),
    post(2, 'en', AT),
    post(3, 'fr', null),
    row('api::tag.tag', 1, 'red', { name: 'red' }),
  ],
  links: [1, 2].map((ref) => ({
    kind: 'relation.basic',
    relation: 'manyToMany',
    left: { type: 'api::post.post', ref, field: 'tags', pos: 1 },
    right: { type: 'api::tag.tag', ref: 1, field: 'posts', pos: ref },
  })),
  configuration: [
    { type: 'core-store', value: { key: 'plugin_i18n_default_locale', value: 'en' } },
  ],
  assets: { 'a_1234567890.txt': Buffer.from('bytes of a') },
}

async function runImport(place: Place): Promise<void> {
  const file = path.join(place.folder, 'export.tar.gz')
  await makeArchive(file, ARCHIVE)
  const services = await openServices({
    config: readConfig(environmentOf(place)),
    deployment: { uri: place.uri },
    log: pino({ level: 'silent' }),
  })
  const { schema, database, access, locales, storage, folders } = services
  const documents = documentContext(database, schema, {})
  const spoolFolder = path.join(place.folder, 'spool')
  try {
    await importArchive({
      file: { path: file, key: null },
      schema,
      locales: () => locales.current(),
      destination: { documents, access, locales, storage, folders, spoolFolder },
      intoExisting: false,
    })
  } finally {
    await services.close()
  }
}

export const FAULT_PROGRAMS: readonly FaultProgram[] = [
  {
    name: 'start on an empty database',
    prepare: () => Promise.resolve(),
    run: (place) => start(place),
    read: readStarted,
  },
  {
    name: 'import of an archive',
    prepare: (place) => start(place),
    run: runImport,
    read: (db, { folder }) => readEverything(db, folder),
  },
]

let places = 0

/** Runs `work` on an empty database, whose commands go through the proxy of `uri`. */
export async function withPlace<T>(
  given: { readonly direct: string; readonly uri: string; readonly contentTypes: string },
  work: (place: Place, db: Db) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-sweep-'))
  places += 1
  const database = `quire_test_sweep_${process.pid}_${places}`
  const client = await MongoClient.connect(given.direct)
  const { uri, contentTypes } = given
  try {
    return await work({ uri, database, folder, contentTypes }, client.db(database))
  } finally {
    await client.db(database).dropDatabase()
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
