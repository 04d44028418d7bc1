import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { MongoClient } from 'mongodb'
import { withEnvFile } from '../../../../src/base/config/env-file.ts'
import { readConfig } from '../../../../src/base/config/config.ts'
import { importDocuments } from '../../../../src/transfer/import/import-documents.ts'
import { startDeployment } from '../../../../src/server/deployment/start-deployment.ts'
import { createLog } from '../../../../src/base/log.ts'
import { documentContext } from '../../../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../../../src/server/services/open-services.ts'
import { compileSample } from '../sample/sample-parts.ts'
import { seedSample } from '../sample/seed-sample.ts'
import { SILENT_OBSERVER } from '../sample/show-progress.ts'
import { BENCH_PARTS, BENCH_TYPES, makeBenchDocuments } from './content.ts'

export const ROOT_TOKEN = 'root-token-of-a-bench-on-this-machine'

export interface Bench {
  readonly reason: string
  readonly env: Readonly<Record<string, string>>
  readonly databaseVersion: string
  /** Adds posts up to this number. */
  seedPosts(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts the deployment (the embedded engine unless `MONGODB_URI` is set) and seeds it. */
export async function prepareBench(size: {
  readonly posts: number
  readonly cities: number
}): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  const types = join(folder, 'content-types')
  cpSync('content-types', types, { recursive: true })
  writeTypes(types, BENCH_TYPES)
  const given = withEnvFile(process.env)
  const database = `quire_bench_${process.pid}`
  const settings = {
    QUIRE_DATA_DIR: folder,
    CONTENT_TYPES_DIR: types,
    MONGODB_DATABASE: database,
    QUERY_TIMEOUT_MS: '60000',
    ROOT_API_TOKEN: ROOT_TOKEN,
  }
  const kind = given['MONGODB_URI'] ? {} : { QUIRE_DATABASE: given['QUIRE_DATABASE'] ?? 'embedded' }
  const config = readConfig({ ...given, ...kind, ...settings })
  const log = createLog({ ...config, logLevel: 'warn' })
  const deployment = await startDeployment(config, log)
  const services = await openServices({ config, deployment, log })
  const seedPosts = (count: number): Promise<void> => seedParts(services, count)
  await seedSample(services, compileSample(size.cities), SILENT_OBSERVER)
  await seedPosts(size.posts)
  await permitReading(services)
  const env = { MONGODB_URI: deployment.uri, RATE_LIMIT: 'off', ...settings }
  return {
    reason: deployment.reason,
    env,
    databaseVersion: await versionOf(deployment.uri),
    seedPosts,
    close: async () => {
      await services.close()
      await dropDatabase(deployment.uri, database)
      await deployment.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function writeTypes(folder: string, types: Readonly<Record<string, object>>): void {
  for (const [name, type] of Object.entries(types)) {
    const file = join(folder, `${name}.json`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(type))
  }
}

export async function dropDatabase(uri: string, name: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  await client.db(name).dropDatabase()
  await client.close()
}

async function seedParts({ schema, database }: Services, posts: number): Promise<void> {
  const context = documentContext(database, schema)
  for (const [uid, countOf] of BENCH_PARTS) {
    const documents = makeBenchDocuments(uid, countOf(posts))
    await importDocuments(context, context.contentType(uid), documents)
  }
}

async function permitReading({ access, schema }: Services): Promise<void> {
  const types = [...schema.contentTypes.values()].filter(
    ({ uid, kind }) => uid.startsWith('api::') && kind === 'collectionType',
  )
  const verbs = ['find', 'findOne', 'sync']
  const permissions = types.flatMap(({ uid }) => verbs.map((verb) => `${uid}.${verb}`))
  await access.roles.update('public', { permissions })
}

async function versionOf(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri)
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 })
    return String(version)
  } finally {
    await client.close()
  }
}
