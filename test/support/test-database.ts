import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { startEmbedded } from '@quire/engine'
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../src/mongo/connection/database.ts'

export interface TestDatabase {
  readonly database: Database
  readonly uri: string
  readonly name: string
  /** Removes the database and closes its connections. */
  drop(): Promise<void>
}

/** Whether the embedded engine is to be as strict as a cluster of MongoDB (`QUIRE_TEST_STRICT=on`). */
export function isStrict(): boolean {
  return process.env['QUIRE_TEST_STRICT'] === 'on' && !process.env['MONGODB_URI']
}

const STRICT = {
  lostTransactionSeconds: 60,
  sharding: true,
  bareDuplicates: true,
  lateRepliesMs: 15,
}

/** The deployment of this run: `MONGODB_URI`, else an embedded engine in a folder of its own. */
let running: Promise<string> | undefined

export function testUri(): Promise<string> {
  running ??= startDeployment()
  return running
}

async function startDeployment(): Promise<string> {
  const given = process.env['MONGODB_URI']
  if (given !== undefined && given !== '') return given
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-test-'))
  const strictness = isStrict() ? STRICT : {}
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
 * Ends the deployment that `testUri` started; for the root hook alone. A worker of mocha's parallel mode runs the hook after
 * each of its files: there one engine serves all of them, and ends with the process.
 */
export async function stopTestDeployment(): Promise<void> {
  if (process.env['MOCHA_WORKER_ID'] !== undefined) return
  await running
  running = undefined
  await stopRunning?.()
  stopRunning = undefined
}

/** A database of its own for one test file, so that files can run side by side. */
export async function openTestDatabase(
  label: string,
  client?: MongoClientOptions,
  options: Pick<DatabaseOptions, 'trashDays' | 'monitor'> = {},
): Promise<TestDatabase> {
  const uri = await testUri()
  const name = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  const database = await openDatabase({
    uri,
    name,
    queryTimeoutMs: 10_000,
    ...options,
    // A busy machine may keep an engine from answering a heartbeat for longer than the default.
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
