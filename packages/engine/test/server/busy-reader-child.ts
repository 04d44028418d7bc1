import { MongoClient } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'

// Occupies the reader process forever and waits to be killed.

const [, , directory = ''] = process.argv
const engine = await startEmbedded({ directory })
const client = await MongoClient.connect(engine.uri)
const rows = client.db('a').collection('rows')
await rows.insertOne({ text: `${'a'.repeat(50)}!` })
await rows.find({ text: { $regex: 'a+' } }).toArray()
rows
  .find({ text: { $regex: '^(a+)+$' } }, { maxTimeMS: 60_000 })
  .toArray()
  .catch(() => undefined)
// Later reads wait behind it.
await rows
  .find({ text: { $regex: 'a+' } }, { maxTimeMS: 500 })
  .toArray()
  .catch(() => process.send?.('busy'))
