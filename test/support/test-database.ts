import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { startEmbedded } from '@quire/engine'
import type { Database } from '../../src/mongo/connection/database.ts'
import { type DatabaseOptions, openDatabase } from '../../src/mongo/connection/open-database.ts'

export interface TestDatabase {
  readonly database: Database
  readonly uri: string
  readonly name: string
  /** Deletes the database and closes its connections. */
  drop(): Promise<void>
}

/** Whether the embedded engine is as strict as a MongoDB cluster (`QUIRE_TEST_STRICT=on`). */
export function isStrict(): boolean {
  return process.env['QUIRE_TEST_STRICT'] === 'on' && !process.env['MONGODB_URI']
}

const STRICT = {
  lostTransactionSeconds: 60,
  sharding: true,
  bareDuplicates: true,
  lateRepliesMs: 15,
  nullOverLists: true,
}

/** The deployment of this run: `MONGODB_URI`, or an embedded engine in its own folder. */
let running: Promise<string> | undefined

export function testUri(): Promise<string> {
  running ??= startDeployment()
  return running
}

async function startDeployment(): Promise<string> {
  const given = process.env['MONGODB_URI']
  if (given !== undefined && given !== '') return given
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-test-'))
  const strictness = { ...(isStrict() && STRICT), failPoints: true }
  const engine = await startEmbedded({ directory, durable: false, strictness })
  const removeFolder = (): void => rmSync(directory, { recursive: true, force: true })
  process.once('exit', removeFolder)
  stopRunning = async () => {
    await engine.close()
    process.off('exit', removeFolder)
    removeFolder()
  }
  return engine.uri
}

let stopRunning: (() => Promise<void>) | undefined

/**
 * Stops the deployment that `testUri` started. Only the root hook calls this. In parallel mode a mocha worker runs the
 * hook after each file, so the engine is shared by all files and stops with the process.
 */
export async function stopTestDeployment(): Promise<void> {
  if (process.env['MOCHA_WORKER_ID'] !== undefined) return
  await running
  running = undefined
  await stopRunning?.()
  stopRunning = undefined
}

type TestDatabaseOptions = Partial<
  Pick<DatabaseOptions, 'trashDays' | 'monitor' | 'queryTimeoutMs' | 'countTimeoutMs'>
>

/** Creates a separate database for one test file, so that files can run in parallel. */
export async function openTestDatabase(
  label: string,
  client?: MongoClientOptions,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const uri = await testUri()
  const name = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  const database = await openDatabase({
    uri,
    name,
    queryTimeoutMs: 10_000,
    ...options,
    // On a busy machine the engine may miss heartbeats with the default timeout.
    client: { connectTimeoutMS: 30_000, ...client },
  })
  return {
    database,
    uri,
    name,
    drop: async () => {
      await database.close()
      const admin = new MongoClient(uri)
      await admin.db(name).dropDatabase()
      await admin.close()
    },
  }
}
