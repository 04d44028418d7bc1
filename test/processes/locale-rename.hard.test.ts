import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Collection, type Document, MongoClient } from 'mongodb'
import { openReleases, type Releases } from '../support/releases.ts'
import { declare } from '../support/server.ts'
import { writeContentTypes } from '../support/server-process.ts'
import { testUri } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))

const DOCUMENTS = 6_000
const KILLS = 2
const WAIT_MS = 60_000
const FROM = 'gsw'
const TO = 'de-CH'

const CONTENT_TYPES = {
  thing: declare('thing', { name: { type: 'string', unique: true } }, { localized: true }),
}

interface Row extends Document {
  readonly _id: string
}

describe('a rename of a locale whose processes are killed', function () {
  this.slow(60_000)
  let releases: Releases
  let client: MongoClient
  let things: Collection<Row>
  let uri: string

  before(async () => {
    uri = await testUri()
    client = await MongoClient.connect(uri)
    releases = openReleases('kill_rename')
    const db = client.db(releases.database)
    things = db.collection('thing_versions')
    const server = await releases.start(CONTENT_TYPES, { locales: [FROM] })
    const made = await server.post(`/api/things?locale=${FROM}`, { name: '000000' })
    expect(made.status, made.text).to.equal(201)
    const row = await things.findOne({})
    if (row === null) throw new Error('the entry is missing')
    const copies = Array.from({ length: DOCUMENTS - 1 }, (_, place) => {
      const name = String(place + 1).padStart(6, '0')
      const documentId = row['documentId'].slice(0, -6) + name
      return { ...row, _id: `${documentId}:${FROM}:published`, documentId, id: place + 10, name }
    })
    await things.insertMany(copies)
    await releases.stop()
  })
  after(async () => {
    await releases.end()
    await client.close()
  })

  const renamed = (): Promise<number> => things.countDocuments({ locale: TO })

  function rename(folder: string) {
    return spawn(process.execPath, [CLI, 'locale', 'rename', FROM, TO], {
      env: {
        PATH: process.env['PATH'] ?? '',
        CONTENT_TYPES_DIR: folder,
        QUIRE_DATA_DIR: mkdtempSync(path.join(tmpdir(), 'quire-rename-')),
        JWT_SECRET: 'secret-of-the-test',
        MONGODB_URI: uri,
        MONGODB_DATABASE: releases.database,
      },
      stdio: 'ignore',
    })
  }

  it('continues after each kill, and loses no entry', async () => {
    const folder = writeContentTypes(CONTENT_TYPES)
    let seen = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = rename(folder)
      const ended = once(child, 'exit')
      await until(async () => (await renamed()) > seen, WAIT_MS)
      child.kill('SIGKILL')
      await ended
      seen = await renamed()
      expect(seen, 'the rename ended before the kill').to.be.lessThan(DOCUMENTS)
    }

    // A server that starts during the rename waits for it, and completes it after a kill.
    const child = rename(folder)
    const ended = once(child, 'exit')
    await until(async () => (await renamed()) > seen, WAIT_MS)
    const starting = releases.start(CONTENT_TYPES)
    child.kill('SIGKILL')
    await ended
    const server = await starting
    expect(await things.countDocuments({})).to.equal(DOCUMENTS)
    expect(await renamed()).to.equal(DOCUMENTS)
    const names = await things.distinct('name')
    expect(names).to.have.length(DOCUMENTS)
    const last = await server.get(`/api/things?locale=${TO}&filters[name]=${names.at(-1)}`)
    expect(last.body.data).to.have.length(1)
    const codes = (await server.get('/api/i18n/locales')).body as readonly { code: string }[]
    expect(codes.map(({ code }) => code)).to.have.members(['en', TO])
  })
})
