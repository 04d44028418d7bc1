import type { ClientSession, Db, Document, MongoClient } from 'mongodb'

type Row = Document & { readonly _id: number }

/** A write that has all effects or none. */
export interface SweptOperation {
  readonly name: string
  run(db: Db, key: string, client: MongoClient): Promise<unknown>
}

const PREPARED = 60
/** Larger than a page, so that its value needs pages of its own. */
const LONG = 'x'.repeat(300_000)

const row = (id: number): Row => ({ _id: id, code: `c${id}`, n: id % 7, tags: [`t${id % 3}`] })

/** Fills the two collections of a key, which a crash may have interrupted before. */
export async function prepareRows(db: Db, key: string): Promise<void> {
  const rows = db.collection<Row>(key)
  await rows.deleteMany({})
  await db.collection(`${key}_more`).deleteMany({})
  await rows.insertMany(Array.from({ length: PREPARED }, (_, id) => row(id)))
  await rows.createIndex({ code: 1 }, { unique: true })
  await rows.createIndex({ tags: 1, n: 1 })
  await db.collection<Row>(`${key}_more`).insertOne(row(0))
}

export const SWEPT_OPERATIONS: readonly SweptOperation[] = [
  { name: 'insert of one row', run: (db, key) => rowsOf(db, key).insertOne(row(1_000)) },
  {
    name: 'insert of three rows',
    run: (db, key) => rowsOf(db, key).insertMany([row(1_000), row(1_001), row(1_002)]),
  },
  {
    name: 'insert of a long row',
    run: (db, key) => rowsOf(db, key).insertOne({ ...row(1_000), text: LONG }),
  },
  {
    name: 'update of all rows',
    run: (db, key) => rowsOf(db, key).updateMany({}, { $inc: { n: 1 }, $set: { more: 'more' } }),
  },
  { name: 'removal of a third', run: (db, key) => rowsOf(db, key).deleteMany({ tags: 't1' }) },
  {
    name: 'transaction over two collections',
    run: (db, key, client) =>
      client.withSession(async (session) => {
        session.startTransaction()
        await writeBoth(db, key, session)
        await session.commitTransaction()
      }),
  },
  { name: 'index', run: (db, key) => rowsOf(db, key).createIndex({ n: 1 }, { name: 'n' }) },
  { name: 'index less', run: (db, key) => rowsOf(db, key).dropIndex('tags_1_n_1') },
  { name: 'collection', run: (db, key) => db.createCollection(`${key}_new`) },
  { name: 'collection less', run: (db, key) => db.dropCollection(key) },
]

const rowsOf = (db: Db, key: string) => db.collection<Row>(key)

async function writeBoth(db: Db, key: string, session: ClientSession): Promise<void> {
  await rowsOf(db, key).updateOne({ _id: 1 }, { $set: { code: 'moved' } }, { session })
  await rowsOf(db, `${key}_more`).insertOne(row(1_000), { session })
}

/** All that a key stores, also read by each index. */
export async function stateOf(db: Db, key: string): Promise<string> {
  const names = await db.listCollections({ name: { $regex: `^${key}(?:_|$)` } }).toArray()
  const states: unknown[] = []
  for (const { name } of names.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const rows = db.collection<Row>(name)
    const indexes = await rows.indexes()
    const all = await rows.find().sort({ _id: 1 }).toArray()
    const shown = all.map(({ text, ...rest }) => ({ ...rest, long: text === LONG }))
    const counts: unknown[] = []
    for (const { name: index = '' } of indexes) {
      const found = await rows.find({}, { hint: index }).project({ _id: 1 }).toArray()
      counts.push([index, found.map(({ _id }) => Number(_id)).sort((one, other) => one - other)])
    }
    states.push([name.slice(key.length), shown, counts])
  }
  return JSON.stringify(states)
}
