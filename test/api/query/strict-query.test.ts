import { expect } from 'chai'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

/** Whether a route takes the parameters of queries. */
const readsEntries = (path: string) => !/^\/api\/(i18n|users-permissions)\//.test(path)

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
      environment: { QUIRE_STRICT_QUERY: 'on', UP_JWT_MANAGEMENT: 'refresh' },
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
    ['GET', '/api/i18n/locales'],
    ['GET', '/api/users-permissions/roles'],
    ['GET', '/api/users-permissions/roles/1'],
    ['GET', '/api/users-permissions/permissions'],
    ['POST', '/api/users-permissions/roles'],
    ['PUT', '/api/users-permissions/roles/1'],
    ['DELETE', '/api/users-permissions/roles/1'],
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
          message: `Invalid key fiters${readsEntries(path) ? '; did you mean filters?' : ''}`,
          details: { key: 'fiters', path: 'fiters', source: 'query' },
        },
      ])
    })
  }

  const signIns: readonly (readonly [string, string])[] = [
    ['POST', '/api/auth/local'],
    ['POST', '/api/auth/local/register'],
    ['POST', '/api/auth/forgot-password'],
    ['POST', '/api/auth/reset-password'],
    ['POST', '/api/auth/change-password'],
    ['POST', '/api/auth/send-email-confirmation'],
    ['POST', '/api/auth/logout'],
    ['POST', '/api/auth/refresh'],
    ['GET', '/api/auth/sessions'],
    ['DELETE', '/api/auth/sessions/none'],
    ['GET', '/api/auth/email-confirmation'],
  ]
  for (const [method, path] of signIns) {
    it(`refuses an unknown parameter of ${method} ${path}`, async () => {
      const answer = await server.send(method, `${path}?confirmatoin=a`, {
        ...(method === 'POST' && { body: {} }),
      })
      const hint = path.endsWith('email-confirmation') && method === 'GET'
      expect([answer.status, answer.body?.error?.message], answer.text).to.deep.equal([
        400,
        `Invalid key confirmatoin${hint ? '; did you mean confirmation?' : ''}`,
      ])
    })
  }

  const bodies: readonly (readonly [string, string, string, string])[] = [
    ['POST', '/api/auth/local', 'identifer', 'identifier'],
    ['POST', '/api/auth/forgot-password', 'emial', 'email'],
    ['POST', '/api/auth/reset-password', 'cod', 'code'],
    ['POST', '/api/auth/change-password', 'curentPassword', 'currentPassword'],
    ['POST', '/api/auth/send-email-confirmation', 'emial', 'email'],
    ['POST', '/api/auth/logout', 'scop', 'scope'],
    ['POST', '/api/auth/refresh', 'refreshTokn', 'refreshToken'],
    ['POST', '/api/users-permissions/roles', 'permisions', 'permissions'],
    ['PUT', '/api/users-permissions/roles/1', 'permisions', 'permissions'],
    ['POST', '/api/upload?id=none', 'fileinfo', 'fileInfo'],
  ]
  for (const [method, path, key, meant] of bodies) {
    it(`refuses an unknown key in the body of ${method} ${path}`, async () => {
      const answer = await server.send(method, path, { body: { [key]: 'a' } })
      expect([answer.status, answer.body?.error], answer.text).to.deep.equal([
        400,
        {
          status: 400,
          name: 'ValidationError',
          message: `Invalid key ${key}; did you mean ${meant}?`,
          details: { key, path: key, source: 'body' },
        },
      ])
    })
  }

  const sendForm = (parts: Readonly<Record<string, string | Blob>>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts)) {
      if (typeof value === 'string') body.append(name, value)
      else body.append(name, value, 'a.txt')
    }
    return fetch(`http://127.0.0.1:${server.port}/api/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ROOT_TOKEN}` },
      body,
    })
  }
  const text = new Blob(['text'], { type: 'text/plain' })

  it('refuses unknown parts of multipart bodies, and unknown keys of fileInfo', async () => {
    const refused: readonly (readonly [Readonly<Record<string, string | Blob>>, string])[] = [
      [{ files: text, fileinfo: '{}' }, 'Invalid key fileinfo; did you mean fileInfo?'],
      [{ files: text, file: text }, 'Invalid key file; did you mean files?'],
      [{ files: text, refid: 'a' }, 'Invalid key refid; did you mean refId?'],
      [
        { files: text, fileInfo: '{"capton":"a"}' },
        'Invalid key capton at fileInfo; did you mean caption?',
      ],
      [
        { files: text, fileInfo: '[{"capton":"a"}]' },
        'Invalid key capton at fileInfo; did you mean caption?',
      ],
    ]
    const before = await server.count('quire_files')
    for (const [parts, message] of refused) {
      const response = await sendForm(parts)
      const { error } = (await response.json()) as Json
      expect([response.status, error?.message]).to.deep.equal([400, message])
    }
    expect(await server.count('quire_files')).to.equal(before)
  })

  it('accepts the parts of multipart bodies and the keys of sign-ins that mean something', async () => {
    const fileInfo = JSON.stringify({ name: 'a.txt', alternativeText: 'a', caption: 'b' })
    expect((await sendForm({ files: text, fileInfo })).status).to.equal(201)
    const signIn = { identifier: 'a', password: 'b', deviceId: 'c' }
    const answer = await server.send('POST', '/api/auth/local', { body: signIn, token: null })
    expect(answer.body.error.message).to.equal('Invalid identifier or password')
    const permissions = {}
    const role = { name: 'Press', description: 'd', type: 'press', permissions, nb_users: 0 }
    const made = await server.send('POST', '/api/users-permissions/roles', { body: role })
    expect(made.status, made.text).to.equal(200)
  })

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
