import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import type { EmbeddedEngine } from '../../src/start-embedded.ts'
import { message, query, rawClient } from './raw-client.ts'
import { temporaryFolder } from '../contract/targets.ts'

describe('the wire protocol of the embedded engine', () => {
  let directory: string
  let engine: EmbeddedEngine

  before(async () => {
    directory = temporaryFolder()
    engine = await startEmbedded({ directory, durable: false })
  })
  after(async () => {
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const ping = { ping: 1, $db: 'admin' }

  it('replies to OP_QUERY hello and OP_MSG', async () => {
    const client = await rawClient(engine.uri)
    client.send(query('admin.$cmd', { ismaster: 1 }))
    expect(await client.reply()).to.include({ ok: 1, ismaster: true, setName: 'embedded' })
    client.send(message({ hello: 1, $db: 'admin' }))
    expect(await client.reply()).to.include({ ok: 1, isWritablePrimary: true })
    client.socket.destroy()
  })

  it('accepts the longest time limit for the reader process', async () => {
    const client = await rawClient(engine.uri)
    const filter = { a: { $regex: 'x*' } }
    client.send(message({ find: 'none', filter, maxTimeMS: 2147483647, $db: 'wire' }))
    expect(await client.reply()).to.include({ ok: 1 })
    client.socket.destroy()
  })

  it('parses split and concatenated messages', async () => {
    const client = await rawClient(engine.uri)
    const bytes = Buffer.concat([message(ping), message(ping), message(ping)])
    for (let i = 0; i < bytes.length; i += 7) client.send(bytes.subarray(i, i + 7))
    for (let i = 0; i < 3; i++) expect(await client.reply()).to.include({ ok: 1 })
    client.socket.destroy()
  })

  it('accepts document sequences, checksums and moreToCome', async () => {
    const client = await rawClient(engine.uri)
    client.send(
      message({ insert: 'w', $db: 'wire' }, { sequence: ['documents', [{ _id: 1 }, { _id: 2 }]] }),
    )
    expect(await client.reply()).to.include({ ok: 1, n: 2 })
    client.send(
      message({ insert: 'w', $db: 'wire' }, { flags: 2, sequence: ['documents', [{ _id: 3 }]] }),
    )
    client.send(message({ count: 'w', $db: 'wire' }, { flags: 1 }))
    expect(await client.reply()).to.include({ ok: 1, n: 3 })
    client.socket.destroy()
  })

  const GARBAGE: readonly (readonly [label: string, bytes: Buffer])[] = [
    ['random bytes', Buffer.from('GET / HTTP/1.1\r\nHost: example\r\n\r\n')],
    ['a length of zero', Buffer.alloc(16)],
    [
      'an enormous length',
      Buffer.from([255, 255, 255, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0]),
    ],
    ['an unknown operation', Buffer.from([16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 0])],
    [
      'a message without sections',
      Buffer.from([20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0]),
    ],
    [
      'a document that is cut',
      Buffer.concat([
        Buffer.from([26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0, 0]),
        Buffer.from([99, 0, 0, 0, 0]),
      ]),
    ],
    [
      'a document of unknown types',
      Buffer.concat([
        Buffer.from([29, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0, 0]),
        Buffer.from([8, 0, 0, 0, 0x42, 0x61, 0, 0]),
      ]),
    ],
    ['unknown required flags', message(ping, { flags: 64 })],
  ]
  for (const [label, bytes] of GARBAGE) {
    it(`closes only the connection that sends ${label}`, async () => {
      const [good, bad] = await Promise.all([rawClient(engine.uri), rawClient(engine.uri)])
      bad.send(bytes)
      await bad.ended
      good.send(message(ping))
      expect(await good.reply()).to.include({ ok: 1 })
      good.socket.destroy()
    })
  }

  it('survives a connection that closes in the middle of a message', async () => {
    const client = await rawClient(engine.uri)
    client.send(message(ping).subarray(0, 20))
    client.socket.destroy()
    await client.ended
    const other = await rawClient(engine.uri)
    other.send(message(ping))
    expect(await other.reply()).to.include({ ok: 1 })
    other.socket.destroy()
  })

  it('refuses documents beyond 16 MB and accepts those below', async () => {
    const client = await MongoClient.connect(engine.uri)
    const collection = client.db('wire').collection('large')
    await collection.insertOne({ text: 'x'.repeat(15 * 1024 * 1024) })
    const grown = await collection
      .updateOne({}, { $set: { more: 'y'.repeat(2 * 1024 * 1024) } })
      .then(
        () => null,
        (error: unknown) => (error as { code: number }).code,
      )
    expect(grown).to.equal(10334)
    expect((await collection.findOne())?.['text']).to.have.length(15 * 1024 * 1024)
    await client.close()
  })

  it('produces no further replies for a client that reads none', async () => {
    const client = await MongoClient.connect(engine.uri)
    const collection = client.db('wire').collection('taken')
    await collection.insertOne({ n: 0, text: 'x'.repeat(4_000_000) })
    const raw = await rawClient(engine.uri)
    raw.socket.pause()
    const all = 30
    for (let i = 0; i < all; i++)
      raw.send(message({ findAndModify: 'taken', update: { $inc: { n: 1 } }, $db: 'wire' }))
    const done = async (): Promise<number> => Number((await collection.findOne())?.['n'])
    while ((await done()) === 0) await setTimeout(10)
    await setTimeout(300)
    expect(await done()).to.be.lessThan(all / 2)
    raw.socket.resume()
    for (let i = 0; i < all; i++) expect(await raw.reply()).to.include({ ok: 1 })
    expect(await done()).to.equal(all)
    raw.socket.destroy()
    await client.close()
  })

  it('enforces maxTimeMS', async () => {
    const client = await MongoClient.connect(engine.uri)
    const collection = client.db('wire').collection('slow')
    await collection.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ a: `text ${i}` })))
    const late = await collection
      .find({ $expr: { $in: ['$a', Array.from({ length: 500 }, (_, i) => `x${i}`)] } })
      .maxTimeMS(1)
      .toArray()
      .then(
        () => null,
        (error: unknown) => (error as { code: number }).code,
      )
    expect(late).to.equal(50)
    await client.close()
  })
})
