import { setTimeout as delay } from 'node:timers/promises'
import { type Document, type MongoClient, MongoServerError } from 'mongodb'
import { planShards, makeShardCommands, type StoredCollection } from './shard-plan.ts'

/** Shards the collections of a database by the plan. `client` must be connected to a mongos. */
export async function shardDatabase(client: MongoClient, database: string): Promise<void> {
  const plan = planShards(await readCollections(client, database))
  const otherShard = await findOtherShard(client, database)
  for (const command of makeShardCommands(database, plan, otherShard)) {
    await retryWhileBusy(() => client.db('admin').command(command))
  }
}

/** LockBusy and ConflictingOperationInProgress: another chunk is moving. */
const BUSY_CODES: ReadonlySet<unknown> = new Set([46, 117])

/** Retries a command while the cluster is busy. */
export async function retryWhileBusy<T>(
  run: () => Promise<T>,
  { patienceMs = 60_000, pauseMs = 200 } = {},
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await run()
    } catch (error) {
      const isBusy = error instanceof MongoServerError && BUSY_CODES.has(error.code)
      if (!isBusy || performance.now() > deadline) throw error
    }
    await delay(pauseMs)
  }
}

/** Like `shardDatabase`, for the embedded engine in its strict mode, which cannot move data. */
export async function markSharded(client: MongoClient, database: string): Promise<void> {
  const plan = planShards(await readCollections(client, database))
  for (const command of makeShardCommands(database, plan, '')) {
    if ('shardCollection' in command) await client.db('admin').command(command)
  }
}

export async function readCollections(
  client: MongoClient,
  database: string,
): Promise<readonly StoredCollection[]> {
  const db = client.db(database)
  const listed = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
  return Promise.all(
    listed.map(async ({ name }) => {
      const found: readonly Document[] = await db.collection(name).listIndexes().toArray()
      const indexes = found.map((index) => ({
        name: String(index['name']),
        unique: index['unique'] === true,
      }))
      return { name, indexes }
    }),
  )
}

/** A shard other than the database's primary, which initially holds all data. */
async function findOtherShard(client: MongoClient, database: string): Promise<string> {
  const named = await client
    .db('config')
    .collection<{ readonly _id: string; readonly primary: string }>('databases')
    .findOne({ _id: database })
  const { shards } = (await client.db('admin').command({ listShards: 1 })) as {
    readonly shards: readonly { readonly _id: string }[]
  }
  const other = shards.find(({ _id }) => _id !== named?.primary)
  if (other === undefined) throw new Error(`${database}: there is no second shard`)
  return other._id
}
