import { MongoClient } from 'mongodb'
import { expect } from 'chai'
import { PUBLICATION_FILTERS, type PublicationFilter } from '../../../src/query/query.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const TYPES = {
  post: declare(
    'post',
    {
      title: { type: 'string', ...LOCALIZED },
      seo: { type: 'component', component: 'shared.seo', ...LOCALIZED },
      shelf: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::shelf.shelf',
        inversedBy: 'posts',
      },
    },
    { draftAndPublish: true, localized: true },
  ),
  shelf: declare('shelf', {
    name: { type: 'string' },
    posts: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::post.post',
      mappedBy: 'shelf',
    },
    best: { type: 'relation', relation: 'oneToOne', target: 'api::post.post' },
  }),
  'queries/posts': { type: 'post', fields: ['title'], sort: 'title' },
  'queries/shelf': {
    type: 'shelf',
    single: true,
    populate: { posts: { fields: ['title'], sort: 'title' } },
  },
  'components/shared/seo': { attributes: { words: { type: 'string' } } },
}

type Locale = 'en' | 'fr'
type State = 'draft' | 'same' | 'changed' | 'published-only'
type States = Readonly<Partial<Record<Locale, State>>>

/** Documents by title, with the state in each of their locales. */
const DOCUMENTS: Readonly<Record<string, States>> = {
  d1: { en: 'draft' },
  d2: { en: 'same' },
  d3: { en: 'changed' },
  d4: { en: 'published-only' },
  d5: { en: 'draft', fr: 'same' },
  d6: { en: 'draft', fr: 'draft' },
  d7: { en: 'changed', fr: 'draft' },
  d8: { en: 'same', fr: 'published-only' },
  d9: { fr: 'changed' },
}

const isPublished = (state: State | undefined): boolean => state !== undefined && state !== 'draft'
const isPublishedAnywhere = (states: States): boolean => Object.values(states).some(isPublished)
const hasBoth = (states: States, locale: Locale): boolean =>
  states[locale] === 'same' || states[locale] === 'changed'

/**
 * The documents that a filter selects in one locale, according to the documentation of the
 * reference.
 */
const SELECTED: Readonly<Record<PublicationFilter, (states: States, locale: Locale) => boolean>> = {
  'never-published': (states, locale) => states[locale] === 'draft',
  'has-published-version': hasBoth,
  'published-with-draft': hasBoth,
  modified: (states, locale) => states[locale] === 'changed',
  unmodified: (states, locale) => states[locale] === 'same',
  'published-without-draft': (states, locale) => states[locale] === 'published-only',
  'never-published-document': (states) => !isPublishedAnywhere(states),
  'has-published-version-document': isPublishedAnywhere,
}

function isShown(status: string, states: States, locale: Locale): boolean {
  const state = states[locale]
  if (state === undefined) return false
  return status === 'draft' ? state !== 'published-only' : state !== 'draft'
}

const titlesOf = (entries: readonly Json[]): readonly string[] =>
  entries.map(({ title }) => String(title).slice(0, 2)).toSorted()

