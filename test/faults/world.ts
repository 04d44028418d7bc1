import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MongoClient } from 'mongodb'
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
  writeContentTypes,
} from '../support/server-process.ts'
import { testUri } from '../support/test-database.ts'

/**
 * The shared state of the server processes of a test: a database, a data folder and content-types.
 */
export interface World {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  start(
    env?: Readonly<Record<string, string>>,
    options?: ServerProcessOptions,
  ): Promise<ServerProcess>
  /** Stops the running processes and removes everything. */
  remove(): Promise<void>
}

const NOTE = {
  note: {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    options: { draftAndPublish: true },
    attributes: { name: { type: 'string' }, code: { type: 'string', unique: true } },
  },
}

export interface WorldOptions {
  readonly types?: Readonly<Record<string, object>>
  /**
   * Another address than that of this run, such as that of a proxy. With null each server runs the
   * embedded engine.
   */
  readonly uri?: string | null
}

/** Opens a world, by default on the database of this run. */
export async function openWorld(
  label: string,
  { types = NOTE, uri }: WorldOptions = {},
): Promise<World> {
  const deployment = await testUri()
  const folder = mkdtempSync(path.join(tmpdir(), `quire-${label}-`))
  const contentTypes = writeContentTypes(types)
  const database = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  const running: ServerProcess[] = []
  const env = {
    ...(uri === null ? { QUIRE_DATABASE: 'embedded' } : { MONGODB_URI: uri ?? deployment }),
    MONGODB_DATABASE: database,
    QUIRE_DATA_DIR: folder,
    CONTENT_TYPES_DIR: contentTypes,
  }
  return {
    folder,
    env,
    start: async (more = {}, options) => {
      const server = await startServerProcess({ ...env, ...more }, options)
      running.push(server)
      return server
    },
    remove: async () => {
      await Promise.all(running.map((server) => server.kill()))
      if (uri !== null) await drop(deployment, database)
      for (const made of [folder, contentTypes]) rmSync(made, { recursive: true, force: true })
    },
  }
}

async function drop(uri: string, database: string): Promise<void> {
  const admin = await MongoClient.connect(uri)
  await admin.db(database).dropDatabase()
  await admin.close()
}
