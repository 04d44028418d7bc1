import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

/** The value as sent, and as shown in responses. */
const VALUES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  string: ['a', 'a'],
  integer: [7, 7],
  biginteger: ['9007199254740993', '9007199254740993'],
  decimal: ['1.10', 1.1],
  float: [0.5, 0.5],
  date: ['2024-02-29', '2024-02-29'],
  datetime: ['2024-02-29T10:00:00+02:00', '2024-02-29T08:00:00.000Z'],
  timestamp: [1700000000000, '1700000000000'],
  time: ['10:20:30', '10:20:30'],
}
const TYPES = Object.keys(VALUES)
const sent = Object.fromEntries(TYPES.map((type) => [type, VALUES[type]?.[0]]))

describe('unique values', () => {
  let server: TestServer

  before(async () => {
    const attributes = {
      ...Object.fromEntries(TYPES.map((type) => [type, { type, unique: true }])),
      secret: { type: 'string', unique: true, private: true },
    }
    server = await serve('unique_values', {
      contentTypes: {
        note: declare('note', attributes),
        post: declare('post', attributes, { draftAndPublish: true }),
        'sharded-note': declare('sharded-note', attributes, { sharded: true }),
      },
    })
    for (const path of ['notes', 'posts', 'sharded-notes']) {
      const answer = await server.post(`/api/${path}`, sent)
      expect(answer.status, answer.text).to.equal(201)
    }
  })

  after(() => server.close())

  const expectTaken = ({ status, body }: Answer, types: readonly string[]): void => {
    expect(status).to.equal(400)
    const faults: readonly Json[] = body.error.details.errors
    expect(faults.map(({ path, value }) => [path, value])).to.deep.equal(
      types.map((type) => [[type], VALUES[type]?.[1]]),
    )
  }

  it('reports all taken values of a creation together, as shown in responses', async () => {
    expectTaken(await server.post('/api/notes', sent), TYPES)
    expectTaken(await server.post('/api/posts', sent), TYPES)
    expectTaken(await server.post('/api/sharded-notes', sent), TYPES)
  })

  it('reports taken values of a change', async () => {
    const { documentId } = (await server.post('/api/notes', {})).body.data
    expectTaken(await server.put(`/api/notes/${documentId}`, sent), TYPES)
  })

  it('reports taken values of a publication', async () => {
    const { documentId } = (await server.post('/api/posts?status=draft', sent)).body.data
    expectTaken(await server.put(`/api/posts/${documentId}`, {}), TYPES)
    expectTaken(await server.send('POST', `/api/posts/${documentId}/actions/publish`), TYPES)
  })

  it('hides private values', async () => {
    const data = { secret: 'kestrel' }
    await server.post('/api/posts', data)
    const { documentId } = (await server.post('/api/posts?status=draft', data)).body.data
    const answer = await server.put(`/api/posts/${documentId}`, {})
    expect(answer.status).to.equal(400)
    expect(answer.text).to.include('["secret"]').and.not.include('kestrel')
  })

  for (const type of TYPES) {
    it(`reports a taken ${type} in concurrent creations`, async () => {
      const { body } = await server.get('/api/notes?sort=id')
      await server.delete(`/api/notes/${body.data[0].documentId}`)
      const data = { [type]: sent[type] }
      const answers = await Promise.all([1, 2, 3].map(() => server.post('/api/notes', data)))
      const refused = answers.filter(({ status }) => status !== 201)
      expect(refused).to.have.length(2)
      for (const answer of refused) expectTaken(answer, [type])
    })
  }
})