describe('publicationFilter', () => {
  let server: TestServer
  let shelf: string
  const documentIds = new Map<string, string>()

  before(async () => {
    server = await serve('publication_filter', {
      contentTypes: TYPES,
      locales: ['fr'],
      environment: { RATE_LIMIT: 'off' },
      permitted: ['api::post.post.find', 'api::post.post.findOne', 'query::posts'],
    })
    const made = await server.post('/api/shelfs', { name: 'one' })
    expect(made.status, made.text).to.equal(201)
    shelf = made.body.data.documentId
    for (const [title, states] of Object.entries(DOCUMENTS)) await make(title, states)
  })
  after(() => server.close())

  async function make(title: string, states: States): Promise<void> {
    for (const [locale, state] of Object.entries(states)) {
      const data = { title: `${title} ${locale}`, seo: { words: 'a' }, shelf }
      const status = state === 'draft' ? 'draft' : 'published'
      const known = documentIds.get(title)
      const query = `locale=${locale}&status=${status}`
      const { body } =
        known === undefined
          ? await server.post(`/api/posts?${query}`, data)
          : await server.put(`/api/posts/${known}?${query}`, data)
      const { documentId } = body.data
      documentIds.set(title, documentId)
      if (state === 'changed') {
        const changes = { data: { seo: { words: 'b' } } }
        await server.put(`/api/posts/${documentId}?locale=${locale}&status=draft`, changes.data)
      }
      if (state === 'published-only') await removeDraft(documentId, locale)
    }
  }

  /** Leaves an entry like content that was published before its type had drafts. */
  async function removeDraft(documentId: string, locale: string): Promise<void> {
    const client = await MongoClient.connect(server.uri)
    try {
      const { deletedCount } = await client
        .db(server.database)
        .collection('post_versions')
        .deleteMany({ documentId, locale, status: 'draft' })
      expect(deletedCount).to.equal(1)
    } finally {
      await client.close()
    }
  }

  const expectedOf = (
    filter: PublicationFilter,
    status: string,
    locale: Locale,
  ): readonly string[] =>
    Object.entries(DOCUMENTS)
      .filter(([, states]) => isShown(status, states, locale))
      .filter(([, states]) => SELECTED[filter](states, locale))
      .map(([title]) => title)
      .toSorted()

  async function callTool(name: string, given: object): Promise<Json> {
    const params = { name, arguments: given }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await server.send('POST', '/mcp', { body })
    expect(answer.status, answer.text).to.equal(200)
    return JSON.parse(answer.body.result.content[0].text)
  }

  async function findSingly(query: string): Promise<readonly string[]> {
    const found: string[] = []
    for (const [title, documentId] of documentIds) {
      const answer = await server.get(`/api/posts/${documentId}?${query}`)
      expect(answer.status, answer.text).to.be.oneOf([200, 404])
      if (answer.status === 200) found.push(title)
    }
    return found
  }

  for (const filter of PUBLICATION_FILTERS) {
    it(`applies ${filter} to named queries and tools as to lists`, async () => {
      for (const status of ['draft', 'published']) {
        const expected = expectedOf(filter, status, 'en')
        const query = `status=${status}&publicationFilter=${filter}`
        const list = await server.get(`/api/_q/posts?${query}`)
        expect(titlesOf(list.body.data), query).to.deep.equal(expected)
        expect(list.body.meta.pagination.total, query).to.equal(expected.length)
        const one = await server.get(`/api/_q/shelf?${query}`)
        expect(titlesOf(one.body.data.posts), query).to.deep.equal(expected)
        const given = { type: 'post', status, publicationFilter: filter }
        expect(titlesOf((await callTool('find', given)).data), query).to.deep.equal(expected)
        const found: string[] = []
        for (const [title, documentId] of documentIds) {
          const { data } = await callTool('get', { ...given, documentId })
          if (data) found.push(title)
        }
        expect(found, query).to.deep.equal(expected)
      }
    })

    it(`applies ${filter} to lists, totals, single entries and relations`, async () => {
      for (const status of ['draft', 'published']) {
        for (const locale of ['en', 'fr'] as const) {
          const query = `status=${status}&locale=${locale}&publicationFilter=${filter}`
          const label = query
          const expected = expectedOf(filter, status, locale)
          for (const more of ['', '&populate=shelf', '&sort=shelf.name', '&pagination[cursor]=']) {
            const { body } = await server.get(`/api/posts?${query}${more}`)
            expect(titlesOf(body.data), label + more).to.deep.equal(expected)
            expect(body.meta.pagination.total, label + more).to.equal(expected.length)
          }
          expect(await findSingly(query), label).to.deep.equal(expected)
          const of = `/api/shelfs/${shelf}?${query}&populate[posts]`
          const populated = (await server.get(`${of}[sort]=title`)).body.data.posts
          expect(titlesOf(populated), label).to.deep.equal(expected)
          const counted = (await server.get(`${of}[count]=true`)).body.data.posts
          expect(counted.count, label).to.equal(expected.length)
        }
      }
    })
  }

  it('applies to stored lists of documentIds and to the other locales of a document', async () => {
    const best = documentIds.get('d3')
    await server.put(`/api/shelfs/${shelf}`, { best })
    const ids = async (filter: string): Promise<unknown> =>
      (await server.get(`/api/shelfs/${shelf}?populate[best]=ids&publicationFilter=${filter}`)).body
        .data.best
    expect(await ids('modified')).to.equal(best)
    expect(await ids('unmodified')).to.equal(null)
    const path = `/api/posts/${documentIds.get('d7')}?status=draft&populate=localizations`
    const all = (await server.get(path)).body.data.localizations
    expect(titlesOf(all)).to.deep.equal(['d7'])
    const modified = (await server.get(`${path}&publicationFilter=modified`)).body.data
    expect(modified.localizations).to.deep.equal([])
  })

  it('combines with filters and pages', async () => {
    const { body } = await server.get(
      '/api/posts?status=draft&publicationFilter=modified&filters[title][$startsWith]=d7&pagination[pageSize]=1',
    )
    expect(titlesOf(body.data)).to.deep.equal(['d7'])
    expect(body.meta.pagination.total).to.equal(1)
  })

  it('follows a change of the draft at once, also for callers without permission to write', async () => {
    const created = await server.post('/api/posts', { title: 'zz', seo: { words: 'a' } })
    const { documentId } = created.body.data
    for (const path of ['posts', '_q/posts']) {
      const query = `/api/${path}?publicationFilter=modified`
      const anonymous = () => server.get(query, { token: null })
      const shows = async (): Promise<boolean> =>
        titlesOf((await anonymous()).body.data).includes('zz')
      expect(await shows()).to.equal(false)
      expect((await anonymous()).headers['cache-control']).to.equal('private, no-cache')
      await server.put(`/api/posts/${documentId}?status=draft`, { seo: { words: 'b' } })
      expect(await shows()).to.equal(true)
      expect(await shows()).to.equal(true)
      await server.post(`/api/posts/${documentId}/actions/discard`, undefined)
      expect(await shows()).to.equal(false)
    }
    await server.delete(`/api/posts/${documentId}`)
  })

  it('has no effect on types without draft & publish', async () => {
    const { body } = await server.get('/api/shelfs?publicationFilter=never-published')
    expect(body.data).to.have.length(1)
  })

  it('returns an error of the tool for an unknown value', async () => {
    const answer = await callTool('find', { type: 'post', publicationFilter: 'changed' })
    expect(answer.error.message).to.match(/^publicationFilter: /)
  })

  for (const path of [
    '/api/_q/posts',
    '/api/posts',
    '/api/shelfs',
    '/api/posts/x',
    '/api/upload/files',
  ]) {
    it(`responds with 400 for an unknown value on ${path}`, async () => {
      const { status, body } = await server.get(`${path}?publicationFilter=changed`)
      expect([status, body.error.message.split(':')[0]]).to.deep.equal([400, 'publicationFilter'])
    })
  }

  it('supports hasPublishedVersion by document', async () => {
    const list = async (query: string): Promise<readonly string[]> =>
      titlesOf((await server.get(`/api/posts?locale=*&sort=title&${query}`)).body.data)
    const drafts = 'status=draft&hasPublishedVersion'
    expect(await list(`${drafts}=true`)).to.deep.equal([
      'd2',
      'd3',
      'd5',
      'd5',
      'd7',
      'd7',
      'd8',
      'd9',
    ])
    expect(await list(`${drafts}=false`)).to.deep.equal(['d1', 'd6', 'd6'])
    expect(await list('hasPublishedVersion=false')).to.deep.equal([])
    expect(await list('hasPublishedVersion=true')).to.deep.equal(await list(''))
    const { status } = await server.get('/api/posts?status=draft&hasPublishedVersion=1')
    expect(status).to.equal(400)
  })
})
