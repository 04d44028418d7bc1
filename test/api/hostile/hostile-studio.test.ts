import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import {
  addAdministrator,
  type AdminClient,
  cookieOf,
  PASSWORD,
  signIn,
} from '../../support/admin-client.ts'
import { PROBE_ROUTES } from '../../support/probe-routes.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const ARTICLE = 'api::article.article'
const CONTENT_TYPES = {
  article: {
    ...declare('article', { title: { type: 'string' } }, { draftAndPublish: true }),
    options: { draftAndPublish: true, preview: 'https://app.example.org/?secret={secret}' },
  },
  tag: declare('tag', { name: { type: 'string' } }),
  'queries/feed': { type: 'article' },
}

/** Headers that browsers send for pages of other sites. */
const ELSEWHERE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  'another host of this site': { 'sec-fetch-site': 'same-site', origin: 'https://a.example.org' },
  'a sandboxed page': { 'sec-fetch-site': 'cross-site', origin: 'null' },
  'another site in an old browser': { origin: 'https://evil.example' },
  'an origin that starts with ours': { origin: 'https://cms.example.org.evil.example' },
  'an origin with another port': { origin: 'https://cms.example.org:8443' },
  'our origin over plain HTTP': { origin: 'http://cms.example.org' },
}
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

describe('attacks on the Studio', () => {
  let server: TestServer
  let database: MongoClient
  let ada: AdminClient
  let adaId: string
  let documentId: string

  before(async () => {
    server = await serve('hostile_studio', {
      contentTypes: CONTENT_TYPES,
      editableTypes: true,
      extensions: [PROBE_ROUTES],
      environment: {
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'silent',
        PUBLIC_URL: 'https://cms.example.org',
        TRUST_PROXY: '1',
      },
      permitted: ['plugin::upload.content-api.find'],
    })
    database = await MongoClient.connect(server.uri)
    adaId = (await addAdministrator(server, 'Ada', ['administrator'])).id
    ada = await signIn(server, 'ada@example.org')
    const made = await ada.send('POST', `/admin/content/${ARTICLE}`, { data: { title: 'A draft' } })
    expect(made.status, made.text).to.equal(201)
    ;({ documentId } = made.body.data)
  })
  after(async () => {
    await database.close()
    await server.close()
  })

  const concrete = (path: string): string =>
    path
      .replace(':uid', ARTICLE)
      .replace(':documentId', documentId)
      .replaceAll(/\{\*\w+\}|:\w+/g, 'x')
  const send = ({ method, path }: DeclaredRoute, headers: Record<string, string>) =>
    server.send(method.toUpperCase(), concrete(path), {
      token: null,
      headers,
      ...(METHODS_WITH_BODY.has(method) && { body: {} }),
    })
  const management = (): readonly DeclaredRoute[] =>
    server.routes.filter(({ path }) => path.startsWith('/admin'))

  for (const [caller, headers] of Object.entries(ELSEWHERE)) {
    it(`refuses all management routes to ${caller}, even with a cookie`, async () => {
      const guarded = management().filter(({ access }) => access !== 'everyone')
      expect(guarded.length).to.be.above(80)
      for (const route of guarded) {
        const answer = await send(route, { cookie: ada.cookie, ...headers })
        const label = `${route.method} ${route.path}: ${answer.text}`
        expect([answer.status, answer.headers['error-code']], label).to.deep.equal([
          403,
          'cross_site',
        ])
      }
      const open = management().filter(
        ({ access, method }) => access === 'everyone' && method === 'post',
      )
      expect(open.length).to.be.above(4)
      for (const route of open) {
        const answer = await send(route, headers)
        const label = `${route.method} ${route.path}: ${answer.text}`
        expect(answer.status, label).to.equal(403)
        expect(answer.headers, label).to.not.have.property('set-cookie')
      }
    })
  }

  it('refuses changes without an origin, and never allows credentials in CORS', async () => {
    for (const route of management().filter(
      ({ access, method }) => access !== 'everyone' && method !== 'get',
    )) {
      const answer = await send(route, { cookie: ada.cookie })
      expect(answer.headers['error-code'], `${route.method} ${route.path}`).to.equal('cross_site')
    }
    for (const route of management().filter(({ method }) => method === 'get')) {
      const answer = await send(route, { cookie: ada.cookie, origin: 'https://cms.example.org' })
      const label = `${route.path}: ${answer.status}`
      expect(answer.headers['access-control-allow-credentials'], label).to.equal(undefined)
    }
  })

  it('never takes over a planted session', async () => {
    const planted = 'A'.repeat(43)
    const names = [
      '__Host-quire_admin',
      'quire_admin',
      '__Secure-quire_admin',
      '__host-quire_admin',
    ]
    const cookie = names.map((name) => `${name}=${planted}`).join('; ')
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const body = { email: 'ada@example.org', password: PASSWORD }
    const answer = await server.send('POST', '/admin/session', { token: null, headers, body })
    expect(answer.status, answer.text).to.equal(200)
    const own = cookieOf(answer)
    expect(own)
      .to.match(/^__Host-quire_admin=[\w-]{43}$/)
      .and.not.include(planted)
    const seen = await server.send('GET', '/admin/session', { token: null, headers })
    expect(seen.status).to.be.oneOf([401, 403])
    const plain = own.replace('__Host-', '')
    const tossed = { ...headers, cookie: plain }
    expect(
      (await server.send('GET', '/admin/session', { token: null, headers: tossed })).status,
    ).to.be.oneOf([401, 403])
  })

  describe('a preview token', () => {
    let token: string
    const preview = async (caller: AdminClient): Promise<string> => {
      const path = `/admin/content/${ARTICLE}/${documentId}/preview`
      const answer = await caller.send('POST', path, {})
      expect(answer.status, answer.text).to.equal(200)
      return new URL(answer.body.data.url).searchParams.get('secret') ?? ''
    }
    const statusBy = async (bearer: string): Promise<number> =>
      (await server.get(`/api/articles/${documentId}?status=draft`, { token: bearer })).status

    before(async () => {
      token = await preview(ada)
    })

    it('changes no data and opens no management route', async () => {
      expect(await statusBy(token)).to.equal(200)
      const before = await database.db(server.database).collection('quire_commits').countDocuments()
      const routes = server.routes.filter(
        ({ method, path, access }) =>
          access !== 'everyone' && (method !== 'get' || path.startsWith('/admin')),
      )
      expect(routes.length).to.be.above(90)
      for (const route of routes) {
        const answer = await send(route, { authorization: `Bearer ${token}` })
        expect(answer.status, `${route.method} ${route.path} ${answer.text}`).to.be.within(400, 499)
      }
      for (const target of ['/api/articles', '/api/tags', `/api/articles/${documentId}`]) {
        for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
          const body = method === 'DELETE' ? {} : { body: { data: {} } }
          const { status } = await server.send(method, target, { token, ...body })
          expect(status, `${method} ${target}`).to.be.within(403, 405)
        }
      }
      expect(
        await database.db(server.database).collection('quire_commits').countDocuments(),
      ).to.equal(before)
    })

    it('is refused in a cookie, in a query and at /mcp', async () => {
      for (const query of [`secret=${token}`, `token=${token}`, `access_token=${token}`]) {
        const answer = await server.get(`/api/articles/${documentId}?${query}`, { token: null })
        expect(answer.status, query).to.be.oneOf([400, 403])
      }
      const headers = { cookie: `__Host-quire_admin=${token}`, 'sec-fetch-site': 'same-origin' }
      const session = await server.send('GET', '/admin/session', { token: null, headers })
      expect(session.status).to.be.oneOf([401, 403])
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const { status, text } = await server.send('POST', '/mcp', { token, body })
      expect([status, text.includes('create')]).to.deep.equal([403, false])
    })

    it('ends with the password of the administrator, and is refused in other spellings', async () => {
      const before = await preview(ada)
      const parts = before.split('-')
      const [, administrator = '', epoch = '', end = '', signature = ''] = parts
      for (const forged of [
        before.toUpperCase(),
        `preview-${administrator}-0${epoch}-${end}-${signature}`,
        `preview-${administrator}-${epoch}-0${end}-${signature}`,
        `preview-${administrator}-${epoch}-${end}-${signature.toUpperCase()}`,
        `${before} `.replace(' ', '-'),
        `preview-${administrator}-${epoch}-${'9'.repeat(11)}-${signature}`,
        `preview-${administrator}-${epoch}${end}--${signature}`,
      ]) {
        if (forged !== before) expect(await statusBy(forged), forged).to.equal(401)
      }
      const change = { currentPassword: PASSWORD, password: 'another horse battery' }
      expect((await ada.send('POST', '/admin/me/password', change)).status).to.equal(204)
      expect(await statusBy(before)).to.equal(401)
      await server.send('PUT', `/admin/administrators/${adaId}`, { body: { password: PASSWORD } })
      expect(await statusBy(before)).to.equal(401)
      ada = await signIn(server, 'ada@example.org')
    })
  })

  it('ignores forged headers about the host and the path', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '192.0.2.1',
      forwarded: 'host=evil.example',
      'x-original-url': '/admin/administrators',
      'x-rewrite-url': '/admin/administrators',
    }
    const article = { body: { data: {} } }
    const file = multipart({ files: [{ name: 'a.txt', content: 'text' }] })
    const asked: readonly (readonly [string, string, object?])[] = [
      ['POST', `/admin/administrators/${adaId}/reset`],
      ['POST', `/admin/content/${ARTICLE}/${documentId}/preview`, article],
      ['GET', '/admin/start'],
      ['GET', '/api/openapi.json'],
      ['GET', '/api/docs'],
      ['GET', '/api/articles?status=draft'],
      ['GET', '/'],
      ['GET', '/studio'],
      ['GET', '/studio/'],
      ['GET', '//evil.example/studio'],
      ['GET', '/studio//evil.example'],
      ['GET', '/studio/%5Cevil.example'],
      ['POST', '/api/upload', { body: file, headers: { ...headers, ...MULTIPART } }],
      ['GET', '/uploads/none.png'],
    ]
    for (const [method, target, sent = {}] of asked) {
      const answer = await server.send(method, target, { headers, ...sent })
      const { location = '', ...others } = answer.headers
      const label = `${method} ${target}: ${answer.status}`
      expect(JSON.stringify(others), label).to.not.include('evil.example')
      expect(location, label).to.not.match(/^(https?:)?[\\/]{2}|evil\.example\/?$/)
      if (answer.status < 400) expect(answer.text, label).to.not.include('evil.example')
    }
    const reset = await server.send('POST', `/admin/administrators/${adaId}/reset`, { headers })
    expect(reset.body.data.link).to.match(/^https:\/\/cms\.example\.org\/studio\//)
    const first = await server.send('GET', '/admin/administrators', { token: null, headers })
    expect(first.status).to.be.oneOf([401, 403])
  })
})
