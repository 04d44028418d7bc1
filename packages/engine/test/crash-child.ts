import { MongoClient } from 'mongodb'
import type { Document } from 'mongodb'
import { startEmbedded } from '../src/start-embedded.ts'

// Writes forever and prints a line per acknowledged write. The parent kills this process at any
// point.

const [directory = '', round = '0'] = process.argv.slice(2)
const engine = await startEmbedded({ directory })
const client = await MongoClient.connect(engine.uri)
const rows = client.db('crash').collection<Document & { _id: string }>('rows')
await rows.createIndex({ key: 1 }, { unique: true })
await rows.createIndex({ n: 1 })

async function write(writer: number): Promise<void> {
  for (let i = 0; ; i++) {
    const _id = `${round}-${writer}-${i}`
    await rows.insertOne({ _id, key: `key-${_id}`, n: 0 })
    process.stdout.write(`i ${_id}\n`)
    await rows.updateOne({ _id }, { $inc: { n: 1 }, $set: { key: `moved-${_id}` } })
    process.stdout.write(`u ${_id}\n`)
  }
}

process.stdout.write('ready\n')
await Promise.all([write(0), write(1), write(2)])
