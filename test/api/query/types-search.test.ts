import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry, addMember, type Member, setRules } from '../people/rules-world.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

describe('/api/_search', () => {
  let server: TestServer
  let ann: Member

  before(async () => {
    server = await serve('types_search', {
      locales: ['de'],
      contentTypes: {
        article: declare(
          'article',
          { title: { type: 'string', ...LOCALIZED } },
          { draftAndPublish: true, localized: true, search: { title: 1 } },
        ),
        note: declare(
          'note',
          {
            title: { type: 'string' },
            secret: { type: 'text' },
            owner: {
              type: 'relation',
              relation: 'manyToOne',
              target: 'plugin::users-permissions.user',
            },
          },
          { search: { title: 2, secret: 1 } },
        ),
        memo: declare('memo', { title: { type: 'string' } }, { search: { title: 1 } }),
        topic: declare('topic', { title: { type: 'string' } }),
      },
    })
    ann = await addMember(server, 'ann')
    const bob = await addMember(server, 'bob')
    await addEntry(server, '/api/articles?locale=en', { title: 'Granite hills' })
    await addEntry(server, '/api/articles?locale=en', { title: 'A granite house' })
    await addEntry(server, '/api/articles?locale=en&status=draft', { title: 'Granite draft' })
    await addEntry(server, '/api/articles?locale=de', { title: 'Granit und Granite' })
    await addEntry(server, '/api/notes', {
      title: 'Granite',
      secret: 'canary',
      owner: ann.documentId,
    })
    await addEntry(server, '/api/notes', {
      title: 'Granite canary',
      secret: 'canary',
      owner: bob.documentId,
    })
    await addEntry(server, '/api/memos', { title: 'Granite canary' })
    await setRules(server, 'authenticated', [
      { action: 'api::article.article.find', where: { title: { $ne: 'A granite house' } } },
      { action: 'api::note.note.find', where: { owner: '$user' }, fields: ['title'] },
    ])
    await setRules(server, 'public', [], ['api::article.article.find'])
    await server.indexed()
  })

  after(() => server.close())

  const search = async (query: string, token?: string | null): Promise<Json> => {
    const path = `/api/_search?${query}`
    const { status, text, body } = await server.get(path, token === undefined ? {} : { token })
    expect(status, text).to.equal(200)
    return body.data
  }

  const summaryOf = (groups: Json): unknown =>
    groups.map(({ type, data, meta }: Json) => [
      type,
      data.map(({ title }: Json) => title),
      meta.pagination.total,
    ])

  it('groups the published entries by type', async () => {
    expect(summaryOf(await search('q=hill&types=note,article'))).to.deep.equal([
      ['article', ['Granite hills'], 1],
    ])
    const [group] = await search('q=granite&types=article')
    expect(group.meta.search).to.deep.equal({ terms: ['granite'] })
    expect(group.data.map(({ title }: Json) => title)).to.have.members([
      'Granite hills',
      'A granite house',
    ])
  })

  it('has the named locale of localized types', async () => {
    const found = summaryOf(await search('q=granite&types=article,memo&locale=de'))
    expect(found).to.deep.equal([
      ['article', ['Granit und Granite'], 1],
      ['memo', ['Granite canary'], 1],
    ])
  })

  it('limits the entries of each type, and counts all', async () => {
    const [article] = await search('q=granite&types=article&limit=1')
    expect([article.data.length, article.meta.pagination.total]).to.deep.equal([1, 2])
  })

  it('searches only types, entries and attributes that the caller may read', async () => {
    const found = await search('q=granite', ann.token)
    expect(summaryOf(found)).to.deep.equal([
      ['article', ['Granite hills'], 1],
      ['note', ['Granite'], 1],
    ])
    expect(JSON.stringify(found)).to.not.include('canary')
    expect(await search('q=canary', ann.token)).to.deep.equal([])
    expect(await search('q=cana', null)).to.deep.equal([])
    expect((await search('q=granite', null)).map(({ type }: Json) => type)).to.deep.equal([
      'article',
    ])
  })

  const REFUSED: readonly (readonly [string, string])[] = [
    ['', 'q: expected a text'],
    ['q=+', 'q: expected a text'],
    ['q[a]=b', 'q: expected one text'],
    ['q=a%00b', 'q: a NUL character cannot be stored'],
    [`q=${'a'.repeat(257)}`, 'q: at most 256 characters'],
    ['q=a&types=memo', 'types: memo is not searched'],
    ['q=a&types=topic', 'types: topic is not searched'],
    ['q=a&types=absent', 'types: absent is not searched'],
    ['q=a&types[a]=b', 'types: expected names of content-types, such as article,country'],
    ['q=a&limit=26', 'limit: expected a number from 1 to 25'],
    ['q=a&limit=-1', 'limit: expected a number from 1 to 25'],
    ['q=a&status=draft', 'status: no such parameter'],
  ]
  for (const [query, message] of REFUSED) {
    it(`refuses ${query.slice(0, 40) || 'a request without a text'}`, async () => {
      const { status, body } = await server.get(`/api/_search?${query}`, { token: ann.token })
      expect([status, body.error?.message]).to.deep.equal([400, message])
    })
  }
})
