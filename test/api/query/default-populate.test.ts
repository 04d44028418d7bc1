import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

const withPopulate = (declaration: object, populate: unknown): object => {
  const { options, ...rest } = declaration as { readonly options: object }
  return { ...rest, options: { ...options, api: { populate } } }
}

const find = (...types: readonly string[]): readonly string[] =>
  types.flatMap((type) => [`api::${type}.${type}.find`, `api::${type}.${type}.findOne`])

describe('options.api.populate', () => {
  let server: TestServer
  let post: Json

  before(async () => {
    server = await serve('default_populate', {
      contentTypes: {
        post: withPopulate(
          declare(
            'post',
            {
              title: { type: 'string' },
              author: relation('manyToOne', 'author', { inversedBy: 'posts' }),
              editor: relation('manyToOne', 'secret'),
              seo: { type: 'component', component: 'shared.seo' },
            },
            { draftAndPublish: true },
          ),
          { author: { fields: ['name'], populate: { team: true } }, editor: true, seo: true },
        ),
        author: withPopulate(
          declare('author', {
            name: { type: 'string' },
            bio: { type: 'text' },
            team: relation('manyToOne', 'team'),
            posts: relation('oneToMany', 'post', { mappedBy: 'author' }),
          }),
          { posts: { sort: 'title', pagination: { limit: 2 } } },
        ),
        team: declare('team', { name: { type: 'string' } }),
        secret: declare('secret', { code: { type: 'string' } }),
        home: withPopulate(
          declare('home', { lead: relation('oneToOne', 'post') }, { kind: 'singleType' }),
          ['lead.author'],
        ),
        'components/shared/seo': { attributes: { title: { type: 'string' } } },
        'queries/titles': { type: 'post', fields: ['title'] },
      },
      permitted: [...find('post', 'author', 'team'), 'api::home.home.find', 'query::titles'],
    })
    const team = (await server.post('/api/teams', { name: 'Maps' })).body.data
    const author = (
      await server.post('/api/authors', { name: 'Ann', bio: 'Long', team: team.documentId })
    ).body.data
    const secret = (await server.post('/api/secrets', { code: 'x' })).body.data
    post = (
      await server.post('/api/posts', {
        title: 'One',
        author: author.documentId,
        editor: secret.documentId,
        seo: { title: 'Seo' },
      })
    ).body.data
    await server.put('/api/home', { lead: post.documentId })
  })
  after(() => server.close())

  const read = async (target: string, token: string | null = null): Promise<Json> => {
    const { status, body, text } = await server.get(target, { token })
    expect(status, text).to.equal(200)
    return body.data
  }

  it('applies to lists and single entries without populate', async () => {
    const [listed] = await read('/api/posts')
    const one = await read(`/api/posts/${post.documentId}`)
    for (const entry of [listed, one]) {
      expect(Object.keys(entry.author)).to.have.members(['id', 'documentId', 'name', 'team'])
      expect(entry.author.team.name).to.equal('Maps')
      expect(entry.seo.title).to.equal('Seo')
    }
    expect((await read('/api/home')).lead.author.name).to.equal('Ann')
  })

  it('omits relations to types that the caller may not read', async () => {
    expect(await read(`/api/posts/${post.documentId}`)).to.not.have.property('editor')
    const { body } = await server.get(`/api/posts/${post.documentId}`)
    expect(body.data.editor.code).to.equal('x')
  })

  it('is replaced by the populate of a request, also by an empty one', async () => {
    for (const target of ['/api/posts', `/api/posts/${post.documentId}`]) {
      const entryAt = async (query: string): Promise<Json> => {
        const data = await read(`${target}?${query}`)
        return Array.isArray(data) ? data[0] : data
      }
      expect(await entryAt('populate=')).to.not.have.any.keys('author', 'seo')
      const named = await entryAt('populate=seo')
      expect(named.seo.title).to.equal('Seo')
      expect(named).to.not.have.property('author')
      const { author } = await entryAt('populate=author')
      expect(author.bio).to.equal('Long')
      expect(author).to.not.have.any.keys('team', 'posts')
    }
  })

  it('works with fields, filters and the format of version 4', async () => {
    const [entry] = await read('/api/posts?fields=title&filters[title]=One')
    expect(Object.keys(entry)).to.have.members(['id', 'documentId', 'title', 'author', 'seo'])
    const { body } = await server.get('/api/posts', {
      token: null,
      headers: { 'strapi-response-format': 'v4' },
    })
    expect(body.data[0].attributes.author.data.attributes.name).to.equal('Ann')
  })

  it('does not change responses to writes, named queries, editors and sync', async () => {
    const updated = await server.put(`/api/posts/${post.documentId}`, { title: 'One' })
    expect(updated.body.data).to.not.have.any.keys('author', 'seo')
    const [named] = await read('/api/_q/titles')
    expect(Object.keys(named)).to.have.members(['id', 'documentId', 'title'])
    const edited = await server.get('/admin/content/api::post.post')
    expect(edited.body.data[0]).to.not.have.any.keys('author', 'seo')
    const synced = await server.get('/api/_sync?types=post')
    expect(synced.text).to.not.include('Maps')
  })

  it('keeps cached responses current when a populated document changes', async () => {
    const { body } = await server.get('/api/authors')
    const [author] = body.data
    expect((await read('/api/posts'))[0].author.name).to.equal('Ann')
    await server.put(`/api/authors/${author.documentId}`, { name: 'Bea' })
    await server.settled()
    expect((await read('/api/posts'))[0].author.name).to.equal('Bea')
    await server.put(`/api/authors/${author.documentId}`, { name: 'Ann' })
    await server.settled()
    expect((await read('/api/posts'))[0].author.name).to.equal('Ann')
  })

  it('is described for the permissions of the caller', async () => {
    const describing = async (token?: null): Promise<string> => {
      const { body } = await server.get('/api/openapi.json', token === null ? { token } : {})
      const { parameters } = body.paths['/api/posts'].get
      return parameters.find(({ name }: Json) => name === 'populate').description
    }
    expect(await describing()).to.include('If omitted, the server returns: author, editor, seo.')
    expect(await describing(null)).to.include('If omitted, the server returns: author, seo.')
  })
})
