import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

describe('a sort by two attributes with lists in one entry', () => {
  let server: TestServer
  before(async () => {
    server = await serve('sorts_by_lists', {
      contentTypes: {
        note: declare('note', { one: { type: 'json' }, other: { type: 'json' } }),
      },
    })
    await server.post('/api/notes', { one: [1, 2], other: 1 })
    await server.post('/api/notes', { one: 0, other: [3] })
  })
  after(() => server.close())

  it('responds with 400 and names the parameter', async () => {
    const sorted = () => server.get('/api/notes?sort=one,other')
    const before = await sorted()
    expect(before.status, before.text).to.equal(200)
    expect(before.body.data.map(({ one }: { readonly one: unknown }) => one)).to.deep.equal([
      0,
      [1, 2],
    ])
    await server.post('/api/notes', { one: [1, 2], other: [3] })
    const { status, body, text } = await sorted()
    // DocumentDB sorts by two lists.
    expect(status, text).to.be.oneOf([200, 400])
    if (status === 400) expect(body.error.message).to.match(/^sort: /)
    else expect(body.data).to.have.lengthOf(3)
  })
})
