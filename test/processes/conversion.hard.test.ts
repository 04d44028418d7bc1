import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Db, type Document, MongoClient } from 'mongodb'
import { openReleases, type Releases } from '../support/releases.ts'
import { declare, type TestServer } from '../support/server.ts'
import { writeContentTypes } from '../support/server-process.ts'
import { testUri } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const MAIN = fileURLToPath(new URL('../../src/server/main.js', import.meta.url))

const DOCUMENTS = 6_000
const KILLS = 3
const WAIT_MS = 60_000

const part = { info: { displayName: 'Part' }, attributes: { price: { type: 'float' } } }
const PRICED = { ...part, attributes: { price: { type: 'decimal' } } }
const own = { type: 'component', component: 'shared.part' }
const BEFORE = {
  'components/shared/part': part,
  thing: declare('thing', { name: { type: 'string' }, price: { type: 'float' }, parts: own }),
}
const AFTER = {
  'components/shared/part': PRICED,
  thing: declare('thing', {
    name: { type: 'string' },
    price: { type: 'decimal' },
    parts: { ...own, repeatable: true },
  }),
}

interface Row extends Document {
  readonly _id: string
}

describe('a conversion whose processes are killed', function () {
  this.slow(60_000)
  let releases: Releases
  let client: MongoClient
  let db: Db

  before(async () => {
    client = await MongoClient.connect(await testUri())
  })
  beforeEach(() => {
    releases = openReleases('kill_conversion')
    db = client.db(releases.database)
  })
  afterEach(() => releases.end())
  after(() => client.close())

  async function fill(server: TestServer): Promise<void> {
    const first = { name: '000000', price: 0.1, parts: { price: 0.2 } }
    expect((await server.post('/api/things', first)).status).to.equal(201)
    const row = await thingRow()
    const copies = Array.from({ length: DOCUMENTS - 1 }, (_, place) => {
      const name = String(place + 1).padStart(6, '0')
      const documentId = row['documentId'].slice(0, -6) + name
      const _id = row._id.replace(row['documentId'], documentId)
      return { ...row, _id, documentId, id: place + 10, name, price: place + 0.1 }
    })
    await db.collection<Row>(await collectionName()).insertMany(copies)
  }

  async function collectionName(): Promise<string> {
    const all = await db.listCollections().toArray()
    return all.find(({ name }) => name.startsWith('thing'))?.name ?? ''
  }

  async function thingRow(): Promise<Row> {
    const row = await db.collection<Row>(await collectionName()).findOne({})
    if (row === null) throw new Error('the entry is missing')
    return row
  }

  function start(folder: string) {
    return spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOST: '127.0.0.1',
        PORT: '0',
        CONTENT_TYPES_DIR: folder,
        QUIRE_DATA_DIR: mkdtempSync(path.join(tmpdir(), 'quire-kill-')),
        JWT_SECRET: 'secret-of-the-test',
        MONGODB_URI: uriOf(),
        MONGODB_DATABASE: releases.database,
      },
      stdio: 'ignore',
    })
  }

  let uri = ''
  const uriOf = (): string => uri

  it('continues at the last batch, and loses no value', async () => {
    uri = await testUri()
    await fill(await releases.start(BEFORE))
    await releases.stop()
    const folder = writeContentTypes(AFTER)
    const progress = () => db.collection<Row>('quire_conversions').findOne({})
    let seen = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = start(folder)
      const ended = once(child, 'exit')
      await until(async () => ((await progress())?.['rows'] ?? 0) > seen, WAIT_MS)
      child.kill('SIGKILL')
      await ended
      const row = await progress()
      expect(row?.['endedAt'], 'the conversion ended before the kill').to.equal(null)
      expect(row?.['rows']).to.be.greaterThan(seen)
      seen = row?.['rows']
    }

    const server = await releases.start(AFTER)
    const row = await progress()
    expect(row?.['endedAt']).to.be.instanceOf(Date)
    // Each kill repeats at most the batch that it interrupts.
    expect(row?.['rows']).to.be.within(DOCUMENTS, DOCUMENTS + KILLS * 500)
    const collection = db.collection<Row>(await collectionName())
    expect(await collection.countDocuments({ price: { $type: 'decimal' } })).to.equal(DOCUMENTS)
    const lists = await collection.countDocuments({ 'parts.0.price': { $type: 'decimal' } })
    expect(lists).to.equal(DOCUMENTS)
    const last = await server.get(`/api/things?filters[price]=${DOCUMENTS - 2}.1&populate=parts`)
    expect(last.body.data).to.have.length(1)
    expect(last.body.data[0].parts[0].price).to.equal(0.2)
    const metrics = await server.send('GET', '/metrics')
    expect(metrics.text).to.match(/^quire_conversion_unfinished 0$/m)
    expect(metrics.text).to.match(/^quire_conversion_rewritten [4-6]\d{3}$/m)
  })
})
