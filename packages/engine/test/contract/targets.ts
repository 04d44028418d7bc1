import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'

/** A deployment that runs the contract. */
export interface Target {
  readonly name: string
  readonly open: () => Promise<{ client: MongoClient; uri: string; close: () => Promise<void> }>
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'engine-'))
}

const embedded: Target = {
  name: 'embedded engine',
  async open() {
    const directory = temporaryFolder()
    const engine = await startEmbedded({ directory, durable: false })
    const client = await MongoClient.connect(engine.uri)
    return {
      client,
      uri: engine.uri,
      async close() {
        await client.close()
        await engine.close()
        rmSync(directory, { recursive: true, force: true })
      },
    }
  },
}

function deployed(uri: string): Target {
  return {
    name: 'MONGODB_URI',
    async open() {
      const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5000 })
      return { client, uri, close: () => client.close() }
    },
  }
}

const uri = process.env['MONGODB_URI']

/** The embedded engine, and the deployment of MONGODB_URI. */
export const TARGETS: readonly Target[] = uri === undefined ? [embedded] : [embedded, deployed(uri)]

export function databaseName(): string {
  return `embedded_${randomBytes(5).toString('hex')}`
}

/** DocumentDB omits fields of MongoDB's buildInfo. */
export async function isDocumentDb(client: MongoClient): Promise<boolean> {
  const info = await client
    .db('admin')
    .command({ buildInfo: 1 })
    .catch(() => null)
  const isEmbedded = info?.['modules']?.includes('quire-embedded') === true
  return !isEmbedded && info?.['gitVersion'] === undefined
}
