import { expect } from 'chai'
import {
  CLIENT,
  followProvider,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts'
import { addAdministrator, asAdministrator, PASSWORD, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const NOTE = { note: declare('note', { title: { type: 'string' } }) }
const BACK = 'https://cms.example.org/admin/oidc/callback'

describe('sign-in by OpenID Connect', () => {
  let server: TestServer
  let provider: IdentityProvider

  before(async () => {
    provider = await startIdentityProvider(BACK)
    server = await serve('oidc', {
      contentTypes: NOTE,
      environment: {
        RATE_LIMIT: 'off',
        PUBLIC_URL: 'https://cms.example.org',
        OIDC_ISSUER: provider.issuer,
        OIDC_ALLOW_HTTP: 'on',
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_LABEL: 'Example',
        OIDC_SCOPE: 'openid email profile groups',
        OIDC_ROLES: 'cms-admins=administrator,staff=editor,guests=no-such-role',
      },
    })
  })
  after(async () => {
    await server.close()
    await provider.close()
  })

  const person = (subject: string, groups: unknown, more: object = {}): void => {
    const email = `${subject}@example.org`
    provider.people[subject] = { email, email_verified: true, name: subject, groups, ...more }
  }
  const cookieOf = (answer: Answer, name: string): string =>
    (answer.headers['set-cookie'] ?? []).find((one) => one.startsWith(`${name}=`))?.split(';')[0] ??
    ''
  const leave = async () => {
    const answer = await server.send('GET', '/admin/oidc', { token: null })
    expect(answer.status, answer.text).to.equal(302)
    return {
      location: answer.headers.location ?? '',
      cookie: cookieOf(answer, '__Host-quire_oidc'),
      cookies: answer.headers['set-cookie'] ?? [],
    }
  }
  const comeBack = (to: URL, cookie: string): Promise<Answer> =>
    server.send('GET', to.pathname + to.search, { token: null, headers: { cookie } })
  const enter = async (subject: string): Promise<Answer> => {
    provider.signsIn(subject)
    const { location, cookie } = await leave()
    return comeBack(await followProvider(location, BACK), cookie)
  }
  const expectIn = (answer: Answer) => {
    expect(answer.headers.location, answer.text).to.equal('/studio')
    const cookie = cookieOf(answer, '__Host-quire_admin')
    expect(cookie).to.match(/^__Host-quire_admin=[\w-]{43}$/)
    return asAdministrator(server, cookie)
  }
  const expectOut = (answer: Answer, problem: 'refused' | 'failed', why: string): void => {
    expect(answer.headers.location, why).to.equal(`/studio/sign-in?problem=${problem}`)
    expect(cookieOf(answer, '__Host-quire_admin'), why).to.equal('')
    expect(server.takeLog(), why).to.have.length(1)
  }
  const everybody = async (): Promise<Json[]> =>
    (await server.get('/admin/administrators')).body.data

  it('refuses other users until the first full administrator has signed in', async () => {
    person('early', ['staff'])
    expectOut(await enter('early'), 'refused', 'early')
    expect(await everybody()).to.deep.equal([])
    person('first', ['cms-admins'])
    expectIn(await enter('first'))
  })

  it('is offered by name, and sends a state, a nonce and PKCE', async () => {
    const start = await server.send('GET', '/admin/start', { token: null })
    expect(start.body.data.oidc).to.deep.equal({ label: 'Example' })
    const { location, cookies } = await leave()
    const asked = new URL(location).searchParams
    expect(asked.get('redirect_uri')).to.equal(BACK)
    expect(asked.get('code_challenge_method')).to.equal('S256')
    expect(asked.get('nonce')).to.match(/^[\w-]{43}$/)
    expect(cookies[0]).to.match(/; HttpOnly; SameSite=Lax; Secure$/)
  })

  it('creates an administrator with the role from the provider, and updates the role on later sign-ins', async () => {
    person('emily', ['staff', 'others'])
    const emily = expectIn(await enter('emily'))
    const session = await emily.send('GET', '/admin/session')
    expect(session.body.data.administrator).to.deep.include({
      name: 'emily',
      email: 'emily@example.org',
      roles: ['editor'],
      hasPassword: false,
    })
    person('emily', ['cms-admins'])
    expectIn(await enter('emily'))
    const again = await emily.send('GET', '/admin/session')
    expect(again.body.data.administrator.roles).to.deep.equal(['administrator'])
    for (const groups of [[], 'nothing', undefined, { staff: true }, ['guests']]) {
      person('emily', groups)
      expectOut(await enter('emily'), 'refused', JSON.stringify(groups))
    }
  })

  it('refuses a user without a role from the provider', async () => {
    const before = await everybody()
    person('stranger', ['others'])
    expectOut(await enter('stranger'), 'refused', 'stranger')
    expect(await everybody()).to.deep.equal(before)
  })

  it('takes over no account by an unverified email', async () => {
    await addAdministrator(server, 'Ada', ['administrator'])
    for (const verified of [false, undefined, 'true', 1]) {
      person('mallory', ['cms-admins'], { email: 'ada@example.org', email_verified: verified })
      expectOut(await enter('mallory'), 'refused', String(verified))
    }
    expect((await everybody()).filter(({ email }) => email === 'ada@example.org')).to.have.length(1)
    await signIn(server, 'ada@example.org', PASSWORD)
  })

  it('links an account by a verified email once, and keeps its roles', async () => {
    const bob = await addAdministrator(server, 'Bob', ['author'])
    person('robert', ['cms-admins'], { email: 'BOB@example.org' })
    const client = expectIn(await enter('robert'))
    const { administrator } = (await client.send('GET', '/admin/session')).body.data
    expect(administrator).to.deep.include({ id: bob.id, name: 'Bob', roles: ['author'] })
    person('robert', [], { email: 'elsewhere@example.org' })
    expectIn(await enter('robert'))
    person('other-bob', ['cms-admins'], { email: 'bob@example.org' })
    expectOut(await enter('other-bob'), 'refused', 'the address has changed hands')
  })

  it('refuses an attempt from another browser, and a second use', async () => {
    person('walt', ['staff'])
    provider.signsIn('walt')
    const [one, other] = [await leave(), await leave()]
    const back = await followProvider(one.location, BACK)
    const [name, kept = ''] = one.cookie.split('=')
    const [state = '', nonce = '', verifier = ''] = kept.split('.')
    const wrong: Readonly<Record<string, string>> = {
      'no cookie': '',
      'of another attempt': other.cookie,
      'made up': `${name}=${'A'.repeat(72)}.${nonce}.${verifier}`,
      nothing: `${name}=`,
    }
    for (const [why, cookie] of Object.entries(wrong)) {
      expectOut(await comeBack(back, cookie), 'failed', why)
    }
    expectIn(await comeBack(back, one.cookie))
    expectOut(await comeBack(back, one.cookie), 'failed', 'again')
    const third = await leave()
    const again = await followProvider(third.location, BACK)
    const [, ...rest] = third.cookie.replace(/^.*?=/, '').split('.')
    const nonceOfOther = `${name}=${third.cookie.replace(/^.*?=/, '').split('.')[0]}.${nonce}.${rest[1]}`
    expectOut(await comeBack(again, nonceOfOther), 'failed', 'another nonce')
    const fourth = await leave()
    const denied = new URL(`${BACK}?error=access_denied&state=${state}`)
    expectOut(await comeBack(denied, fourth.cookie), 'failed', 'denied, with another state')
  })

  it('ends an earlier session of the browser', async () => {
    person('dora', ['staff'])
    const planted = await signIn(server, 'ada@example.org')
    provider.signsIn('dora')
    const { location, cookie } = await leave()
    const back = await followProvider(location, BACK)
    expectIn(await comeBack(back, `${cookie}; ${planted.cookie}`))
    expect((await planted.send('GET', '/admin/session')).status).to.equal(401)
  })
})

describe('sign-in by OpenID Connect that fails', () => {
  it('redirects to the sign-in page with an error while the provider is unavailable', async () => {
    const server = await serve('oidc_away', {
      contentTypes: NOTE,
      environment: {
        RATE_LIMIT: 'off',
        OIDC_ISSUER: 'http://127.0.0.1:9',
        OIDC_ALLOW_HTTP: 'on',
        OIDC_CLIENT_ID: 'x',
        OIDC_ROLES: '*=author',
      },
    })
    try {
      const answer = await server.send('GET', '/admin/oidc', { token: null })
      expect(answer.headers.location).to.equal('/studio/sign-in?problem=failed')
    } finally {
      await server.close()
    }
  })

  it('has no routes without a configuration', async () => {
    const server = await serve('oidc_none', { contentTypes: NOTE })
    try {
      for (const path of ['/admin/oidc', '/admin/oidc/callback?code=x&state=y']) {
        expect((await server.send('GET', path, { token: null })).status, path).to.equal(404)
      }
    } finally {
      await server.close()
    }
  })
})
