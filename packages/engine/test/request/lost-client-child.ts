import { MongoClient } from 'mongodb'

const [, , uri = ''] = process.argv
const client = await MongoClient.connect(uri)
const session = client.startSession()
session.startTransaction()
await client
  .db('strict')
  .collection<{ _id: number }>('rows')
  .updateOne({ _id: 1 }, { $set: { n: 5 } }, { session })
process.send?.({ lsid: Buffer.from(session.id?.id.buffer ?? []).toString('hex') })
