import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const localized = { i18n: { localized: true } }

describe('single types over HTTP', () => {
  let server: TestServer

  before(async () => {
    server = await serve('single_types', {
      contentTypes: {
        home: declare(
          'home',
          {
            title: { type: 'string', required: true, pluginOptions: localized },
            rank: { type: 'integer' },
          },
          { kind: 'singleType', draftAndPublish: true, localized: true },
        ),
        footer: declare('footer', { text: { type: 'string' } }, { kind: 'singleType' }),
      },
      locales: ['fr'],
    })
  })

  after(() => server.close())

  const done = async (query: string, data: object): Promise<Json> => {
    const answer = await server.put(`/api/home?${query}`, data)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }

  /**
   * The titles of the published version and of the draft in each locale, or the status of the
   * error.
   */
  const shown = async (): Promise<Json> => {
    const rows: unknown[] = []
    for (const locale of ['en', 'fr']) {
      for (const status of ['published', 'draft']) {
        const answer = await server.get(`/api/home?locale=${locale}&status=${status}`)
        rows.push(answer.status === 200 ? answer.body.data.title : answer.status)
      }
    }
    return rows
  }

  afterEach(() => server.delete('/api/home?locale=*'))

  it('responds with 404 before the first PUT, in every locale and status', async () => {
    expect(await shown()).to.deep.equal([404, 404, 404, 404])
    expect((await server.get('/api/footer')).status).to.equal(404)
    expect((await server.delete('/api/home')).status).to.equal(204)
    expect((await server.put('/api/home', {})).status).to.equal(400)
    expect(await server.count('home_versions')).to.equal(0)
  })

  it('starts as a draft and can be published later', async () => {
    const draft = await done('status=draft', { rank: 1 })
    expect(draft).to.include({ title: null, publishedAt: null })
    expect(await shown()).to.deep.equal([404, null, 404, 404])
    expect((await server.put('/api/home', {})).status).to.equal(400)
    const published = await done('', { title: 'a' })
    expect(published).to.include({ documentId: draft.documentId, title: 'a', rank: 1 })
    expect(await shown()).to.deep.equal(['a', 'a', 404, 404])
    await done('status=draft', { title: 'b' })
    expect(await shown()).to.deep.equal(['a', 'b', 404, 404])
  })

  it('starts in any locale, and shares values between the locales of one document', async () => {
    const french = await done('locale=fr', { title: 'fr', rank: 7 })
    expect(await shown()).to.deep.equal([404, 404, 'fr', 'fr'])
    const english = await done('', { title: 'en' })
    expect(english).to.include({ documentId: french.documentId, locale: 'en', rank: 7 })
    expect(english.id).to.not.equal(french.id)
    await done('', { rank: 8 })
    expect((await server.get('/api/home?locale=fr')).body.data.rank).to.equal(8)
    expect((await server.put('/api/home?locale=xx', { title: 'x' })).status).to.equal(400)
    expect((await server.put('/api/home?locale=*', { title: 'x' })).status).to.equal(400)
    expect((await server.get('/api/home?locale=*')).status).to.equal(404)
  })

  it('deletes the default locale, a given one or all', async () => {
    const both = async (): Promise<void> => {
      await done('', { title: 'en' })
      await done('locale=fr', { title: 'fr' })
    }
    await both()
    expect((await server.delete('/api/home')).status).to.equal(204)
    expect(await shown()).to.deep.equal([404, 404, 'fr', 'fr'])
    await both()
    expect((await server.delete('/api/home?locale=fr')).status).to.equal(204)
    expect(await shown()).to.deep.equal(['en', 'en', 404, 404])
    expect((await server.delete('/api/home?status=draft')).status).to.equal(400)
    await both()
    expect((await server.delete('/api/home?locale=*')).status).to.equal(204)
    expect(await server.count('home_versions')).to.equal(0)
  })

  it('supports no other methods and no entries by id', async () => {
    const wrong = await server.send('POST', '/api/home', { body: { data: { title: 'a' } } })
    expect([wrong.status, wrong.headers['allow']]).to.deep.equal([405, 'HEAD, GET, PUT, DELETE'])
    const { documentId } = await done('', { title: 'a' })
    for (const path of [`/api/home/${documentId}`, '/api/homes', `/api/homes/${documentId}`]) {
      expect((await server.get(path)).status, path).to.equal(404)
    }
  })
})
