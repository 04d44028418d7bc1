import { expect } from 'chai'
import type { ObservedCommand } from '../../../src/base/observed.ts'
import { showClusterTime } from '../../../src/mongo/connection/cluster-time-text.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const QUERY = {
  type: 'api::note.note',
  parameters: { text: { type: 'string', required: true } },
  filters: { text: { $eq: { $param: 'text' } } },
}

/** The time that a command waits for, as in the header. Null without one. */
function awaitedBy({ command }: ObservedCommand): string | null {
  const after = (command['readConcern'] as Json)?.afterClusterTime
  return after === undefined ? null : showClusterTime(after)
}

function timeOf(answer: Answer): string {
  return String(answer.headers['quire-after'])
}

describe('causal reads', () => {
  let server: TestServer
  let hasTime = false
  let reader = ''
  const seen: ObservedCommand[] = []
  const ofContent = (): readonly ObservedCommand[] =>
    seen.filter(({ command, name }) => /^(?:note|home)_versions$/.test(String(command[name])))

  before(async () => {
    const others = { type: 'relation', relation: 'oneToMany', target: 'api::note.note' }
    server = await serve('causal_reads', {
      environment: { CACHE_STALE_MS: '60000', CACHE_MAX_AGE: '60' },
      contentTypes: {
        note: declare('note', { text: { type: 'string', unique: true }, others }),
        memo: declare('memo', { text: { type: 'string' } }, { search: { text: 1 } }),
        'queries/notes': QUERY,
        home: { ...declare('home', { headline: { type: 'string' } }), kind: 'singleType' },
      },
      permitted: ['api::note.note.find', 'api::note.note.findOne', 'api::memo.memo.find'],
    })
    const token = { name: 'reader', type: 'read-only', readPreference: 'secondaryPreferred' }
    const made = await server.send('POST', '/admin/api-tokens', { body: token })
    reader = made.body.data.accessKey
    const first = await server.post('/api/notes', { text: 'first' })
    hasTime = first.headers['quire-after'] !== undefined
    server.onCommand((command) => seen.push(command))
  })
  after(() => server.close())

  const read = async (path: string, time: string | null, token: string | null = reader) => {
    seen.length = 0
    const headers = time === null ? {} : { 'quire-after': time }
    return server.get(path, { token, headers })
  }

  it('sends a later time with each successful write', async function () {
    if (!hasTime) this.skip() // DocumentDB has no cluster time
    const created = await server.post('/api/notes', { text: 'a' })
    const path = `/api/notes/${created.body.data.documentId}`
    const updated = await server.put(path, { text: 'b' })
    const deleted = await server.delete(path)
    const times = [created, updated, deleted].map(timeOf)
    for (const time of times) expect(time).to.match(/^\d{10}\.\d{10}$/)
    expect(times.toSorted()).to.deep.equal(times)
    expect(new Set(times).size).to.equal(3)
    const refused = await server.put(path, { text: 'c' })
    expect(refused.status).to.equal(404)
    expect(refused.headers).to.not.have.property('quire-after')
    expect((await read('/api/notes', null)).headers).to.not.have.property('quire-after')
  })

  it('sends a time with atomic batches only, because results of others precede their writes', async function () {
    if (!hasTime) this.skip()
    const line = { op: 'upsert', type: 'note', key: { text: 'bulk' }, data: {} }
    const sent = {
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify(line)}\n`,
    }
    const streamed = await server.send('POST', '/api/_bulk', sent)
    expect(streamed.text).to.include('"status":201')
    expect(streamed.headers).to.not.have.property('quire-after')
    const atomic = await server.send('POST', '/api/_bulk?atomic=true', sent)
    expect(atomic.status, atomic.text).to.equal(200)
    expect(atomic.headers).to.have.property('quire-after')
  })

  it('sends a time with a replayed creation', async function () {
    if (!hasTime) this.skip()
    const headers = { 'idempotency-key': 'one' }
    const created = await server.post('/api/notes', { text: 'replayed' }, { headers })
    const replayed = await server.post('/api/notes', { text: 'replayed' }, { headers })
    expect(replayed.headers['idempotency-replayed']).to.equal('true')
    expect(timeOf(replayed) >= timeOf(created)).to.equal(true)
  })

  it('waits for the time in all reads of content, with the read preference of the token', async function () {
    if (!hasTime) this.skip()
    const target = await server.post('/api/notes', { text: 'target' })
    const others = [target.body.data.documentId]
    const { body } = await server.post('/api/notes', { text: 'waits', others })
    const time = timeOf(await server.put('/api/home', { headline: 'h' }))
    const list = 'filters[others][text]=target&populate=others&pagination[withCount]=true'
    for (const [path, shown] of [
      [`/api/notes?${list}`, 'waits'],
      [`/api/notes/${body.data.documentId}?populate=others`, 'waits'],
      ['/api/home', '"headline":"h"'],
      ['/api/_q/notes?text=waits', 'waits'],
    ] as const) {
      const answer = await read(path, time)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.text, path).to.include(shown)
      expect(ofContent(), path).to.not.be.empty
      expect([...new Set(ofContent().map(awaitedBy))], path).to.deep.equal([time])
      const modes = ofContent().map(({ command }) => (command['$readPreference'] as Json)?.mode)
      expect([...new Set(modes)], path).to.deep.equal(['secondaryPreferred'])
      await read(path, null)
      expect(
        ofContent()
          .map(awaitedBy)
          .filter((awaited) => awaited !== null),
      ).to.deep.equal([])
    }
  })

  it('does not wait in reads of other collections', async function () {
    if (!hasTime) this.skip()
    const time = timeOf(await server.put('/api/home', { headline: 'others' }))
    await read('/api/notes?populate=*', time)
    const others = seen.filter((command) => !ofContent().includes(command))
    expect(others.map(awaitedBy).filter((awaited) => awaited !== null)).to.deep.equal([])
  })

  it('shares no command and no cached response', async function () {
    if (!hasTime) this.skip()
    const { body } = await server.post('/api/notes', { text: 'alone' })
    const path = `/api/notes/${body.data.documentId}`
    const time = timeOf(await server.put('/api/home', { headline: 'alone' }))
    await read('/api/notes?sort=text', null, null)
    await read('/api/notes?sort=text', null, null)
    expect(ofContent(), 'cached').to.be.empty
    await read('/api/notes?sort=text', time, null)
    expect(ofContent(), 'not from the cache').to.not.be.empty
    await read('/api/notes?sort=text', null, null)
    expect(ofContent(), 'still cached').to.be.empty
    seen.length = 0
    const headers = { 'quire-after': time }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.get(path, { token: reader, headers })),
    )
    for (const answer of answers) expect(answer.text).to.include('alone')
    expect(ofContent()).to.have.lengthOf(8)
  })

  it('keeps shared caches from storing the response and from replying to the request', async function () {
    const plain = await read('/api/notes', null, null)
    expect(plain.headers['cache-control']).to.match(/^public/)
    expect(plain.headers['vary']).to.match(/\bQuire-After\b/)
    if (!hasTime) this.skip()
    const time = timeOf(await server.put('/api/home', { headline: 'cdn' }))
    for (const path of ['/api/notes', '/api/_search?q=first']) {
      const after = await read(path, time, null)
      expect(after.status, after.text).to.equal(200)
      expect(after.headers['cache-control'], path).to.equal('private, no-cache')
      expect(after.headers['vary'], path).to.match(/\bQuire-After\b/)
      const again = await server.get(path, {
        token: null,
        headers: { 'quire-after': time, 'if-none-match': String(after.headers['etag']) },
      })
      if (after.headers['etag'] !== undefined) expect(again.status).to.equal(304)
    }
  })

  const MALFORMED = ['', 'x', '1', '1796076000', '1796076000.', '1796076000.1', '0000000000.0000000001', '-796076000.0000000001', '1796076000.0000000001.1', '1796076000.1e00000001', '1796076000.4294967296', '4294967296.0000000001', `1796076000.${'1'.repeat(5_000)}`, '1796076000.0000000001, 1796076000.0000000001'] // prettier-ignore

  it('responds with 400 for a malformed time and runs no read', async () => {
    for (const time of MALFORMED) {
      for (const path of [
        '/api/notes',
        '/api/notes/x',
        '/api/_q/notes?text=a',
        '/api/_search?q=a',
      ]) {
        const answer = await read(path, time)
        expect(answer.status, `${path} ${time.slice(0, 20)}`).to.equal(400)
        expect(answer.headers['error-code']).to.equal('invalid_header')
        expect(answer.body.error.message).to.match(/^Quire-After: /)
        expect(answer.body.error.details).to.deep.equal({ header: 'Quire-After' })
        expect(ofContent()).to.be.empty
      }
    }
  })

  it('responds with 400 for a time of the future and runs no read', async function () {
    if (!hasTime) this.skip()
    for (const time of [
      '4294967295.4294967295',
      `${Math.floor(Date.now() / 1_000) + 3_600}.0000000001`,
    ]) {
      const answer = await read('/api/notes', time)
      expect(answer.status).to.equal(400)
      expect(answer.body.error.details).to.deep.equal({ header: 'Quire-After' })
      expect(ofContent()).to.be.empty
    }
  })

  it('ignores the header without the permission to read, and in writes', async () => {
    const forbidden = await read('/api/home', 'x', null)
    expect(forbidden.status).to.equal(403)
    const headers = { 'quire-after': 'x' }
    expect((await server.put('/api/home', { headline: 'w' }, { headers })).status).to.equal(200)
  })

  it('is allowed and exposed to other origins', async () => {
    const origin = { origin: 'https://app.example.org' }
    const preflight = await server.send('OPTIONS', '/api/notes', {
      headers: { ...origin, 'access-control-request-method': 'GET' },
    })
    expect(preflight.headers['access-control-allow-headers']).to.include('Quire-After')
    const answer = await server.get('/api/notes', { headers: origin })
    expect(answer.headers['access-control-expose-headers']).to.include('Quire-After')
  })
})
