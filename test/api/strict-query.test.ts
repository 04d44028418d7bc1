import { expect } from 'chai'
import { declare, serve, type TestServer } from './server.ts'

describe('QUIRE_STRICT_QUERY', () => {
  const contentTypes = {
    post: declare('post', { title: { type: 'string' } }, { draftAndPublish: true }),
    homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
  }
  let server: TestServer
  let documentId: string

  before(async () => {
    server = await serve('strict_query', {
      contentTypes,
      environment: { QUIRE_STRICT_QUERY: 'on' },
    })
    documentId = (await server.post('/api/posts', { title: 'a' })).body.data.documentId
    await server.put('/api/homepage', { title: 'a' })
  })
  after(() => server.close())

  const routes: readonly (readonly [string, string])[] = [
    ['GET', '/api/posts'],
    ['GET', '/api/posts/ID'],
    ['POST', '/api/posts'],
    ['PUT', '/api/posts/ID'],
    ['DELETE', '/api/posts/ID'],
    ['POST', '/api/posts/ID/actions/publish'],
    ['GET', '/api/homepage'],
    ['PUT', '/api/homepage'],
    ['DELETE', '/api/homepage'],
    ['GET', '/api/users'],
    ['GET', '/api/users/count'],
    ['POST', '/api/users'],
    ['GET', '/api/upload/files'],
    ['GET', '/api/upload/files/page'],
    ['POST', '/api/upload'],
  ]
  for (const [method, path] of routes) {
    it(`refuses an unknown parameter of ${method} ${path}`, async () => {
      const target = `${path.replace('ID', documentId)}?fiters[title]=a`
      const body = method === 'POST' || method === 'PUT' ? { data: { title: 'b' } } : undefined
      const answer = await server.send(method, target, body === undefined ? {} : { body })
      expect([answer.status, answer.body?.error], answer.text).to.deep.equal([
        400,
        {
          status: 400,
          name: 'ValidationError',
          message: 'Invalid key fiters; did you mean filters?',
          details: { key: 'fiters', path: 'fiters', source: 'query' },
        },
      ])
    })
  }

  it('leaves the data unchanged after a refused request', async () => {
    const { body } = await server.get(`/api/posts/${documentId}`)
    expect(body.data.title).to.equal('a')
    expect(await server.count('post_versions')).to.equal(2)
  })

  it('refuses unknown keys of bodies', async () => {
    for (const [method, path] of [
      ['POST', '/api/posts'],
      ['PUT', `/api/posts/${documentId}`],
      ['PUT', '/api/homepage'],
    ] as const) {
      const answer = await server.send(method, path, { body: { data: { title: 'b' }, dta: 1 } })
      expect([answer.status, answer.body.error.message], path).to.deep.equal([
        400,
        'Invalid key dta; did you mean data?',
      ])
      expect(answer.body.error.details).to.deep.equal({ key: 'dta', path: 'dta', source: 'body' })
    }
    const user = { username: 'ada', email: 'ada@quire.test', password: 'a password', emial: 'x' }
    const answer = await server.send('POST', '/api/users', { body: user })
    expect([answer.status, answer.body.error.message]).to.deep.equal([
      400,
      'Invalid key emial; did you mean email?',
    ])
  })

  it('never suggests a private attribute of users', async () => {
    for (const key of ['resetPasswordToke', 'confirmationToke']) {
      const answer = await server.send('POST', '/api/users', { body: { [key]: 'x' } })
      expect([answer.status, answer.body.error.message]).to.deep.equal([400, `Invalid key ${key}`])
    }
  })

  it('accepts every known parameter and key', async () => {
    for (const target of [
      '/api/posts?filters[title]=a&sort=title&fields=title&populate=*&pagination[page]=1&_q=a&locale=en',
      '/api/posts?status=published&hasPublishedVersion=true',
      '/api/users?start=0&limit=1&pagination[page]=1',
      '/api/upload/files?start=0&limit=1',
    ]) {
      const answer = await server.get(target)
      expect(answer.status, answer.text).to.equal(200)
    }
    const body = { data: { title: 'b' }, meta: {} }
    expect((await server.send('POST', '/api/posts', { body })).status).to.equal(201)
    const user = {
      username: 'ada',
      email: 'ada@quire.test',
      password: 'a password',
      confirmed: true,
      blocked: false,
      role: 1,
    }
    const answer = await server.send('POST', '/api/users', { body: user })
    expect(answer.body?.error?.message).to.not.match(/^Invalid key/)
  })

  it('checks permissions before parameters', async () => {
    expect((await server.get('/api/posts?fiters=a', { token: null })).status).to.equal(403)
  })

  it('is off by default', async () => {
    const usual = await serve('strict_query_off', { contentTypes })
    try {
      expect((await usual.get('/api/posts?fiters[title]=a')).status).to.equal(200)
      const body = { data: { title: 'b' }, dta: 1 }
      expect((await usual.send('POST', '/api/posts', { body })).status).to.equal(201)
    } finally {
      await usual.close()
    }
  })
})
