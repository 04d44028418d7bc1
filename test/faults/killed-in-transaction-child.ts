// A process that writes an entry in a transaction and never ends it.
import { openDatabase } from '../../src/mongo/connection/open-database.ts'

const [uri = '', name = '', collection = '', id = ''] = process.argv.slice(2)
const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
await database.announce()
await database.transact(async (session) => {
  const rows = database.collection<{ readonly _id: string }>(collection)
  await rows.updateOne({ _id: id }, { $set: { title: 'never seen' } }, { session })
  process.stdout.write('inside\n')
  await new Promise(() => setInterval(() => undefined, 1_000))
})
