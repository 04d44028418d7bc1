import { setTimeout as delay } from 'node:timers/promises'
import { MongoClient, MongoServerError } from 'mongodb'
import type { Db, Document } from 'mongodb'

const SET_NAME = 'quire'
const ALREADY_INITIALIZED = 23

export { SET_NAME }

/** Direct, because the replica set has one member. */
export function uriOf(port: number): string {
  return `mongodb://127.0.0.1:${port}/?directConnection=true`
}

/** Replaces the configuration after a change of port, as the MongoDB manual describes for a removed member. */
export async function becomePrimary(port: number, deadlineMs: number): Promise<void> {
  const end = performance.now() + deadlineMs
  await withAdmin(port, deadlineMs, async (admin) => {
    await initiate(admin, `127.0.0.1:${port}`)
    while (!(await isPrimary(admin))) {
      if (performance.now() > end)
        throw new Error(`it was not primary after ${deadlineMs / 1000} s`)
      await delay(50)
    }
  })
}

async function initiate(admin: Db, host: string): Promise<void> {
  try {
    const members = [{ _id: 0, host }]
    await admin.command({ replSetInitiate: { _id: SET_NAME, members } })
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== ALREADY_INITIALIZED) throw error
    await moveTo(admin, host)
  }
}

async function moveTo(admin: Db, host: string): Promise<void> {
  const { config } = (await admin.command({ replSetGetConfig: 1 })) as { config: Document }
  const members = config['members'] as readonly Document[]
  if (members.length === 1 && members[0]?.['host'] === host) return
  const moved = { ...config, version: Number(config['version']) + 1 }
  await admin.command({
    replSetReconfig: { ...moved, members: [{ ...members[0], host }] },
    force: true,
  })
}

async function isPrimary(admin: Db): Promise<boolean> {
  const { isWritablePrimary } = await admin.command({ hello: 1 })
  return isWritablePrimary === true
}

export async function servesFolder(port: number, directory: string): Promise<boolean> {
  try {
    const options = await withAdmin(port, 1500, (admin) => admin.command({ getCmdLineOpts: 1 }))
    const parsed = options['parsed'] as { storage?: { dbPath?: unknown } } | undefined
    return parsed?.storage?.dbPath === directory
  } catch {
    return false // no server, or not a mongod
  }
}

async function withAdmin<T>(
  port: number,
  deadlineMs: number,
  use: (admin: Db) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(uriOf(port), {
    serverSelectionTimeoutMS: deadlineMs,
    connectTimeoutMS: deadlineMs,
    socketTimeoutMS: deadlineMs,
    maxPoolSize: 1,
  })
  try {
    return await use(client.db('admin'))
  } finally {
    await client.close()
  }
}
