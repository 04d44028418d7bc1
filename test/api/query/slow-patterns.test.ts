import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'
import { startOwnClock } from '../../support/own-clock.ts'

/** A pattern from real projects. It tries exponentially many ways to match some short strings. */
const regex = '^(\\w+\\s?)*$'
const DEAR = `${'a'.repeat(40)}!`

describe('a declared pattern with exponential backtracking', () => {
  let server: TestServer

  before(async () => {
    server = await serve('patterns', {
      contentTypes: {
        'components/shared/part': { attributes: { name: { type: 'string', regex } } },
        note: declare(
          'note',
          {
            title: { type: 'string', regex },
            parts: { type: 'component', component: 'shared.part', repeatable: true },
          },
          { draftAndPublish: true },
        ),
      },
    })
  })
  after(() => server.close())

  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    const elapsedMs = startOwnClock()
    const result = await work
    expect(elapsedMs()).to.be.below(ms)
    return result
  }

  it('causes a 400 within two seconds', async () => {
    const { status, body } = await within(2_000, server.post('/api/notes', { title: DEAR }))
    expect(status).to.equal(400)
    expect(body.error.message).to.match(/^title takes too long to be compared with/)
  })

  it('causes a 400 within five seconds in a long list', async () => {
    const parts = Array.from({ length: 2_000 }, () => ({ name: DEAR }))
    const { status } = await within(5_000, server.post('/api/notes', { title: 'a', parts }))
    expect(status).to.equal(400)
  })

  it('causes a 400 for each line of a bulk request, and on publication', async () => {
    const draft = await server.post('/api/notes?status=draft', { title: DEAR })
    expect(draft.status, draft.text).to.equal(201)
    const { documentId } = draft.body.data
    const publish = server.send('POST', `/api/notes/${documentId}/actions/publish`)
    expect((await within(2_000, publish)).status).to.equal(400)
    const line = { op: 'upsert', type: 'note', documentId: 'a'.repeat(24), data: { title: DEAR } }
    const bulk = server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: Array.from({ length: 30 }, () => JSON.stringify(line)).join('\n'),
    })
    const { text } = await within(15_000, bulk)
    const statuses = text
      .trim()
      .split('\n')
      .map((answer) => JSON.parse(answer).status as number)
    expect(statuses).to.deep.equal(Array.from({ length: 30 }, () => 400))
  })

  it('accepts matching strings', async () => {
    const parts = Array.from({ length: 2_000 }, (_, n) => ({ name: `part ${n}` }))
    const { status, text } = await server.post('/api/notes', { title: 'two words', parts })
    expect(status, text.slice(0, 300)).to.equal(201)
  })
})
