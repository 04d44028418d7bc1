import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const SOON = 20_000
const ROUNDS = 25
const READERS = 3

describe('cached responses with CACHE_STALE_MS=0 of two servers on one database', () => {
  let here: TestServer
  let there: TestServer
  let documentId: string
  let ofContent = 0

  before(async () => {
    const contentTypes = {
      note: declare('note', { value: { type: 'integer' } }),
      board: declare('board', {
        notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note' },
      }),
    }
    const permitted = ['api::note.note.find', 'api::note.note.findOne', 'api::board.board.find']
    const environment = { CACHE_STALE_MS: '0', RATE_LIMIT: 'off' }
    here = await serve('stale_a', { contentTypes, permitted, environment })
    there = await serve('stale_b', {
      contentTypes,
      permitted,
      environment: { ...environment, MONGODB_DATABASE: here.database },
    })
    documentId = (await here.post('/api/notes', { value: 0 })).body.data.documentId
    await here.post('/api/boards', { notes: [documentId] })
    there.onCommand(({ name, command }) => {
      if (String(command[name]).endsWith('_versions')) ofContent += 1
    })
  })
  after(async () => {
    await there.close()
    await here.close()
  })

  const targets = () => ['/api/notes', `/api/notes/${documentId}`, '/api/boards?populate=notes']
  const read = async (server: TestServer, target: string): Promise<number> => {
    const { status, body, text } = await server.get(target, { token: null })
    expect(status, `${target}: ${text}`).to.equal(200)
    const [entry] = [body.data].flat()
    return (entry.notes?.[0] ?? entry).value
  }

  it('reads unchanged content from memory', async () => {
    // Recent commits without a number may invalidate a response for a moment.
    await until(async () => {
      ofContent = 0
      for (const target of targets()) await read(there, target)
      return ofContent === 0
    }, SOON)
  })

  it('never shows content older than the last write of the other server', async () => {
    let acknowledged = 0
    const over = new AbortController()
    const faults: string[] = []
    /** A read contains every write that was acknowledged before. */
    const check = async (server: TestServer, target: string): Promise<void> => {
      const least = acknowledged
      const value = await read(server, target)
      if (value < least) faults.push(`${target}: ${value} after ${least}`)
    }
    const readOn = async (): Promise<void> => {
      while (!over.signal.aborted) for (const target of targets()) await check(there, target)
    }
    const readers = Array.from({ length: READERS }, readOn)
    for (let value = 1; value <= ROUNDS; value += 1) {
      const writer = value % 2 === 0 ? there : here
      const other = value % 2 === 0 ? here : there
      await writer.put(`/api/notes/${documentId}`, { value })
      acknowledged = value
      for (const target of targets()) await check(other, target)
    }
    over.abort()
    await Promise.all(readers)
    expect(faults).to.deep.equal([])
  })

  it('changes the ETag after a write of the other server', async () => {
    const asked = async (tag?: string) =>
      there.get('/api/notes', { token: null, headers: tag ? { 'if-none-match': tag } : {} })
    const tag = String((await asked()).headers.etag)
    expect((await asked(tag)).status).to.equal(304)
    await here.put(`/api/notes/${documentId}`, { value: ROUNDS + 1 })
    expect((await asked(tag)).status).to.equal(200)
  })
})
