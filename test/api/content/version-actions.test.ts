import { expect } from 'chai'
import {
  type Answer,
  declare,
  type Json,
  serve,
  type Sent,
  type TestServer,
} from '../../support/server.ts'

const localized = { i18n: { localized: true } }
const relation = (kind: string, target: string, otherSide: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...otherSide,
})

describe('actions on versions over HTTP', () => {
  let server: TestServer
  let tags: readonly string[]

  before(async () => {
    server = await serve('version_actions', {
      contentTypes: {
        article: declare(
          'article',
          {
            title: { type: 'string', required: true, pluginOptions: localized },
            slug: { type: 'uid', unique: true, pluginOptions: localized },
            rank: { type: 'integer', min: 0 },
            tags: relation('manyToMany', 'tag'),
            seo: { type: 'component', component: 'shared.seo' },
          },
          { draftAndPublish: true, localized: true },
        ),
        note: declare(
          'note',
          {
            text: { type: 'string' },
            partner: relation('oneToOne', 'pair', { inversedBy: 'note' }),
            shelf: relation('manyToOne', 'shelf', { inversedBy: 'notes' }),
          },
          { draftAndPublish: true },
        ),
        pair: declare('pair', { note: relation('oneToOne', 'note', { mappedBy: 'partner' }) }),
        shelf: declare(
          'shelf',
          { name: { type: 'string' }, notes: relation('oneToMany', 'note', { mappedBy: 'shelf' }) },
          { draftAndPublish: true },
        ),
        tag: declare('tag', { name: { type: 'string' } }),
        homepage: declare(
          'homepage',
          { title: { type: 'string', required: true, pluginOptions: localized } },
          { kind: 'singleType', draftAndPublish: true, localized: true },
        ),
        plain: declare('plain', { title: { type: 'string' } }, { kind: 'singleType' }),
        'components/shared/seo': {
          info: { displayName: 'Seo' },
          attributes: { description: { type: 'string' } },
        },
      },
      locales: ['fr', 'de'],
      permitted: ['api::article.article.update'],
    })
    const made = ['a', 'b', 'c'].map((name) => server.post('/api/tags', { name }))
    tags = (await Promise.all(made)).map(({ body }) => body.data.documentId)
  })

  after(() => server.close())

  const act = (path: string, sent: Sent = {}): Promise<Answer> => server.send('POST', path, sent)

  const created = async (path: string, data: object): Promise<Json> => {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }

  const done = async (path: string, sent?: Sent): Promise<Json> => {
    const answer = await act(path, sent)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.meta).to.deep.equal({})
    return answer.body.data
  }

  const read = async (path: string): Promise<Json> => (await server.get(path)).body.data

  describe('publish', () => {
    it('copies the whole draft with the order of its relations, and keeps the ids', async () => {
      const { documentId, id } = await created('/api/articles', { title: 'one', tags, seo: {} })
      const path = `/api/articles/${documentId}`
      const order = [tags[2], tags[0]]
      const changed = { title: 'two', tags: order, seo: { description: 'd' } }
      const draft = (await server.put(`${path}?status=draft&populate=*`, changed)).body.data
      const published = await done(`${path}/actions/publish?populate=*`)
      expect(published).to.include({ id, documentId, title: 'two', locale: 'en' })
      expect(published.tags.map((tag: Json) => tag.documentId)).to.deep.equal(order)
      expect(published.seo).to.deep.equal(draft.seo)
      expect(published.publishedAt).to.be.a('string')
      expect(await read(`${path}?populate=*`)).to.deep.equal(published)
      const after = await read(`${path}?status=draft&populate=*`)
      expect([after.id, after.publishedAt, after.updatedAt]).to.deep.equal([
        draft.id,
        null,
        published.updatedAt,
      ])
    })

    it('publishes an entry for the first time', async () => {
      const { documentId, id } = await created('/api/articles?status=draft', { title: 'new' })
      const published = await done(`/api/articles/${documentId}/actions/publish`)
      expect(published.title).to.equal('new')
      expect(published.id).to.be.a('number').that.does.not.equal(id)
    })

    it('returns an unchanged published version as it is', async () => {
      const published = await created('/api/articles?populate=*', { title: 'same', tags })
      const path = `/api/articles/${published.documentId}`
      expect(await done(`${path}/actions/publish?populate=*`)).to.deep.equal(published)
      expect(await read(`${path}?populate=*`)).to.deep.equal(published)
      await server.put(`${path}?status=draft`, { tags: tags.toReversed() })
      const again = await done(`${path}/actions/publish`)
      expect(again.publishedAt > published.publishedAt).to.equal(true)
    })

    it('refuses an invalid draft, and changes no version', async () => {
      const { documentId } = await created('/api/articles?status=draft', { rank: -1 })
      const answer = await act(`/api/articles/${documentId}/actions/publish`)
      expect([answer.status, answer.body.error.name]).to.deep.equal([400, 'ValidationError'])
      const paths = answer.body.error.details.errors.map(({ path }: Json) => path)
      expect(paths).to.deep.equal([['title'], ['rank']])
      expect((await server.get(`/api/articles/${documentId}`)).status).to.equal(404)
    })

    it('refuses a taken unique value', async () => {
      await created('/api/articles', { title: 'taken', slug: 'taken' })
      const { documentId } = await created('/api/articles?status=draft', {
        title: 'late',
        slug: 'taken',
      })
      const answer = await act(`/api/articles/${documentId}/actions/publish`)
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        400,
        'This attribute must be unique',
      ])
    })
  })

  describe('unpublish', () => {
    it('removes the published version and keeps the draft', async () => {
      const { documentId } = await created('/api/articles', { title: 'one', tags })
      const path = `/api/articles/${documentId}`
      await server.put(`${path}?status=draft`, { title: 'two' })
      const before = await read(`${path}?status=draft&populate=*`)
      expect(await done(`${path}/actions/unpublish?populate=*`)).to.deep.equal(before)
      expect((await server.get(path)).status).to.equal(404)
      expect(await read(`${path}?status=draft&populate=*`)).to.deep.equal(before)
      expect(await done(`${path}/actions/unpublish?populate=*`)).to.deep.equal(before)
    })

    it('frees a unique value', async () => {
      const { documentId } = await created('/api/articles', { title: 'one', slug: 'freed' })
      await done(`/api/articles/${documentId}/actions/unpublish`)
      await created('/api/articles', { title: 'two', slug: 'freed' })
    })
  })

  describe('discard', () => {
    it('resets the draft to the published version', async () => {
      const { documentId } = await created('/api/articles', {
        title: 'one',
        tags,
        seo: { description: 'd' },
      })
      const path = `/api/articles/${documentId}`
      const before = await read(`${path}?status=draft&populate=*`)
      await server.put(`${path}?status=draft`, {
        title: 'two',
        tags: [tags[1]],
        seo: null,
        rank: 3,
      })
      const draft = await done(`${path}/actions/discard?populate=*`)
      expect({ ...draft, updatedAt: before.updatedAt }).to.deep.equal(before)
      expect(draft.updatedAt > before.updatedAt).to.equal(true)
      expect(await read(`${path}?status=draft&populate=*`)).to.deep.equal(draft)
      expect(await done(`${path}/actions/discard?populate=*`)).to.deep.equal(draft)
    })

    it('responds with 400 without a published version', async () => {
      const { documentId } = await created('/api/articles?status=draft', { title: 'one' })
      const answer = await act(`/api/articles/${documentId}/actions/discard`)
      expect([answer.status, answer.body.error.name, answer.body.error.message]).to.deep.equal([
        400,
        'ApplicationError',
        'There is no published version in locale en to revert to',
      ])
      const every = await act(`/api/articles/${documentId}/actions/discard?locale=*`)
      expect(every.status).to.equal(400)
    })

    it('takes back the target of a one-to-one relation', async () => {
      const pair = (await created('/api/pairs', {})).documentId
      const first = await created('/api/notes', { text: 'first', partner: pair })
      const second = await created('/api/notes?status=draft', { text: 'second', partner: pair })
      const partners = async (): Promise<readonly unknown[]> =>
        Promise.all(
          [first, second].map(async ({ documentId }) => {
            const note = await read(`/api/notes/${documentId}?status=draft&populate=partner`)
            return note.partner?.documentId ?? null
          }),
        )
      expect(await partners()).to.deep.equal([null, pair])
      await done(`/api/notes/${first.documentId}/actions/discard`)
      expect(await partners()).to.deep.equal([pair, null])
      const shown = await read(`/api/pairs/${pair}?status=draft&populate=note`)
      expect(shown.note.documentId).to.equal(first.documentId)
    })
  })

  it('publishes relations that the inverse side wrote only with their owners', async () => {
    const shelf = (await created('/api/shelfs', { name: 's' })).documentId
    const note = (await created('/api/notes', { text: 'n' })).documentId
    const notesIn = async (status: string): Promise<readonly string[]> =>
      (await read(`/api/shelfs/${shelf}?status=${status}&populate=notes`)).notes.map(
        ({ documentId }: Json) => documentId,
      )
    await server.put(`/api/shelfs/${shelf}?status=draft`, { notes: [note] })
    await done(`/api/shelfs/${shelf}/actions/publish`)
    expect([await notesIn('draft'), await notesIn('published')]).to.deep.equal([[note], []])
    await done(`/api/notes/${note}/actions/publish`)
    expect([await notesIn('draft'), await notesIn('published')]).to.deep.equal([[note], [note]])
    await server.put(`/api/shelfs/${shelf}?status=draft`, { notes: [] })
    await done(`/api/notes/${note}/actions/discard`)
    expect([await notesIn('draft'), await notesIn('published')]).to.deep.equal([[note], [note]])
    await done(`/api/notes/${note}/actions/unpublish`)
    expect([await notesIn('draft'), await notesIn('published')]).to.deep.equal([[note], []])
    await server.put(`/api/shelfs/${shelf}`, { notes: [] })
    await done(`/api/notes/${note}/actions/publish`)
    await server.put(`/api/shelfs/${shelf}`, { notes: [note] })
    expect([await notesIn('draft'), await notesIn('published')]).to.deep.equal([[note], [note]])
  })

  describe('locales', () => {
    let path: string

    beforeEach(async () => {
      const { documentId } = await created('/api/articles?status=draft', { title: 'en', rank: 1 })
      path = `/api/articles/${documentId}`
      await server.put(`${path}?status=draft&locale=fr`, { title: 'fr' })
    })

    const statuses = async (): Promise<Json> =>
      Promise.all(
        ['en', 'fr', 'de'].map(
          async (locale) => (await server.get(`${path}?locale=${locale}`)).status,
        ),
      )

    it('acts on the default locale or on the given one', async () => {
      expect(await done(`${path}/actions/publish`)).to.include({ title: 'en', locale: 'en' })
      expect(await statuses()).to.deep.equal([200, 404, 404])
      expect(await done(`${path}/actions/publish?locale=fr`)).to.include({ title: 'fr' })
      expect(await done(`${path}/actions/unpublish?locale=en`)).to.include({ locale: 'en' })
      expect(await statuses()).to.deep.equal([404, 200, 404])
    })

    for (const query of ['locale=fr,en', 'locale=*', 'locale[0]=en&locale[1]=fr&locale[2]=en']) {
      it(`acts on several locales and returns a list, for ?${query}`, async () => {
        const expected = query === 'locale=fr,en' ? ['fr', 'en'] : ['en', 'fr']
        const titles = (entries: Json): Json => entries.map(({ title }: Json) => title)
        expect(titles(await done(`${path}/actions/publish?${query}`))).to.deep.equal(expected)
        expect(await statuses()).to.deep.equal([200, 200, 404])
        for (const locale of ['en', 'fr']) {
          await server.put(`${path}?status=draft&locale=${locale}`, { title: 'x', rank: 9 })
        }
        const discarded = await done(`${path}/actions/discard?${query}&fields=title,rank`)
        expect(titles(discarded)).to.deep.equal(expected)
        expect(discarded.map(({ rank }: Json) => rank)).to.deep.equal([1, 1])
        await done(`${path}/actions/unpublish?${query}`)
        expect(await statuses()).to.deep.equal([404, 404, 404])
      })
    }

    it('publishes all locales or none, and names the invalid one', async () => {
      await server.put(`${path}?status=draft&locale=fr`, { title: null })
      const answer = await act(`${path}/actions/publish?locale=*`)
      expect([answer.status, answer.body.error.details.locale]).to.deep.equal([400, 'fr'])
      expect(await statuses()).to.deep.equal([404, 404, 404])
    })

    it('keeps shared values equal in all drafts when one is discarded', async () => {
      await done(`${path}/actions/publish?locale=*`)
      await server.put(`${path}?status=draft`, { rank: 2 })
      expect((await read(`${path}?status=draft&locale=fr`)).rank).to.equal(2)
      await done(`${path}/actions/discard`)
      expect((await read(`${path}?status=draft&locale=fr`)).rank).to.equal(1)
    })

    it('discards the published ones of all locales, and returns them', async () => {
      await done(`${path}/actions/publish?locale=fr`)
      const discarded = await done(`${path}/actions/discard?locale=*`)
      expect(discarded.map(({ locale }: Json) => locale)).to.deep.equal(['fr'])
      expect((await act(`${path}/actions/discard?locale=en,fr`)).status).to.equal(400)
    })

    const refused: readonly (readonly [string, number])[] = [
      ['locale=xx', 400],
      ['locale=en,xx', 400],
      ['locale=en,', 400],
      ['locale=FR', 400],
      ['locale=en,*', 400],
      ['locale[a]=en', 400],
      ['locale=de', 404],
      ['locale=en,de', 404],
      ['status=draft', 400],
      ['fields=nope', 400],
      ['populate=nope', 400],
    ]
    for (const [query, status] of refused) {
      it(`responds with ${status} to ?${query}, and changes no version`, async () => {
        const answer = await act(`${path}/actions/publish?${query}`)
        expect(answer.status, answer.text).to.equal(status)
        expect(await statuses()).to.deep.equal([404, 404, 404])
      })
    }
  })

  describe('single types', () => {
    it('supports the same actions as collection types', async () => {
      expect((await act('/api/homepage/actions/publish')).status).to.equal(404)
      expect((await server.put('/api/homepage?status=draft', { title: 'a' })).status).to.equal(200)
      expect((await server.get('/api/homepage')).status).to.equal(404)
      const published = await done('/api/homepage/actions/publish')
      expect(await read('/api/homepage')).to.deep.equal(published)
      await server.put('/api/homepage?status=draft', { title: 'b' })
      expect(await done('/api/homepage/actions/discard')).to.include({ title: 'a' })
      await server.put('/api/homepage?locale=fr', { title: 'fr' })
      const drafts = await done('/api/homepage/actions/unpublish?locale=*')
      expect(drafts.map(({ title }: Json) => title)).to.deep.equal(['a', 'fr'])
      expect((await server.get('/api/homepage?locale=fr')).status).to.equal(404)
    })
  })

  describe('responses', () => {
    let path: string

    before(async () => {
      path = `/api/articles/${(await created('/api/articles', { title: 'one' })).documentId}`
    })

    it('responds with 404 for unknown types, entries and actions', async () => {
      const { documentId } = await created('/api/tags', { name: 'x' })
      const paths = [
        `/api/tags/${documentId}/actions/publish`,
        '/api/plain/actions/publish',
        `${path}/actions/archive`,
        `${path}/actions`,
        '/api/articles/actions/publish',
        '/api/articles/000000000000000000000000/actions/publish',
        '/api/articles/1/actions/unpublish',
      ]
      for (const missing of paths) {
        const answer = await act(missing, { body: {} })
        expect([answer.status, answer.body.error?.name], missing).to.deep.equal([
          404,
          'NotFoundError',
        ])
      }
    })

    it('responds with 405 and the allowed method to other methods', async () => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        for (const base of [path, '/api/homepage']) {
          const answer = await server.send(method, `${base}/actions/publish`)
          expect([answer.status, answer.headers['allow']]).to.deep.equal([405, 'POST'])
        }
      }
    })

    const bodies: readonly (readonly [unknown, string, number])[] = [
      [undefined, '', 200],
      ['', 'application/json', 200],
      ['', 'text/plain', 200],
      ['{}', 'application/json', 200],
      ['{"data":{}}', 'application/json', 400],
      ['{"locale":"fr"}', 'application/json', 400],
      ['[]', 'application/json', 400],
      ['a=1', 'application/x-www-form-urlencoded', 400],
      ['x', 'text/plain', 400],
    ]
    for (const [body, type, status] of bodies) {
      it(`responds with ${status} to a body of ${JSON.stringify(body)} as ${type || 'an unknown type'}`, async () => {
        const answer = await act(`${path}/actions/publish`, {
          body,
          ...(type !== '' && { headers: { 'content-type': type } }),
        })
        expect(answer.status, answer.text).to.equal(status)
        if (status === 400) {
          expect(answer.body.error.details).to.include({ source: 'body' })
          expect(answer.body.error.details.path).to.be.oneOf(['data', 'locale', 'body', 'a'])
        }
      })
    }

    it('returns the requested fields, and the previous format on request', async () => {
      const { documentId, ...rest } = await done(`${path}/actions/publish?fields=title`)
      expect(Object.keys(rest)).to.deep.equal(['id', 'title'])
      const headers = { 'strapi-response-format': 'v4' }
      const entry = await done(`${path}/actions/publish?fields=title`, { headers })
      expect(entry.attributes).to.deep.equal({ title: 'one' })
      expect(entry.documentId).to.equal(documentId)
    })

    it('requires the permission of each action', async () => {
      const tokenOf = async (type: string, permissions?: readonly string[]): Promise<string> => {
        const body = { name: `${type} of the test`, type, permissions }
        const answer = await server.send('POST', '/admin/api-tokens', { body })
        expect(answer.status, answer.text).to.equal(201)
        return answer.body.data.accessKey
      }
      const statuses = async (token: string | null): Promise<readonly number[]> => {
        const answers: number[] = []
        for (const action of ['unpublish', 'publish', 'discard']) {
          answers.push((await act(`${path}/actions/${action}`, { token })).status)
        }
        return answers
      }
      expect(await statuses(await tokenOf('full-access'))).to.deep.equal([200, 200, 200])
      expect(await statuses(await tokenOf('read-only'))).to.deep.equal([403, 403, 403])
      const publish = await tokenOf('custom', ['api::article.article.publish'])
      expect(await statuses(publish)).to.deep.equal([200, 200, 403])
      expect(await statuses(null)).to.deep.equal([403, 403, 200])
    })
  })

  it('leaves the log empty', () => {
    expect(server.takeLog()).to.deep.equal([])
  })

  it('applies only to the version that the client has read, with If-Match', async () => {
    const { documentId } = await created('/api/notes?status=draft', { text: 'one' })
    const path = `/api/notes/${documentId}`
    const read = await server.get(`${path}?status=draft`)
    const etag = String(read.headers.etag)
    await server.put(`${path}?status=draft`, { text: 'two' })
    const late = await act(`${path}/actions/publish`, { headers: { 'if-match': etag } })
    expect([late.status, late.body.error.name]).to.deep.equal([412, 'PreconditionFailedError'])
    expect((await server.get(path)).status).to.equal(404)
    const current = { 'if-match': String(late.headers.etag) }
    const published = await act(`${path}/actions/publish`, { headers: current })
    expect(published.status, published.text).to.equal(200)
    const next = { 'if-match': String(published.headers.etag) }
    const unpublished = await act(`${path}/actions/unpublish`, { headers: next })
    expect(unpublished.status, unpublished.text).to.equal(200)
    const last = { 'if-match': String(unpublished.headers.etag) }
    const removed = await server.delete(path, { headers: last })
    expect(removed.status, removed.text).to.equal(204)
  })
})
