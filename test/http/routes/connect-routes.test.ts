import { createHash } from 'node:crypto'
import { expect } from 'chai'
import {
  CLIENT,
  followProvider,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts'
import { type Json, serveUsers, type UsersServer } from './users-server.ts'

const CALLBACK = 'https://cms.example.org/x/api/connect/acme/callback'
const PAGE = 'https://app.example.org/signed-in?from=acme'
const OTHER_PAGE = 'myapp://signed-in'

describe('sign-in by redirect', () => {
  let provider: IdentityProvider
  let server: UsersServer

  before(async () => {
    provider = await startIdentityProvider(CALLBACK)
    const { issuer } = provider
    const acme = {
      name: 'acme',
      issuer,
      clientIds: [CLIENT.id] as const,
      clientSecret: CLIENT.secret,
      scope: 'openid email profile',
      redirects: [PAGE, OTHER_PAGE],
    }
    server = await serveUsers('connect', {
      providers: [acme, { ...acme, name: 'tokensonly', redirects: [] }],
      anonymous: { perNetwork: 100, max: 100, days: 5 },
    })
    provider.people['ada'] = { email: 'ada@example.org', email_verified: true, name: 'Ada' }
    provider.people['eve'] = { email: 'eve@example.org', email_verified: true, name: 'Eve' }
    provider.people['eve2'] = { email: 'eve2@example.org', email_verified: true, name: 'Eve Two' }
    provider.people['bob'] = { name: 'Bob' }
  })
  after(async () => {
    await server.close()
    await provider.close()
  })

  const get = (path: string, cookie = ''): Promise<Response> =>
    fetch(server.base + path, { redirect: 'manual', headers: { cookie } })
  const begin = async (query = '') => {
    const answer = await get(`/api/connect/acme${query}`)
    expect(answer.status).to.equal(302)
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).to.include('HttpOnly; SameSite=Lax; Secure')
    expect(cookie).to.include('Path=/x/api/connect;')
    return { address: answer.headers.get('location') ?? '', cookie: cookie.split(';')[0] ?? '' }
  }
  const atProvider = (subject: string, address: string): Promise<URL> => {
    provider.signsIn(subject)
    return followProvider(address, CALLBACK)
  }
  const comeBack = async (back: URL, cookie: string): Promise<URL> => {
    const answer = await get(`/api/connect/acme/callback${back.search}`, cookie)
    expect(answer.status, await answer.text()).to.equal(302)
    browser = answer.headers.getSetCookie().find((one) => one.startsWith('quire_redirect=')) ?? ''
    return new URL(answer.headers.get('location') ?? '')
  }
  /** The cookie that the last return has set. */
  let browser = ''
  const exchange = async (
    code: string | null,
    name = 'acme',
    { cookie = browser.split(';')[0] ?? '', query = '' } = {},
  ) => {
    const answer = await get(`/api/auth/${name}/callback?access_token=${code}${query}`, cookie)
    return { status: answer.status, body: (await answer.json()) as Json, answer }
  }
  const signIn = async (subject: string, query = ''): Promise<URL> => {
    const { address, cookie } = await begin(query)
    return comeBack(await atProvider(subject, address), cookie)
  }

  it('leads back to the page of the project with a code that is valid once', async () => {
    const page = await signIn('ada')
    expect(page.href.startsWith(PAGE)).to.equal(true)
    const code = page.searchParams.get('access_token')
    const first = await exchange(code)
    expect(first.status, JSON.stringify(first.body)).to.equal(200)
    expect(first.body.user).to.include({ email: 'ada@example.org', username: 'Ada' })
    const me = await server.send('GET', '/api/users/me', undefined, first.body.jwt)
    expect(me.status).to.equal(200)
    expect((await exchange(code)).status).to.equal(400)
    const again = await exchange((await signIn('ada')).searchParams.get('access_token'))
    expect(again.body.user.documentId).to.equal(first.body.user.documentId)
  })

  it('exchanges a code only for the browser that received it', async () => {
    const code = (await signIn('ada')).searchParams.get('access_token')
    const own = browser
    expect(own).to.match(/^quire_redirect=[\w-]{43}; Path=\/x\/api\/auth; Max-Age=60; HttpOnly; /)
    expect(own).to.include('SameSite=Lax; Secure')
    await signIn('eve2')
    const other = browser
    for (const cookie of ['', 'quire_redirect=', 'quire_redirect=x', other]) {
      const { status, body } = await exchange(code, 'acme', { cookie })
      expect([status, body.error.message], cookie).to.deep.equal([
        400,
        'The code is wrong, used or expired',
      ])
    }
    const { status, answer } = await exchange(code, 'acme', { cookie: own })
    expect(status).to.equal(200)
    expect(answer.headers.getSetCookie().join()).to.include('quire_redirect=; ')
  })

  it('exchanges the code of a page with a challenge for its verifier only', async () => {
    const verifier = 'v'.repeat(43)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const page = await signIn('ada', `?code_challenge=${challenge}&code_challenge_method=S256`)
    expect(browser).to.equal('')
    const code = page.searchParams.get('access_token')
    for (const query of ['', '&code_verifier=', `&code_verifier=${challenge}`]) {
      expect((await exchange(code, 'acme', { query })).status, query).to.equal(400)
    }
    const twice = `&code_verifier=${verifier}&code_verifier=${verifier}`
    expect((await exchange(code, 'acme', { query: twice })).status).to.equal(400)
    const cookie = `quire_redirect=${challenge}`
    expect((await exchange(code, 'acme', { cookie })).status).to.equal(400)
    const right = await exchange(code, 'acme', { query: `&code_verifier=${verifier}` })
    expect(right.status, JSON.stringify(right.body)).to.equal(200)
  })

  it('refuses challenges that are no SHA-256', async () => {
    for (const query of ['x', '', 'a'.repeat(44), `${'a'.repeat(42)}.`, '../'.repeat(14)]) {
      const given = encodeURIComponent(query)
      expect((await get(`/api/connect/acme?code_challenge=${given}`)).status, query).to.equal(400)
    }
    const plain = `?code_challenge=${'a'.repeat(43)}&code_challenge_method=plain`
    expect((await get(`/api/connect/acme${plain}`)).status).to.equal(400)
  })

  it('makes an account of the anonymous user that presents the code', async () => {
    const auth = 'plugin::users-permissions.auth'
    await server.access.roles.grant('anonymous-user', [`${auth}.callback`])
    provider.people['new'] = { email: 'new@example.org', email_verified: true, name: 'New' }
    const present = async (subject: string, more = '') => {
      const { body } = await server.send('POST', '/api/auth/anonymous', {})
      const page = await signIn(subject, '?anonymous=true')
      const code = page.searchParams.get('access_token')
      const headers = {
        cookie: browser.split(';')[0] ?? '',
        authorization: `Bearer ${body.jwt}`,
      }
      const path = `/api/auth/acme/callback?access_token=${code}${more}`
      const answer = await fetch(server.base + path, { headers })
      return { anonymous: body.user.documentId, status: answer.status, body: await answer.json() }
    }
    const made: Json = await present('new')
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    expect(made.body.user).to.include({ documentId: made.anonymous, email: 'new@example.org' })
    const used: Json = await present('new')
    expect([used.status, used.body.error.name]).to.deep.equal([409, 'ConflictError'])
    const merged: Json = await present('new', '&merge=true')
    expect(merged.body.user.documentId).to.equal(made.anonymous)
    const plain = await signIn('new', '?anonymous=true')
    const entered = await exchange(plain.searchParams.get('access_token'))
    expect(entered.body.user.documentId).to.equal(made.anonymous)
    expect((await get('/api/connect/acme?anonymous=yes')).status).to.equal(400)
  })

  it('gives the provider’s tokens to nobody', async () => {
    const page = await signIn('ada')
    const rows: Json[] = await server.database.collection('quire_sign_in_codes').find().toArray()
    const code = page.searchParams.get('access_token') ?? ''
    expect(code).to.match(/^[\w-]{43}$/)
    expect(JSON.stringify(rows)).not.to.include(code)
  })

  it('redirects to configured pages only', async () => {
    const page = await signIn('ada', `?callback=${encodeURIComponent(OTHER_PAGE)}`)
    expect(page.href.startsWith(`${OTHER_PAGE}?access_token=`)).to.equal(true)
    for (const callback of ['https://evil.example', `${PAGE}x`, 'javascript:alert(1)', '']) {
      const answer = await get(`/api/connect/acme?callback=${encodeURIComponent(callback)}`)
      expect(answer.status, callback).to.equal(400)
    }
    expect((await get(`/api/connect/acme?callback[]=${PAGE}`)).status).to.equal(400)
  })

  it('refuses a code after a minute and at another provider', async () => {
    const late = (await signIn('ada')).searchParams.get('access_token')
    server.pass(61_000)
    expect((await exchange(late)).status).to.equal(400)
    const other = (await signIn('ada')).searchParams.get('access_token')
    expect((await exchange(other, 'tokensonly')).status).to.equal(400)
    for (const wrong of ['', 'x', '%00', 'x'.repeat(5_000)]) {
      expect((await exchange(wrong)).status, wrong.slice(0, 9)).to.equal(400)
    }
  })

  it('refuses a browser that began no sign-in', async () => {
    const { address, cookie } = await begin()
    const back = await atProvider('ada', address)
    for (const other of ['', 'quire_connect=acme.a.b.c.0x', 'quire_connect=tokensonly.a.b.c.0']) {
      const answer = await get(`/api/connect/acme/callback${back.search}`, other)
      expect(answer.status, other).to.equal(400)
    }
    const second = await begin()
    const mixed = await comeBack(back, second.cookie)
    expect(mixed.searchParams.get('error')).to.equal('provider_failed')
    expect((await comeBack(back, cookie)).searchParams.has('access_token')).to.equal(true)
    expect((await comeBack(back, cookie)).searchParams.get('error')).to.equal('provider_failed')
  })

  it('names the reason on the page of the project', async () => {
    expect((await signIn('bob')).searchParams.get('error')).to.equal('email_missing')
    await server.register('eve')
    expect((await signIn('eve')).searchParams.get('error')).to.equal('email_in_use')
  })

  it('answers 400 for providers without redirects and unknown ones', async () => {
    for (const path of ['tokensonly', 'google', 'constructor', 'a/b/c', 'acme/callback/x']) {
      const answer = await get(`/api/connect/${path}`)
      expect([answer.status, answer.headers.get('Error-Code')], path).to.deep.equal([
        400,
        'provider_disabled',
      ])
    }
  })
})
