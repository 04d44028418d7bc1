import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbedded } from '@quire/engine'
import { testUri } from '../support/test-database.ts'

/** A database that keeps the locks of a lost client for a minute, like MongoDB and DocumentDB. */
export interface KeepingDatabase {
  readonly uri: string
  stop(): Promise<void>
}

/** The deployment of this run, or an embedded engine that is as strict. */
export async function startKeepingDatabase(): Promise<KeepingDatabase> {
  if ((process.env['MONGODB_URI'] ?? '') !== '') {
    const uri = await testUri()
    return { uri, stop: () => Promise.resolve() }
  }
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-strict-'))
  const strictness = { lostTransactionSeconds: 60 }
  const engine = await startEmbedded({ directory, durable: false, strictness })
  return {
    uri: engine.uri,
    stop: async () => {
      await engine.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
