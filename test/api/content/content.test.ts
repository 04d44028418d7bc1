import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const localized = { i18n: { localized: true } }

describe('content over HTTP', () => {
  let server: TestServer

  before(async () => {
    server = await serve('content', {
      contentTypes: {
        article: declare(
          'article',
          {
            title: { type: 'string', required: true, pluginOptions: localized },
            views: { type: 'integer' },
            big: { type: 'biginteger' },
            price: { type: 'decimal' },
            day: { type: 'date' },
            hour: { type: 'time' },
            moment: { type: 'datetime' },
            stamp: { type: 'timestamp' },
            extra: { type: 'json' },
            secret: { type: 'string', private: true },
          },
          { draftAndPublish: true, localized: true },
        ),
        tag: declare('tag', { name: { type: 'string', unique: true }, rank: { type: 'integer' } }),
        homepage: declare(
          'homepage',
          { title: { type: 'string', required: true } },
          { kind: 'singleType', draftAndPublish: true },
        ),
      },
      locales: ['fr'],
      permitted: ['api::tag.tag.find', 'api::article.article.find'],
    })
  })

  after(() => server.close())

  describe('collection types', () => {
    let created: Json

    before(async () => {
      const answer = await server.post('/api/articles', {
        title: 'One',
        views: 7,
        big: '9007199254740993',
        price: 1.23456789,
        day: '2024-02-29',
        hour: '23:15:30.500',
        moment: '2024-01-15T12:00:00+02:00',
        stamp: 1705312800000,
        extra: { b: 1, a: [null, 'x'] },
        secret: 'hidden',
      })
      expect(answer.status, answer.text).to.equal(201)
      created = answer.body
    })

    it('returns the published entry on creation, with its keys in order', () => {
      expect(Object.keys(created)).to.deep.equal(['data', 'meta'])
      expect(created.meta).to.deep.equal({})
      expect(Object.keys(created.data)).to.deep.equal([
        'id',
        'documentId',
        'title',
        'views',
        'big',
        'price',
        'day',
        'hour',
        'moment',
        'stamp',
        'extra',
        'createdAt',
        'updatedAt',
        'publishedAt',
        'locale',
      ])
      expect(created.data.documentId).to.match(/^[a-z][a-z0-9]{23}$/)
    })

    it('formats each type like Strapi and hides private attributes', () => {
      expect(created.data).to.deep.include({
        title: 'One',
        views: 7,
        big: '9007199254740993',
        price: 1.23456789,
        day: '2024-02-29',
        hour: '23:15:30.500',
        moment: '2024-01-15T10:00:00.000Z',
        stamp: '1705312800000',
        extra: { b: 1, a: [null, 'x'] },
        locale: 'en',
      })
      expect(JSON.stringify(created)).to.not.include('hidden')
      expect(created.data.publishedAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    it('returns the same entry to every reader', async () => {
      const { documentId } = created.data
      const one = await server.get(`/api/articles/${documentId}`)
      expect([one.status, one.body]).to.deep.equal([200, created])
      const list = await server.get('/api/articles', { token: null })
      expect(list.body).to.deep.equal({
        data: [created.data],
        meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } },
      })
    })

    it('returns the requested fields in the requested order', async () => {
      const { id, documentId } = created.data
      const one = await server.get(`/api/articles/${documentId}?fields=views,title`)
      expect(one.text).to.equal(
        JSON.stringify({ data: { id, documentId, views: 7, title: 'One' }, meta: {} }),
      )
      const answer = await server.put(`/api/articles/${documentId}?fields=locale`, {})
      expect(answer.body.data).to.deep.equal({ id, documentId, locale: 'en' })
    })

    it('changes the given attributes and keeps the others', async () => {
      const { documentId, id, createdAt } = created.data
      const answer = await server.put(`/api/articles/${documentId}`, { views: 8 })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body.data).to.deep.include({
        id,
        documentId,
        createdAt,
        title: 'One',
        views: 8,
      })
    })

    it('hides drafts from callers without permission to read them', async () => {
      const answer = await server.post('/api/articles?status=draft', { title: 'Draft' })
      expect(answer.body.data.publishedAt).to.equal(null)
      const { documentId } = answer.body.data
      expect((await server.get(`/api/articles/${documentId}`)).status).to.equal(404)
      expect((await server.get(`/api/articles/${documentId}?status=draft`)).status).to.equal(200)
      expect((await server.get('/api/articles?status=draft', { token: null })).status).to.equal(403)
      await server.delete(`/api/articles/${documentId}`)
    })

    it('reads and writes other locales', async () => {
      const { documentId } = created.data
      const french = await server.put(`/api/articles/${documentId}?locale=fr`, { title: 'Un' })
      expect([french.status, french.body.data.locale], french.text).to.deep.equal([200, 'fr'])
      expect(french.body.data).to.include({ documentId, title: 'Un', big: '9007199254740993' })
      const titles = async (query: string): Promise<readonly string[]> =>
        (await server.get(`/api/articles?${query}`)).body.data.map(({ title }: Json) => title)
      expect(await titles('locale=fr')).to.deep.equal(['Un'])
      expect(await titles('locale=*&sort=locale')).to.deep.equal(['One', 'Un'])
      expect(await titles('filters[locale]=fr')).to.deep.equal(['Un'])
      expect(await titles('locale=xx')).to.deep.equal([])
      expect((await server.get(`/api/articles/${documentId}?locale=*`)).status).to.equal(404)
      expect((await server.delete(`/api/articles/${documentId}?locale=fr`)).status).to.equal(204)
      expect(await titles('locale=*')).to.deep.equal(['One'])
    })

    const locales: readonly (readonly [string, string, object, number])[] = [
      ['an unknown locale', '?locale=xx', { title: 'x' }, 400],
      ['every locale', '?locale=*', { title: 'x' }, 400],
      ['an unknown locale in the data', '', { title: 'x', locale: 'xx' }, 400],
    ]
    for (const [label, query, data, status] of locales) {
      it(`refuses to create an entry in ${label}`, async () => {
        const answer = await server.post(`/api/articles${query}`, data)
        expect(answer.status, answer.text).to.equal(status)
        expect(await server.count('article_versions')).to.equal(2)
      })
    }

    it('takes the locale from the data and refuses an update with another locale', async () => {
      const answer = await server.post('/api/articles', { title: 'Deux', locale: 'fr' })
      expect([answer.status, answer.body.data.locale], answer.text).to.deep.equal([201, 'fr'])
      const target = `/api/articles/${answer.body.data.documentId}?locale=fr`
      expect((await server.put(target, { locale: 'fr' })).status).to.equal(200)
      expect((await server.put(target, { locale: 'en' })).status).to.equal(400)
      await server.delete(target)
    })

    it('deletes an entry and responds with 204 even the second time', async () => {
      const { documentId } = created.data
      const refused = await server.delete(`/api/articles/${documentId}?status=draft`)
      expect(refused.status).to.equal(400)
      for (const _ of [1, 2]) {
        const answer = await server.delete(`/api/articles/${documentId}`)
        expect([answer.status, answer.text]).to.deep.equal([204, ''])
        expect(answer.headers).to.not.have.property('content-type')
      }
      expect((await server.get(`/api/articles/${documentId}`)).status).to.equal(404)
      expect((await server.put(`/api/articles/${documentId}`, { title: 'x' })).status).to.equal(404)
      expect(await server.count('article_versions')).to.equal(0)
    })
  })

  describe('single types', () => {
    it('creates the entry by the first PUT, changes it by the next one and deletes it', async () => {
      expect((await server.get('/api/homepage')).status).to.equal(404)
      expect((await server.put('/api/homepage', {})).status).to.equal(400)
      const first = await server.put('/api/homepage', { title: 'a' })
      expect([first.status, first.body.data.title], first.text).to.deep.equal([200, 'a'])
      const second = await server.put('/api/homepage', { title: 'b' })
      expect(second.body.data).to.include({
        id: first.body.data.id,
        documentId: first.body.data.documentId,
        title: 'b',
      })
      expect((await server.get('/api/homepage')).body).to.deep.equal(second.body)
      expect((await server.send('POST', '/api/homepage', { body: { data: {} } })).status).to.equal(
        405,
      )
      expect((await server.get('/api/homepages')).status).to.equal(404)
      for (const _ of [1, 2]) expect((await server.delete('/api/homepage')).status).to.equal(204)
      expect((await server.get('/api/homepage')).status).to.equal(404)
    })
  })

  describe('lists', () => {
    before(async () => {
      const tags = [
        { name: 'alpha', rank: 3 },
        { name: 'Beta', rank: 1 },
        { name: 'élan', rank: null },
        { name: '100%', rank: 2 },
        { name: 'alphabet', rank: 1 },
      ]
      for (const tag of tags) expect((await server.post('/api/tags', tag)).status).to.equal(201)
    })

    const names = async (query: string): Promise<readonly string[]> => {
      const answer = await server.get(`/api/tags?${query}`)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.data.map(({ name }: Json) => name)
    }

    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['', ['alpha', 'Beta', 'élan', '100%', 'alphabet']],
      ['filters[name]=alpha', ['alpha']],
      ['filters[name][$in][0]=alpha&filters[name][$in][1]=Beta', ['alpha', 'Beta']],
      ['filters[name]=alpha&filters[name]=Beta', ['alpha', 'Beta']],
      ['filters%5Bname%5D%5B%24eqi%5D=%C3%89LAN', ['élan']],
      ['filters[name][$contains]=%25', ['100%']],
      ['filters[name][$startsWith]=alpha&filters[rank][$gt]=1', ['alpha']],
      ['filters[rank][$null]=true', ['élan']],
      ['filters[rank][$ne]=1', ['alpha', 'élan', '100%']],
      ['filters[$or][0][rank]=3&filters[$or][1][rank]=2', ['alpha', '100%']],
      ['filters[$not][rank]=1', ['alpha', 'élan', '100%']],
      ['filters[rank][$between][]=1&filters[rank][$between][]=2', ['Beta', '100%', 'alphabet']],
      ['_q=ALPHA', ['alpha', 'alphabet']],
      ['sort=rank', ['élan', 'Beta', 'alphabet', '100%', 'alpha']],
      ['sort=rank:desc', ['alpha', '100%', 'alphabet', 'Beta', 'élan']],
      ['sort[0]=rank:desc&sort[1]=name:desc', ['alpha', '100%', 'alphabet', 'Beta', 'élan']],
      ['sort=name', ['100%', 'Beta', 'alpha', 'alphabet', 'élan']],
      ['sort=id:desc&pagination[pageSize]=2', ['alphabet', '100%']],
      ['pagination[start]=1&pagination[limit]=2', ['Beta', 'élan']],
      ['pagination[page]=9', []],
    ]
    for (const [query, expected] of rows) {
      it(`returns the matching entries for ?${query}`, async () => {
        expect(await names(query)).to.deep.equal(expected)
      })
    }

    const pages: readonly (readonly [string, object])[] = [
      ['', { page: 1, pageSize: 25, pageCount: 1, total: 5 }],
      ['pagination[pageSize]=2', { page: 1, pageSize: 2, pageCount: 3, total: 5 }],
      [
        'pagination[page]=4&pagination[pageSize]=2',
        { page: 4, pageSize: 2, pageCount: 3, total: 5 },
      ],
      ['pagination[pageSize]=500', { page: 1, pageSize: 100, pageCount: 1, total: 5 }],
      ['pagination[limit]=1', { start: 0, limit: 1, total: 5 }],
      ['pagination[withCount]=false', { page: 1, pageSize: 25 }],
      ['pagination[start]=2&pagination[withCount]=0', { start: 2, limit: 25 }],
      ['filters[name]=none', { page: 1, pageSize: 25, pageCount: 0, total: 0 }],
    ]
    for (const [query, expected] of pages) {
      it(`returns the pagination for ?${query}`, async () => {
        const { meta } = (await server.get(`/api/tags?${query}`)).body
        expect(JSON.stringify(meta)).to.equal(JSON.stringify({ pagination: expected }))
      })
    }

    it('walks by cursor from the first page to the last', async () => {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query = `sort=rank&pagination[pageSize]=2&pagination[cursor]=${cursor}`
        const answer = await server.get(`/api/tags?${query}`)
        expect(answer.status, answer.text).to.equal(200)
        seen.push(...answer.body.data.map(({ name }: Json) => name))
        cursor = answer.body.meta.pagination.nextCursor
      }
      expect(seen).to.deep.equal(await names('sort=rank'))
    })

    it('accepts a form like JSON', async () => {
      const answer = await server.send('POST', '/api/tags', {
        body: 'data[name]=form',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect([answer.status, answer.body.data?.name], answer.text).to.deep.equal([201, 'form'])
      await server.delete(`/api/tags/${answer.body.data.documentId}`)
    })

    it('creates one of several simultaneous entries with the same unique value', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => server.post('/api/tags', { name: 'raced' })),
      )
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
      expect(statuses).to.deep.equal([201, 400, 400, 400, 400, 400])
      for (const { status, body } of answers) {
        if (status === 201) await server.delete(`/api/tags/${body.data.documentId}`)
        else expect(body.error.message).to.equal('This attribute must be unique')
      }
    })
  })

  it('leaves the log empty', () => {
    expect(server.takeLog()).to.deep.equal([])
  })
})
