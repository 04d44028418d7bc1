import { MongoClient } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'

// Starts the engine, writes one row, and prints `stored` when that is acknowledged.

const [directory = ''] = process.argv.slice(2)
const engine = await startEmbedded({ directory })
const client = await MongoClient.connect(engine.uri, { retryWrites: false })
await client.db('swept').collection<{ _id: number }>('rows').insertOne({ _id: 1 })
process.stdout.write('stored')
process.exit(0)
