import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { openReleases, type Releases } from '../support/releases.ts'
import { declare, type Json } from '../support/server.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../support/server-process.ts'
import { testUri } from '../support/test-database.ts'

const typesOf = (size: string) => ({ thing: declare('thing', { size: { type: size } }) })
const OLDER = typesOf('integer')
const NEWER = typesOf('decimal')

describe('a server process that is paused during a roll-back', function () {
  this.slow(60_000)
  let releases: Releases
  let newer: ServerProcess | null = null

  beforeEach(() => {
    releases = openReleases('paused_release')
  })
  afterEach(async () => {
    await newer?.kill()
    await releases.end()
  })

  it('sends none of its values and stores none when it continues', async () => {
    const server = await releases.start(OLDER)
    expect((await server.post('/api/things', { size: 1 })).status).to.equal(201)
    await releases.stop()
    newer = await startServerProcess({
      PATH: process.env['PATH'] ?? '',
      CONTENT_TYPES_DIR: writeContentTypes(NEWER),
      QUIRE_DATA_DIR: mkdtempSync(path.join(tmpdir(), 'quire-paused-')),
      JWT_SECRET: 'secret-of-the-test',
      ROOT_TOKEN,
      MONGODB_URI: await testUri(),
      MONGODB_DATABASE: releases.database,
    })
    const send = (method: string) =>
      fetch(`${newer?.base}/api/things`, {
        method,
        headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: JSON.stringify({ data: { size: 2.5 } }) }),
      })
    expect((await send('GET')).status).to.equal(200)

    newer.signal('SIGSTOP')
    const older = await releases.start(OLDER)
    // They wait in the sockets, and are the first work of the process when it continues.
    const waiting = ['POST', 'GET', 'POST', 'GET'].map(send)
    newer.signal('SIGCONT')
    for (const response of await Promise.all(waiting)) {
      expect(response.status, await response.text()).to.equal(503)
      expect(response.headers.get('error-code')).to.equal('older_release')
    }
    expect((await older.get('/api/things')).body.data.map((one: Json) => one.size)).to.deep.equal([
      1,
    ])
  })
})
