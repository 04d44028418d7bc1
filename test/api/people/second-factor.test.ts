import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { TOTP } from 'otpauth'
import {
  addAdministrator,
  type AdminClient,
  asAdministrator,
  cookieOf,
  PASSWORD,
  signIn,
} from '../../support/admin-client.ts'
import { newAuthenticator } from '../../support/authenticator.ts'
import { concretePath } from '../../support/concrete-path.ts'
import {
  CLIENT,
  followProvider,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { until } from '../../support/until.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const ORIGIN = 'https://cms.example.org'
const AT_HOST = { origin: ORIGIN, rpId: 'cms.example.org' }
const BACK = `${ORIGIN}/admin/oidc/callback`
const OWN = { 'sec-fetch-site': 'same-origin' }
const CONTENT_TYPES = {
  article: {
    ...declare('article', { title: { type: 'string' } }),
    options: { draftAndPublish: true, preview: 'https://app.example.org/?secret={secret}' },
  },
}
const ARTICLES = '/admin/content/api::article.article'

/** The routes that a session without a second factor may use, with their status for an empty body. */
const OPEN: ReadonlyMap<string, number> = new Map([
  ['get /admin/session', 200],
  ['get /admin/me/totp', 200],
  ['post /admin/me/totp', 400],
  ['post /admin/me/totp/confirm', 400],
  ['post /admin/me/totp/recovery-codes', 404],
  ['delete /admin/me/totp', 404],
  ['get /admin/me/passkeys', 200],
  ['post /admin/me/passkeys', 400],
  ['post /admin/me/passkeys/options', 400],
  ['put /admin/me/passkeys/:id', 400],
  ['delete /admin/me/passkeys/:id', 404],
])

describe('a required second factor of administrators', () => {
  let provider: IdentityProvider
  let mails: MailServer
  let client: MongoClient
  let shared: Readonly<Record<string, string>>
  /** Both use one database. */
  let lenient: TestServer
  let server: TestServer

  before(async () => {
    provider = await startIdentityProvider(BACK)
    mails = await startMailServer()
    const environment = {
      RATE_LIMIT: 'off',
      PUBLIC_URL: ORIGIN,
      SMTP_URL: mails.url,
      OIDC_ISSUER: provider.issuer,
      OIDC_ALLOW_HTTP: 'on',
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_SCOPE: 'openid email profile groups',
      OIDC_ROLES: 'staff=editor',
    }
    lenient = await serve('second_factor', { contentTypes: CONTENT_TYPES, environment })
    shared = { ...environment, MONGODB_DATABASE: lenient.database }
    await addAdministrator(lenient, 'Boss', ['administrator'])
    server = await serve('second_factor', {
      contentTypes: CONTENT_TYPES,
      environment: { ...shared, ADMIN_SECOND_FACTOR: 'editor,no-such-role' },
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
    await lenient.close()
    await mails.close()
    await provider.close()
  })

  const enter = (path: string, body: object, at = server): Promise<Answer> =>
    at.send('POST', path, { token: null, headers: OWN, body })
  const enterPassword = (email: string, password = PASSWORD) =>
    enter('/admin/session', { email, password })
  const refused = (answer: Answer, code: string, status = 403): void => {
    expect(answer.status, answer.text).to.equal(status)
    expect(answer.headers['error-code'], answer.text).to.equal(code)
  }
  let people = 0
  const add = async (roles: readonly string[] = ['editor'], at = server): Promise<Json> => {
    people += 1
    return addAdministrator(at, `Person${people}`, roles)
  }
  const on = (at: TestServer, { cookie }: AdminClient) => asAdministrator(at, cookie)
  const addTotp = async (who: AdminClient): Promise<TOTP> => {
    const begun = await who.send('POST', '/admin/me/totp', { currentPassword: PASSWORD })
    expect(begun.status, begun.text).to.equal(201)
    const totp = new TOTP({ secret: begun.body.data.secret })
    const confirmed = await who.send('POST', '/admin/me/totp/confirm', { code: totp.generate() })
    expect(confirmed.status, confirmed.text).to.equal(200)
    return totp
  }
  const registration = async (who: AdminClient, key = newAuthenticator()) => {
    const options = await who.send('POST', '/admin/me/passkeys/options', {
      currentPassword: PASSWORD,
    })
    expect(options.status, options.text).to.equal(200)
    const response = key.add({ challenge: options.body.data.challenge, ...AT_HOST })
    return { key, body: { name: 'Key', response } }
  }
  const addPasskey = async (who: AdminClient) => {
    const { key, body } = await registration(who)
    const added = await who.send('POST', '/admin/me/passkeys', body)
    expect(added.status, added.text).to.equal(201)
    return key
  }
  const signInWith = async (key: ReturnType<typeof newAuthenticator>, id: string) => {
    const options = await enter('/admin/session/passkey/options', {})
    const response = key.sign({ challenge: options.body.data.challenge, ...AT_HOST }, id)
    return enter('/admin/session/passkey', { response })
  }
  const works = async (who: AdminClient): Promise<boolean> =>
    (await who.send('GET', ARTICLES)).status === 200

  it('warns of unknown roles at the start', () => {
    const [warned] = server.takeLog()
    expect(warned.roles).to.deep.equal(['no-such-role'])
  })

  it('leaves other roles alone', async () => {
    const { email } = await add(['author'])
    const author = await signIn(server, email)
    expect((await author.send('GET', '/admin/session')).body.data.lacksSecondFactor).to.equal(false)
    expect(await works(author)).to.equal(true)
  })

  it('refuses every other route with its own code, until one is set up', async () => {
    const { email } = await add()
    const entered = await enterPassword(email)
    expect(entered.status).to.equal(200)
    const { administrator, ...shown } = entered.body.data
    expect(administrator.email).to.equal(email)
    const empty = { permissions: [], ruled: [], conditional: [], lacksSecondFactor: true }
    expect(shown).to.deep.include(empty)
    const who = asAdministrator(server, cookieOf(entered))
    const routes = server.routes.filter(
      ({ access, path }) => path.startsWith('/admin') && access !== 'everyone',
    )
    expect(routes.length).to.be.above(100)
    for (const { method, path } of routes) {
      const name = `${method} ${path}`
      if (name === 'delete /admin/session') continue
      const answer = await who.send(method.toUpperCase(), concretePath(path), {})
      const status = OPEN.get(name) ?? 403
      expect(answer.status, `${name}: ${answer.text}`).to.equal(status)
      if (status === 403) refused(answer, 'second_factor_required')
    }
    await addTotp(who)
    const session = (await who.send('GET', '/admin/session')).body.data
    expect(session.lacksSecondFactor).to.equal(false)
    expect(session.permissions).to.not.deep.equal([])
    expect(await works(who)).to.equal(true)
    expect((await who.send('DELETE', '/admin/session')).status).to.equal(204)
    expect((await enterPassword(email)).status).to.equal(202)
  })

  it('is not needed to sign out', async () => {
    const who = await signIn(server, (await add()).email)
    expect((await who.send('DELETE', '/admin/session')).status).to.equal(204)
    expect((await who.send('GET', '/admin/session')).status).to.equal(401)
  })

  it('accepts a passkey, and then no password alone', async () => {
    const { id, email } = await add()
    const who = await signIn(server, email)
    const key = await addPasskey(who)
    expect(await works(who)).to.equal(true)
    refused(await enterPassword(email), 'passkey_required')
    const wrong = await enterPassword(email, 'a wrong password')
    refused(wrong, 'invalid_login', 400)
    const entered = await signInWith(key, id)
    expect(entered.body.data.lacksSecondFactor, entered.text).to.equal(false)
    expect(await works(asAdministrator(server, cookieOf(entered)))).to.equal(true)
  })

  it('asks for another one after the last one is removed', async () => {
    const { email } = await add()
    const who = await signIn(server, email)
    await addPasskey(who)
    const [{ id }] = (await who.send('GET', '/admin/me/passkeys')).body.data
    expect((await who.send('DELETE', `/admin/me/passkeys/${id}`)).status).to.equal(204)
    refused(await who.send('GET', ARTICLES), 'second_factor_required')
    await addTotp(who)
    expect(await works(who)).to.equal(true)
    expect((await who.send('DELETE', '/admin/me/totp')).status).to.equal(204)
    refused(await who.send('GET', ARTICLES), 'second_factor_required')
  })

  it('lets no earlier session and no earlier preview escape', async () => {
    const bare = await signIn(lenient, (await add(['editor'], lenient)).email)
    const keyed = await signIn(lenient, (await add(['editor'], lenient)).email)
    const article = await bare.send('POST', ARTICLES, { data: { title: 'A draft' } })
    const path = `${ARTICLES}/${article.body.data.documentId}/preview`
    const shown = await bare.send('POST', path, {})
    const secret = new URL(shown.body.data.url).searchParams.get('secret') ?? ''
    const read = (at: TestServer) =>
      at.get(`/api/articles/${article.body.data.documentId}?status=draft`, { token: secret })
    expect((await read(lenient)).status).to.equal(200)
    await settle()
    refused(await read(server), 'invalid_credentials', 401)
    refused(await on(server, bare).send('GET', ARTICLES), 'second_factor_required')
    const key = await registration(keyed)
    const sessions = client.db(server.database).collection('quire_admin_sessions')
    expect((await keyed.send('POST', '/admin/me/passkeys', key.body)).status).to.equal(201)
    await settle()
    expect(await works(on(server, keyed))).to.equal(true)
    await sessions.updateMany({ proof: 'passkey' }, { $unset: { proof: '' } })
    refused(await on(server, keyed).send('GET', ARTICLES), 'invalid_credentials', 401)
    expect(await works(keyed)).to.equal(true)
  })

  it('adds no second one with a session that lacks the first', async () => {
    const { id, email } = await add()
    const [first, second] = [await signIn(server, email), await signIn(server, email)]
    const [one, other] = [await registration(first), await registration(second)]
    const begun = await second.send('POST', '/admin/me/totp', { currentPassword: PASSWORD })
    const code = new TOTP({ secret: begun.body.data.secret }).generate()
    const passkeys = client.db(server.database).collection<Json>('quire_admin_passkeys')
    const confirm = () => second.send('POST', '/admin/me/totp/confirm', { code })
    for (const send of [
      () => second.send('POST', '/admin/me/passkeys', other.body),
      confirm,
      () => second.send('PUT', '/admin/me/passkeys/other', { name: 'Mine' }),
      () => second.send('DELETE', '/admin/me/passkeys/other'),
    ]) {
      await server.send('PUT', `/admin/administrators/${id}`, { body: { name: 'Known here' } })
      expect((await second.send('GET', '/admin/me/totp')).status).to.equal(200)
      // Another process has added a passkey, and this one has not noticed.
      await passkeys.insertOne({ _id: `of-${id}`, id: 'other', administrator: id, name: 'Other' })
      refused(await send(), 'second_factor_required')
      await passkeys.deleteOne({ _id: `of-${id}` })
    }
    await server.send('PUT', `/admin/administrators/${id}`, { body: { name: 'Known here' } })
    const added = await first.send('POST', '/admin/me/passkeys', one.body)
    expect(added.status, added.text).to.equal(201)
    expect((await confirm()).status).to.equal(401)
  })

  it('needs none from administrators that sign in through the provider', async () => {
    const email = 'staff@example.org'
    provider.people['staff'] = { email, email_verified: true, name: 'Staff', groups: ['staff'] }
    provider.signsIn('staff')
    const left = await server.send('GET', '/admin/oidc', { token: null })
    const to = await followProvider(left.headers.location ?? '', BACK)
    const cookie = cookieNamed(left, '__Host-quire_oidc')
    const back = await server.send('GET', to.pathname + to.search, {
      token: null,
      headers: { cookie },
    })
    const who = asAdministrator(server, cookieNamed(back, '__Host-quire_admin'))
    expect(await works(who)).to.equal(true)
  })

  it('mails no link that would remove the only passkey', async () => {
    const bare = await add()
    const keyed = await add()
    await addPasskey(await signIn(server, keyed.email))
    await enter('/admin/forgot-password', { email: keyed.email })
    await enter('/admin/forgot-password', { email: bare.email })
    const addressed = () => mails.mails.flatMap(({ to }) => to)
    await until(() => addressed().includes(bare.email), 20_000)
    await enter('/admin/forgot-password', { email: bare.email })
    await until(() => addressed().length > 1, 20_000)
    expect(addressed()).to.not.include(keyed.email)
  })

  it('asks for a new one after another administrator has given a password', async () => {
    const { id, email } = await add()
    const key = await addPasskey(await signIn(server, email))
    const path = `/admin/administrators/${id}`
    const given = await server.send('PUT', path, { body: { password: 'another password' } })
    expect(given.status, given.text).to.equal(200)
    expect((await signInWith(key, id)).status).to.equal(400)
    const entered = await enterPassword(email, 'another password')
    expect(entered.body.data.lacksSecondFactor, entered.text).to.equal(true)
  })

  it('can be required of everybody, the first administrator included', async () => {
    const all = await serve('second_factor_all', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', PUBLIC_URL: ORIGIN, ADMIN_SECOND_FACTOR: 'required' },
    })
    try {
      const token = /token=(.*)$/.exec((await all.firstStartLink()) ?? '')?.[1] ?? ''
      const first = { token, name: 'Ada', email: 'ada@example.org', password: PASSWORD }
      const entered = await enter('/admin/first-administrator', first, all)
      expect(entered.body.data.lacksSecondFactor, entered.text).to.equal(true)
      const who = asAdministrator(all, cookieOf(entered))
      refused(await who.send('GET', ARTICLES), 'second_factor_required')
      await addTotp(who)
      expect(await works(who)).to.equal(true)
    } finally {
      await all.close()
    }
  })

  /** The other server reads changes of administrators within a second. */
  async function settle(): Promise<void> {
    const probe = await addAdministrator(lenient, `Probe${(people += 1)}`, ['author'])
    await until(async () => (await enterPassword(probe.email)).status === 200, 20_000)
  }
})

function cookieNamed({ headers }: Answer, name: string): string {
  const cookies = headers['set-cookie'] ?? []
  return cookies.find((one) => one.startsWith(`${name}=`))?.split(';')[0] ?? ''
}
