import { randomBytes } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { serve, type ServerOptions, type TestServer } from './server.ts'
import { testUri } from './test-database.ts'

export interface Releases {
  readonly database: string
  /** Stops the running server, and starts one with other content-types on the same database. */
  start(
    contentTypes: ServerOptions['contentTypes'],
    options?: Partial<ServerOptions>,
  ): Promise<TestServer>
  stop(): Promise<void>
  /** Stops the server and drops the database. */
  end(): Promise<void>
}

/** Servers that follow each other on one database. */
export function openReleases(label: string): Releases {
  const database = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  let running: TestServer | null = null
  const stop = async (): Promise<void> => {
    const last = running
    running = null
    await last?.close()
  }
  return {
    database,
    start: async (contentTypes, { environment, ...options } = {}) => {
      await stop()
      running = await serve(label, {
        contentTypes,
        ...options,
        environment: { ...environment, MONGODB_DATABASE: database },
      })
      return running
    },
    stop,
    end: async () => {
      await stop()
      const client = await MongoClient.connect(await testUri())
      try {
        await client.db(database).dropDatabase()
      } finally {
        await client.close()
      }
    },
  }
}
