import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbedded } from '@quire/engine'
import { MongoClient } from 'mongodb'
import type { Database } from '../../src/mongo/connection/database.ts'
import { openDatabase } from '../../src/mongo/connection/open-database.ts'

/** A test double of a replica set whose majority lags on command. */
export interface LaggingMajority {
  readonly uri: string
  /** Reads the newest data from the primary. */
  readonly client: MongoClient
  /** The majority receives and acknowledges no further writes. */
  hold(): Promise<void>
  catchUp(): Promise<void>
  /** Simulates a failover that rolls back all writes without a majority. */
  rollBack(): Promise<void>
  open(name: string): Promise<Database>
  stop(): Promise<void>
}

export async function startLaggingMajority(): Promise<LaggingMajority> {
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-majority-'))
  const strictness = { replicaSet: true }
  const engine = await startEmbedded({ directory, durable: false, strictness })
  const client = await MongoClient.connect(engine.uri)
  const databases: Database[] = []
  const tell = async (holdMajority: string): Promise<void> => {
    await client.db('admin').command({ holdMajority })
  }
  return {
    uri: engine.uri,
    client,
    hold: () => tell('begin'),
    catchUp: () => tell('end'),
    rollBack: () => tell('rollBack'),
    open: async (name) => {
      const database = await openDatabase({ uri: engine.uri, name, queryTimeoutMs: 10_000 })
      databases.push(database)
      return database
    },
    stop: async () => {
      await tell('end')
      for (const database of databases) await database.close()
      await client.close()
      await engine.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
