import { type ClientOptions, createClient, QuireError, type Session } from '@quire/client'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { declare, serve, type TestServer } from '../support/server.ts'
import { startTokenIssuer, type TokenIssuer } from '../support/token-issuer.ts'
import { until } from '../support/until.ts'

const PASSWORD = 'correct horse'
const USERS = 'plugin::users-permissions'
const authActions = (...verbs: readonly string[]) => verbs.map((verb) => `${USERS}.auth.${verb}`)

describe('$auth of the TypeScript client', () => {
  let server: TestServer
  let issuer: TokenIssuer
  let mailServer: MailServer
  let database: MongoClient

  before(async () => {
    issuer = await startTokenIssuer()
    mailServer = await startMailServer()
    server = await serve('client_auth', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      environment: {
        RATE_LIMIT: 'off',
        UP_JWT_MANAGEMENT: 'refresh',
        ANONYMOUS_USERS: 'on',
        OIDC_ALLOW_HTTP: 'on',
        SMTP_URL: mailServer.url,
        RESET_PASSWORD_URL: 'https://app.example.org/reset',
        SIGN_IN_ACME_ISSUER: issuer.issuer,
        SIGN_IN_ACME_CLIENT_IDS: 'app',
      },
      permitted: authActions(
        'callback',
        'connect',
        'register',
        'refresh',
        'forgotPassword',
        'resetPassword',
      ),
    })
    const permissions = [...authActions('changePassword', 'logout'), `${USERS}.user.me`]
    await server.send('PUT', '/admin/roles/authenticated', { body: { permissions } })
    const own = [...authActions('register', 'connect', 'refresh'), `${USERS}.user.me`]
    await server.send('PUT', '/admin/roles/anonymous-user', { body: { permissions: own } })
    database = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await database.close()
    await server.close()
    await mailServer.close()
    await issuer.close()
  })

  /** A client whose session the test can read and replace. */
  const open = (options: Partial<ClientOptions> = {}) => {
    const state: { session: Session | null } = { session: null }
    const storage = {
      get: () => state.session,
      set: (given: Session | null) => void (state.session = given),
    }
    const url = `http://127.0.0.1:${server.port}`
    const { $auth } = createClient({}, { url, storage, ...options })
    return { auth: $auth, state }
  }

  let people = 0
  const newPerson = () => {
    people += 1
    return { username: `person${people}`, email: `person${people}@example.org`, password: PASSWORD }
  }
  const tokenOf = (subject: string, more: object = {}): Promise<string> => {
    const email = `${subject}@example.org`
    return issuer.sign(
      { aud: 'app', sub: subject, email, email_verified: true, ...more },
      new Date(),
    )
  }
  const failure = async (work: Promise<unknown>): Promise<QuireError> => {
    try {
      await work
    } catch (error) {
      if (error instanceof QuireError) return error
      throw error
    }
    throw new Error('it did not fail')
  }
  const mailTo = async (email: string, count = 1): Promise<string> => {
    const mails = () => mailServer.mails.filter(({ to }) => to.includes(email))
    await until(() => Promise.resolve(mails().length >= count), 20_000)
    return mails().at(-1)?.text ?? ''
  }
  /** An access token that the server refuses. The client must refresh the session. */
  const spoil = ({ state }: ReturnType<typeof open>): void => {
    const { session } = state
    if (session === null) throw new Error('there is no session')
    state.session = { ...session, jwt: `${session.jwt.slice(0, -4)}AAAA` }
  }

  it('signs in with an ID token and creates the user at the first sign-in', async () => {
    const { auth, state } = open()
    const idToken = await tokenOf('ida', { nonce: 'n-1' })
    const user = await auth.signInWithIdToken('acme', { idToken, nonce: 'n-1', name: 'Ida' })
    expect(user).to.include({ username: 'Ida', email: 'ida@example.org' })
    expect(state.session?.refreshToken).to.be.a('string')
    expect((await auth.me()).documentId).to.equal(user.documentId)
    const again = await open().auth.signInWithIdToken('acme', { idToken: await tokenOf('ida') })
    expect(again.documentId).to.equal(user.documentId)
  })

  it('keeps the session when another sign-in fails', async () => {
    const client = open()
    const person = newPerson()
    await client.auth.register(person)
    const { session } = client.state
    const wrong = [
      client.auth.signIn({ identifier: person.email, password: 'wrong' }),
      client.auth.signInWithIdToken('acme', { idToken: 'a.b.c' }),
      client.auth.signInWithIdToken('../nobody', { idToken: 'a.b.c' }),
      client.auth.signInWithCode({ email: person.email, code: '000000' }),
      client.auth.resetPassword({ code: 'wrong', password: PASSWORD }),
    ]
    const codes = await Promise.all(wrong.map(async (work) => (await failure(work)).code))
    expect(codes).to.deep.equal([
      'invalid_login',
      'invalid_id_token',
      'provider_disabled',
      'invalid_sign_in_code',
      'invalid_reset_code',
    ])
    expect(client.state.session).to.deep.equal(session)
    expect((await client.auth.me()).email).to.equal(person.email)
  })

  it('refreshes the session before `me`, `linkIdentity` and `changePassword`', async () => {
    const client = open()
    const person = newPerson()
    await client.auth.register(person)
    spoil(client)
    expect((await client.auth.me()).email).to.equal(person.email)
    spoil(client)
    await client.auth.linkIdentity('acme', { idToken: await tokenOf('linked') })
    const linked = await open().auth.signInWithIdToken('acme', { idToken: await tokenOf('linked') })
    expect(linked.email).to.equal(person.email)
    spoil(client)
    const change = { currentPassword: PASSWORD, password: 'battery staple' }
    await client.auth.changePassword(change)
    expect((await client.auth.me()).email).to.equal(person.email)
  })

  it('links an identity of another user to nobody else', async () => {
    const idToken = await tokenOf('taken')
    await open().auth.signInWithIdToken('acme', { idToken })
    const { auth } = open()
    await auth.register(newPerson())
    const error = await failure(auth.linkIdentity('acme', { idToken: await tokenOf('taken') }))
    expect([error.status, error.code]).to.deep.equal([409, 'identity_in_use'])
    const anonymous = await failure(open().auth.linkIdentity('acme', { idToken }))
    expect(anonymous.status).to.equal(403)
  })

  it('signs in with a code by mail, and creates a user for a new address', async () => {
    const { auth } = open()
    const person = newPerson()
    await auth.register(person)
    await auth.requestCode(person.email) // with a session, which has no permission for it
    const [code = ''] = /\d{6}/.exec(await mailTo(person.email)) ?? []
    const other = open()
    expect(await other.auth.isSignedIn()).to.equal(false)
    expect((await other.auth.signInWithCode({ email: person.email, code })).email).to.equal(
      person.email,
    )
    const used = await failure(open().auth.signInWithCode({ email: person.email, code }))
    expect(used.code).to.equal('invalid_sign_in_code')
    await other.auth.requestCode('new@example.org')
    const [first = ''] = /\d{6}/.exec(await mailTo('new@example.org')) ?? []
    const made = await other.auth.signInWithCode({ email: 'new@example.org', code: first })
    expect(made.email).to.equal('new@example.org')
    expect((await other.auth.me()).documentId).to.equal(made.documentId)
  })

  it('resets a forgotten password with the code of the mail and ends other sessions', async () => {
    const [lost, other] = [open(), open()]
    const person = newPerson()
    await other.auth.register(person)
    await lost.auth.forgotPassword(person.email)
    await lost.auth.forgotPassword('nobody@example.org')
    const mail = (await mailTo(person.email)).replaceAll(/=\r?\n/g, '') // soft line breaks
    const [, code = ''] = /The code is ([0-9a-f]{128})/.exec(mail) ?? []
    const user = await lost.auth.resetPassword({ code, password: 'battery staple' })
    expect(user.email).to.equal(person.email)
    expect((await lost.auth.me()).email).to.equal(person.email)
    spoil(other)
    expect((await failure(other.auth.me())).status).to.equal(401)
    expect(await other.auth.isSignedIn()).to.equal(false)
  })

  it('changes the password and goes on with the new session', async () => {
    const { auth, state } = open()
    const person = newPerson()
    await auth.register(person)
    const before = state.session?.jwt
    const wrong = { currentPassword: 'wrong', password: 'battery staple' }
    expect((await failure(auth.changePassword(wrong))).code).to.equal('wrong_password')
    const user = await auth.changePassword({ ...wrong, currentPassword: PASSWORD })
    expect(user.email).to.equal(person.email)
    expect(state.session?.jwt).to.not.equal(before)
    const credentials = { identifier: person.email, password: 'battery staple' }
    expect((await open().auth.signIn(credentials)).email).to.equal(person.email)
  })

  it('deletes the account only after a recent sign-in', async () => {
    const { auth, state } = open()
    const person = newPerson()
    await auth.register(person)
    const sessions = database.db(server.database).collection('quire_sessions')
    const issuedAt = Math.floor(Date.now() / 1_000) - 11 * 60
    await sessions.updateMany({}, { $set: { issuedAt } })
    const refused = await failure(auth.deleteAccount())
    expect([refused.status, refused.code]).to.deep.equal([403, 'recent_sign_in_required'])
    expect((await auth.me()).email).to.equal(person.email)
    await auth.signIn({ identifier: person.email, password: PASSWORD })
    await auth.deleteAccount()
    expect(await auth.isSignedIn()).to.equal(false)
    expect(state.session).to.equal(null)
    const credentials = { identifier: person.email, password: PASSWORD }
    expect((await failure(auth.signIn(credentials))).code).to.equal('invalid_login')
  })

  describe('of anonymous users', () => {
    it('keeps the documentId when the user registers', async () => {
      const client = open()
      const user = await client.auth.signInAnonymously()
      expect(user.email).to.equal(null)
      expect(client.state.session?.isAnonymous).to.equal(true)
      spoil(client)
      expect((await client.auth.me()).documentId).to.equal(user.documentId)
      expect(client.state.session?.isAnonymous).to.equal(true)
      const person = newPerson()
      const registered = await client.auth.register(person)
      expect(registered).to.include({ documentId: user.documentId, email: person.email })
      expect(client.state.session).to.not.have.property('isAnonymous')
      expect((await client.auth.me()).email).to.equal(person.email)
    })

    it('keeps the documentId with an identity that no account has', async () => {
      const { auth } = open()
      const user = await auth.signInAnonymously()
      const known = await auth.signInWithIdToken('acme', { idToken: await tokenOf('quiet') })
      expect(known).to.include({ documentId: user.documentId, email: 'quiet@example.org' })
    })

    it('merges with the account of an identity only if asked', async () => {
      const idToken = () => tokenOf('merged')
      const owner = await open().auth.signInWithIdToken('acme', { idToken: await idToken() })
      const client = open()
      await client.auth.signInAnonymously()
      const { session } = client.state
      const work = client.auth.signInWithIdToken('acme', { idToken: await idToken() })
      expect((await failure(work)).code).to.equal('identity_in_use')
      expect(client.state.session).to.deep.equal(session)
      const merge = { idToken: await idToken(), merge: true }
      const merged = await client.auth.signInWithIdToken('acme', merge)
      expect(merged.documentId).to.equal(owner.documentId)
      expect(client.state.session).to.not.have.property('isAnonymous')
    })

    it('leaves the anonymous user for a sign-in by password', async () => {
      const person = newPerson()
      await open().auth.register(person)
      const client = open()
      await client.auth.signInAnonymously()
      const user = await client.auth.signIn({ identifier: person.email, password: PASSWORD })
      expect(user.email).to.equal(person.email)
      expect(client.state.session).to.not.have.property('isAnonymous')
    })
  })

  it('keeps a sign-in that happens during a refresh of the earlier session', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let isRefreshing = (): void => undefined
    const refreshing = new Promise<void>((resolve) => {
      isRefreshing = resolve
    })
    const client = open({
      fetch: async (input, init) => {
        const answer = await fetch(input, init)
        if (typeof input === 'string' && input.endsWith('/auth/refresh')) {
          isRefreshing()
          await held
        }
        return answer
      },
    })
    const [first, second] = [newPerson(), newPerson()]
    await open().auth.register(second)
    await client.auth.register(first)
    spoil(client)
    const late = client.auth.me()
    await refreshing
    await client.auth.signIn({ identifier: second.email, password: PASSWORD })
    release()
    expect((await late).email).to.equal(second.email)
    expect((await client.auth.me()).email).to.equal(second.email)
  })
})
