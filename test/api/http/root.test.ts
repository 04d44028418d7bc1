import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

/** The Accept header of Chromium and Firefox for a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('GET /', () => {
  let server: TestServer
  before(async () => {
    server = await serve('root', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
    })
  })
  after(() => server.close())

  it('redirects a browser to the Studio', async () => {
    const { status, headers } = await server.get('/', { token: null, headers: { accept: BROWSER } })
    expect([status, headers['location']]).to.deep.equal([302, '/studio'])
    expect(headers['vary']).to.match(/Accept(?:,|$)/)
  })

  for (const accept of ['application/json', '*/*', undefined]) {
    it(`responds with the main paths to Accept: ${accept ?? '(none)'}`, async () => {
      const headers = accept === undefined ? {} : { accept }
      const answer = await server.get('/', { token: null, headers })
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.equal({ api: '/api', docs: '/api/docs', health: '/_health' })
      expect(answer.headers['vary']).to.match(/Accept(?:,|$)/)
    })
  }

  it('lists paths that exist', async () => {
    const { docs, health } = (await server.get('/', { token: null })).body
    expect((await server.get(docs)).status).to.equal(200)
    expect((await server.get(health)).status).to.equal(204)
  })

  it('omits the docs page if a content-type has its path', async () => {
    const doc = declare('doc', { name: { type: 'string' } })
    const other = await serve('root_docs', { contentTypes: { doc } })
    try {
      expect((await other.get('/', { token: null })).body.docs).to.equal(null)
    } finally {
      await other.close()
    }
  })
})
