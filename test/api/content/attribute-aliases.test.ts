import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const CONTENT_TYPES = {
  book: declare('book', {
    title: { type: 'string', required: true, alias: ['name', 'label'] },
    slug: { type: 'uid', targetField: 'title', required: true },
    writer: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::person.person',
      alias: ['author'],
    },
    part: { type: 'component', component: 'shared.part', alias: ['section'] },
  }),
  person: declare('person', { pen: { type: 'string', alias: ['alias'] } }),
  'components/shared/part': { attributes: { caption: { type: 'string', alias: ['heading'] } } },
}

describe('an alias of an attribute', () => {
  let server: TestServer
  let person: string

  before(async () => {
    server = await serve('aliases', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    person = (await ok(server.post('/api/persons', { alias: 'Ada' }))).documentId
    await ok(
      server.post('/api/books', { name: 'b', author: person, section: { heading: 'first' } }),
    )
    await ok(server.post('/api/books', { title: 'a', writer: person }))
  })
  after(() => server.close())

  async function ok(answer: ReturnType<TestServer['get']>): Promise<Json> {
    const { status, body, text } = await answer
    expect(status, text).to.be.oneOf([200, 201])
    return body.data
  }

  const titlesOf = (entries: Json): readonly string[] => entries.map(({ title }: Json) => title)

  it('shows the value next to the attribute', async () => {
    const [first] = await ok(server.get('/api/books?sort=name'))
    expect(first).to.include({ title: 'a', name: 'a', label: 'a', slug: 'a' })
    const [one] = await ok(server.get('/api/books?fields=name&filters[slug]=b'))
    expect(one).to.include({ name: 'b' }).and.not.have.property('title')
  })

  it('selects and sorts entries', async () => {
    expect(titlesOf(await ok(server.get('/api/books?filters[name]=b')))).to.deep.equal(['b'])
    expect(titlesOf(await ok(server.get('/api/books?sort=label:desc')))).to.deep.equal(['b', 'a'])
    const related = await ok(
      server.get('/api/books?filters[author][alias]=Ada&sort=author.alias,name'),
    )
    expect(titlesOf(related)).to.deep.equal(['a', 'b'])
    const inside = await ok(server.get('/api/books?filters[section][heading]=first'))
    expect(titlesOf(inside)).to.deep.equal(['b'])
  })

  it('populates relations and components', async () => {
    const [one] = await ok(
      server.get('/api/books?filters[name]=b&populate[author]=true&populate[section]=true'),
    )
    expect(one.author).to.include({ pen: 'Ada', alias: 'Ada' })
    expect(one.section).to.include({ caption: 'first', heading: 'first' })
  })

  it('continues a cursor', async () => {
    const query = 'pagination[pageSize]=1&pagination[cursor]='
    const { body } = await server.get(`/api/books?sort=name&${query}`)
    const next = encodeURIComponent(body.meta.pagination.nextCursor)
    expect(titlesOf(await ok(server.get(`/api/books?sort=title&${query}${next}`)))).to.deep.equal([
      'b',
    ])
  })

  it('accepts values, also in components', async () => {
    const made = await ok(server.post('/api/books', { name: 'c', section: { heading: 'x' } }))
    const path = `/api/books/${made.documentId}?populate=part`
    expect(made).to.include({ title: 'c', name: 'c', slug: 'c' })
    await ok(server.put(path, { label: 'd', section: { heading: 'y' } }))
    const read = await ok(server.get(path))
    expect(read).to.include({ title: 'd', name: 'd' })
    expect(read.part).to.include({ caption: 'y' })
    await server.delete(path)
  })

  it('refuses a value for both names', async () => {
    const { status, body } = await server.post('/api/books', { title: 'x', name: 'y' })
    expect(status).to.equal(400)
    expect(body.error.details).to.include({ path: 'name' })
  })

  it('is synced, and selects rows of a scope', async () => {
    await server.settled()
    const { body } = await server.get(
      '/api/_sync?types=book&fields[book]=name&filters[book][label]=b',
    )
    expect(body.items.map(({ data }: Json) => data.name)).to.deep.equal(['b'])
  })

  it('refuses to start if an alias is the name of another attribute', async () => {
    const clash = { a: { type: 'string', alias: ['b'] }, b: { type: 'string' } }
    let message = ''
    try {
      await (await serve('alias_clash', { contentTypes: { x: declare('x', clash) } })).close()
    } catch (error) {
      message = error instanceof Error ? error.message : ''
    }
    expect(message).to.match(/attributes\.a\.alias: b is the name of an attribute or alias already/)
  })
})
