import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbedded } from '@quire/engine'
import { MongoClient, MongoServerError } from 'mongodb'
import { testUri } from '../test-database.ts'

const COMMAND_NOT_FOUND = 59

/** A database that keeps what a lost client has locked for a minute, as MongoDB does. */
export interface KeepingDatabase {
  readonly uri: string
  /** DocumentDB (seen behind its gateway in 2026) keeps it for 65 s, and has no command to end it. */
  readonly endsSessions: boolean
  stop(): Promise<void>
}

/** The deployment of this run, or else an engine of its own that is as strict. */
export async function startKeepingDatabase(): Promise<KeepingDatabase> {
  if ((process.env['MONGODB_URI'] ?? '') !== '') {
    const uri = await testUri()
    return { uri, endsSessions: await knowsKillSessions(uri), stop: () => Promise.resolve() }
  }
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-strict-'))
  const strictness = { lostTransactionSeconds: 60 }
  const engine = await startEmbedded({ directory, durable: false, strictness })
  return {
    uri: engine.uri,
    endsSessions: true,
    stop: async () => {
      await engine.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function knowsKillSessions(uri: string): Promise<boolean> {
  const client = await MongoClient.connect(uri)
  const session = client.startSession()
  try {
    await client.db('admin').command({ killSessions: [{ id: session.id?.['id'] as unknown }] })
    return true
  } catch (error) {
    if (error instanceof MongoServerError && error.code === COMMAND_NOT_FOUND) return false
    throw error
  } finally {
    await session.endSession()
    await client.close()
  }
}
