import { randomBytes } from 'node:crypto'
import { BSON, type Db, type Document, MongoClient, MongoServerError } from 'mongodb'
import { testUri } from './test-database.ts'

/** A database that another service writes. */
export interface ForeignDatabase {
  readonly name: string
  readonly db: Db
  /** All documents as bytes, and all indexes. */
  contents(collections: readonly string[]): Promise<readonly string[]>
  drop(): Promise<void>
}

export async function openForeignDatabase(
  label: string,
  collections: Readonly<Record<string, readonly Document[]>>,
): Promise<ForeignDatabase> {
  const client = await MongoClient.connect(await testUri())
  const name = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  const db = client.db(name)
  for (const [collection, documents] of Object.entries(collections)) {
    if (documents.length > 0) await db.collection(collection).insertMany([...documents])
  }
  return {
    name,
    db,
    contents: async (names) => {
      const all: string[] = []
      for (const collection of names) {
        const found = db.collection(collection).find({}, { raw: true }).sort({ _id: 1 })
        for (const bytes of (await found.toArray()) as unknown as Uint8Array[]) {
          all.push(`${collection} ${Buffer.from(bytes).toString('base64')}`)
        }
        const indexes = await db.collection(collection).indexes()
        all.push(`${collection} ${BSON.EJSON.stringify(indexes)}`)
      }
      return all
    },
    drop: async () => {
      await db.dropDatabase()
      await client.close()
    },
  }
}

/** Whether the deployment has change streams. */
export async function hasStreams({ db }: Pick<ForeignDatabase, 'db'>): Promise<boolean> {
  const command = { aggregate: 1, pipeline: [{ $changeStream: {} }], cursor: {} }
  return db.command(command).then(
    () => true,
    (error: unknown) => {
      if (error instanceof MongoServerError) return false
      throw error
    },
  )
}
