import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { SignJWT, UnsecuredJWT } from 'jose'
import { removeUser } from '../../../src/people/accounts/delete-account.ts'
import { startTokenIssuer, type TokenIssuer } from '../../support/token-issuer.ts'
import { type Answer, type Json, serveUsers, type UsersServer } from './users-server.ts'

const CLIENT = 'app.example'

describe('sign-in by ID token', () => {
  let issuer: TokenIssuer
  let server: UsersServer
  let count = 0

  before(async () => {
    issuer = await startTokenIssuer()
    server = await serveUsers('id-tokens', { providers: [providerOf(issuer)] })
  })
  after(async () => {
    await server.close()
    await issuer.close()
  })

  const claimsOf = (subject: string, more: object = {}) => ({
    sub: subject,
    aud: CLIENT,
    email: `${subject}@example.org`,
    email_verified: true,
    ...more,
  })
  const sign = (subject: string, more: object = {}): Promise<string> =>
    issuer.sign(claimsOf(subject, more), server.now())
  const enter = (idToken: string, more: object = {}): Promise<Answer> =>
    server.send('POST', '/api/auth/acme/token', { idToken, ...more })
  const newSubject = (): string => `person-${(count += 1)}`
  const refused = async (idToken: string, more: object = {}): Promise<void> => {
    const { status, headers } = await enter(idToken, more)
    expect([status, headers.get('Error-Code')]).to.deep.equal([401, 'invalid_id_token'])
  }

  it('creates one user per identity and answers like a sign-in by password', async () => {
    const subject = newSubject()
    const first = await enter(await sign(subject, { name: 'Ada Lovelace' }))
    expect(first.status, JSON.stringify(first.body)).to.equal(200)
    expect(Object.keys(first.body)).to.deep.equal(['jwt', 'user'])
    expect(first.body.user).to.include({
      email: `${subject}@example.org`,
      username: 'Ada Lovelace',
      provider: 'acme',
      confirmed: true,
    })
    expect(first.body.user).not.to.have.property('password')
    const me = await server.send('GET', '/api/users/me', undefined, first.body.jwt)
    expect(me.status).to.equal(200)
    const second = await enter(await sign(subject, { email: 'moved@example.org' }))
    expect(second.body.user.documentId).to.equal(first.body.user.documentId)
  })

  it('takes plain addresses only', async () => {
    const strange = [
      ' ann@example.org',
      'ann@example.org ',
      'ann@example.org,eve@example.org',
      'ann@example.org\r\nBcc: eve@example.org',
      'ann <ann@example.org>',
      'ann',
      ['ann@example.org'],
      '\u212Aann@example.org', // the Kelvin sign, whose lower case is an ASCII k
    ]
    for (const email of strange) {
      const { status, headers } = await enter(await sign(newSubject(), { email }))
      const outcome = [status, headers.get('Error-Code')]
      expect(outcome, JSON.stringify(email)).to.deep.equal([400, 'email_missing'])
    }
  })

  it('creates one user for concurrent first sign-ins', async () => {
    const subject = newSubject()
    const tokens = await Promise.all(Array.from({ length: 8 }, () => sign(subject)))
    const answers = await Promise.all(tokens.map((token) => enter(token)))
    const users = answers.map(({ body }) => body.user?.documentId as string | undefined)
    expect(new Set(users).size, JSON.stringify(answers.map(({ body }) => body))).to.equal(1)
    expect(users[0]).to.be.a('string')
  })

  it('refuses a password for an account without one', async () => {
    const subject = newSubject()
    await enter(await sign(subject))
    for (const password of ['', ' ', 'password']) {
      const given = { identifier: `${subject}@example.org`, password }
      expect((await server.send('POST', '/api/auth/local', given)).status).to.equal(400)
    }
  })

  it('refuses wrong audiences, issuers, times and subjects', async () => {
    const seconds = Math.floor(server.now().getTime() / 1_000)
    await refused(await sign(newSubject(), { aud: 'another app' }))
    await refused(await sign(newSubject(), { aud: [] }))
    await refused(await sign(newSubject(), { aud: [CLIENT, 'another app'] }))
    await refused(await sign(newSubject(), { aud: [CLIENT, 'x'], azp: 'x' }))
    await refused(await sign(newSubject(), { iss: 'https://evil.example' }))
    await refused(await sign(newSubject(), { iss: `${issuer.issuer}/` }))
    await refused(await sign(newSubject(), { exp: seconds - 61 }))
    await refused(await sign(newSubject(), { iat: seconds + 120 }))
    await refused(await sign(newSubject(), { nbf: seconds + 120 }))
    await refused(await sign('', {}))
    await refused(await sign('x'.repeat(300)))
    for (const sub of [5, true, ['person'], { id: 'person' }]) {
      await refused(await sign(newSubject(), { sub }))
    }
    expect((await enter(await sign(newSubject(), { exp: seconds - 59 }))).status).to.equal(200)
    const party = { aud: [CLIENT, 'api'], azp: CLIENT }
    expect((await enter(await sign(newSubject(), party))).status).to.equal(200)
  })

  it('refuses tokens without a signature, with another key, and with a shared secret', async () => {
    const claims = { ...claimsOf(newSubject()), iss: issuer.issuer }
    const at = Math.floor(server.now().getTime() / 1_000)
    const unsigned = new UnsecuredJWT(claims)
      .setIssuedAt(at)
      .setExpirationTime(at + 600)
      .encode()
    await refused(unsigned)
    const publicKey = new TextEncoder().encode(JSON.stringify(issuer.keys()[0]))
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'key 1' })
      .setIssuedAt(at)
      .setExpirationTime(at + 600)
      .sign(publicKey)
    await refused(shared)
    const foreign = await startTokenIssuer()
    try {
      await refused(await foreign.sign(claims, server.now()))
    } finally {
      await foreign.close()
    }
    const [header = '', , signature = ''] = (await sign(newSubject())).split('.')
    const other = (await sign(newSubject())).split('.')[1] ?? ''
    await refused([header, other, signature].join('.'))
    for (const idToken of ['x', 'a.b.c', `${header}..`, '.'.repeat(100)]) await refused(idToken)
  })

  it('answers 400 for bodies that are no token', async () => {
    for (const body of [
      {},
      { idToken: 1 },
      { idToken: null },
      { idToken: 'x'.repeat(20_000) },
      [],
    ]) {
      const { status } = await server.send('POST', '/api/auth/acme/token', body)
      expect(status, JSON.stringify(body).slice(0, 80)).to.equal(400)
    }
    const unknown = await server.send('POST', '/api/auth/other/token', { idToken: 'x' })
    expect([unknown.status, unknown.headers.get('Error-Code')]).to.deep.equal([
      400,
      'provider_disabled',
    ])
  })

  it('accepts the new key after a rotation and refuses the former one', async () => {
    const before = await sign(newSubject())
    await issuer.rotate()
    expect((await enter(await sign(newSubject()))).status).to.equal(200)
    await refused(before)
  })

  describe('nonces', () => {
    const nonce = () => `nonce-${(count += 1)}`

    it('are required where the token or the caller has one', async () => {
      const one = nonce()
      await refused(await sign(newSubject(), { nonce: one }))
      await refused(await sign(newSubject()), { nonce: one })
      await refused(await sign(newSubject(), { nonce: one }), { nonce: nonce() })
      expect(
        (await enter(await sign(newSubject(), { nonce: one }), { nonce: one })).status,
      ).to.equal(200)
    })

    it('are required from browsers', async () => {
      const idToken = await sign(newSubject())
      const answer = await fetch(`${server.base}/api/auth/acme/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://app.example.org' },
        body: JSON.stringify({ idToken }),
      })
      expect(answer.status).to.equal(401)
    })

    it('may stand in the token as SHA-256', async () => {
      const one = nonce()
      const hashed = createHash('sha256').update(one).digest('hex')
      const idToken = await sign(newSubject(), { nonce: hashed })
      expect((await enter(idToken, { nonce: one })).status).to.equal(200)
    })

    it('are valid once, also for concurrent requests', async () => {
      const one = nonce()
      const subject = newSubject()
      const tokens = await Promise.all([1, 2, 3, 4].map(() => sign(subject, { nonce: one })))
      const answers = await Promise.all(tokens.map((token) => enter(token, { nonce: one })))
      expect(answers.map(({ status }) => status)).to.have.members([200, 401, 401, 401])
    })
  })

  it('answers 503 while the provider does not respond', async () => {
    const other = await startTokenIssuer()
    const alone = await serveUsers('id-tokens-alone', { providers: [providerOf(other)] })
    try {
      const idToken = await other.sign(claimsOf('someone'), alone.now())
      other.setReachable(false)
      const send = (): Promise<Answer> => alone.send('POST', '/api/auth/acme/token', { idToken })
      expect((await send()).status).to.equal(503)
      other.setReachable(true)
      expect((await send()).status).to.equal(200)
    } finally {
      await alone.close()
      await other.close()
    }
  })

  it('asks the provider for no key for tokens that it cannot have signed', async () => {
    await enter(await sign(newSubject()))
    const reads = issuer.reads()
    for (const idToken of ['x', 'a.b.c', new UnsecuredJWT(claimsOf('x')).encode()]) {
      await refused(idToken)
    }
    expect(issuer.reads()).to.equal(reads)
  })

  describe('linked identities', () => {
    const link = (jwt: string, idToken: string): Promise<Answer> =>
      server.send('POST', '/api/auth/acme/link', { idToken }, jwt)
    const identities = async (jwt: string): Promise<Json[]> =>
      (await server.send('GET', '/api/auth/identities', undefined, jwt)).body.data

    it('sign in the user that linked them', async () => {
      const { jwt, user } = await server.register('linda')
      const subject = newSubject()
      expect((await link(jwt, await sign(subject))).status).to.equal(200)
      expect((await link(jwt, await sign(subject))).status).to.equal(200)
      expect((await enter(await sign(subject))).body.user.documentId).to.equal(user.documentId)
      const [identity, ...others] = await identities(jwt)
      expect([identity.provider, others.length]).to.deep.equal(['acme', 0])
      const path = `/api/auth/identities/${identity.id}`
      const stranger = await server.register('stranger')
      expect((await server.send('DELETE', path, undefined, stranger.jwt)).status).to.equal(404)
      expect((await server.send('DELETE', path, undefined, jwt)).status).to.equal(204)
      expect(await identities(jwt)).to.deep.equal([])
    })

    it('belong to one user', async () => {
      const subject = newSubject()
      await enter(await sign(subject))
      const { jwt } = await server.register('other-linda')
      const { status, headers } = await link(jwt, await sign(subject))
      expect([status, headers.get('Error-Code')]).to.deep.equal([409, 'identity_in_use'])
    })

    it('need a signed-in user', async () => {
      const { status } = await server.send('POST', '/api/auth/acme/link', { idToken: 'x' })
      expect(status).to.be.oneOf([401, 403])
    })

    it('keep the last way to sign in', async () => {
      const { body } = await enter(await sign(newSubject()))
      const [{ id }] = (await identities(body.jwt)) as [Json]
      const gone = await server.send('DELETE', `/api/auth/identities/${id}`, undefined, body.jwt)
      expect(gone.status).to.equal(400)
    })

    it('keep the last way to sign in if both are removed at the same time', async () => {
      const { body } = await enter(await sign(newSubject()))
      expect((await link(body.jwt, await sign(newSubject()))).status).to.equal(200)
      const removals = (await identities(body.jwt)).map(({ id }) =>
        server.send('DELETE', `/api/auth/identities/${id}`, undefined, body.jwt),
      )
      const statuses = (await Promise.all(removals)).map(({ status }) => status)
      expect(statuses.toSorted((one, other) => one - other)).to.deep.equal([204, 400])
      expect(await identities(body.jwt)).to.have.length(1)
    })

    it('are at most 100, all of them in the list', async () => {
      const { jwt } = await server.register('collector')
      const subjects = Array.from({ length: 104 }, newSubject)
      const tokens = await Promise.all(subjects.map((subject) => sign(subject)))
      for (const token of tokens.slice(0, 98)) {
        expect((await link(jwt, token)).status).to.equal(200)
      }
      const last = await Promise.all(tokens.slice(98).map((token) => link(jwt, token)))
      expect(last.filter(({ status }) => status === 200)).to.have.length(2)
      expect(last.filter(({ status }) => status === 400)).to.have.length(4)
      const [known = ''] = tokens
      expect((await link(jwt, known)).status).to.equal(200)
      expect(await identities(jwt)).to.have.length(100)
    })

    it('leave with a deleted user', async () => {
      const subject = newSubject()
      const { body } = await enter(await sign(subject))
      const { documentId } = body.user
      const rows = server.database.collection('quire_identities')
      expect(await rows.countDocuments({ user: documentId })).to.equal(1)
      await removeUser(server.accounts, { documentId })
      expect(await rows.countDocuments({ user: documentId })).to.equal(0)
      const again = await enter(await sign(subject))
      expect(again.body.user.documentId).not.to.equal(documentId)
    })
  })
})

describe('accounts with the address of an identity', () => {
  let issuer: TokenIssuer

  before(async () => {
    issuer = await startTokenIssuer()
  })
  after(() => issuer.close())

  const serve = (label: string, options: object): Promise<UsersServer> =>
    serveUsers(label, { providers: [providerOf(issuer)], ...options })
  const enterAs = async (
    server: UsersServer,
    email: string,
    isVerified: unknown,
    sub = `of ${email}`,
  ): Promise<Answer> => {
    const claims = { sub, aud: CLIENT, email, email_verified: isVerified }
    const idToken = await issuer.sign(claims, server.now())
    return server.send('POST', '/api/auth/acme/token', { idToken })
  }

  it('are not signed in without the setting', async () => {
    const server = await serve('identity-taken', {})
    try {
      await server.register('ann')
      const { status, headers } = await enterAs(server, 'ann@example.org', true)
      expect([status, headers.get('Error-Code')]).to.deep.equal([409, 'email_in_use'])
    } finally {
      await server.close()
    }
  })

  it('are linked if both sides have confirmed the address', async () => {
    const server = await serve('identity-linked', { emailConfirmation: true, linkByEmail: true })
    try {
      const { user, password } = await server.register('ann')
      const [mail] = await server.takeMails()
      const code = /The code is (\w+)/.exec(mail?.text ?? '')?.[1]
      await server.send('GET', `/api/auth/email-confirmation?confirmation=${code}`)
      expect((await enterAs(server, 'ANN@example.org', false)).status).to.equal(409)
      const { status, body } = await enterAs(server, 'ANN@example.org', 'true')
      expect([status, body.user?.documentId]).to.deep.equal([200, user.documentId])
      const given = { identifier: 'ann', password }
      expect((await server.send('POST', '/api/auth/local', given)).status).to.equal(200)
    } finally {
      await server.close()
    }
  })

  it('lose their password if they never confirmed the address', async () => {
    const server = await serve('identity-yields', { emailConfirmation: true })
    try {
      const { user, password } = await server.register('ann')
      const [mail] = await server.takeMails()
      const { status, body } = await enterAs(server, 'ann@example.org', true)
      expect([status, body.user?.documentId]).to.deep.equal([200, user.documentId])
      expect(body.user.confirmed).to.equal(true)
      const given = { identifier: 'ann', password }
      expect((await server.send('POST', '/api/auth/local', given)).status).to.equal(400)
      const code = /The code is (\w+)/.exec(mail?.text ?? '')?.[1]
      const late = await server.send('GET', `/api/auth/email-confirmation?confirmation=${code}`)
      expect(late.status).to.equal(400)
    } finally {
      await server.close()
    }
  })

  /** Each way in which the owner of the address `ann@example.org` proves it. */
  const proofs: Readonly<Record<string, (server: UsersServer) => Promise<Answer>>> = {
    'an identity with the verified address': (server) => enterAs(server, 'ann@example.org', true),
    'a code to sign in': async (server) => {
      await server.send('POST', '/api/auth/code', { email: 'ann@example.org' })
      const code = await codeOfMail(server, /code to sign in is (\d{6})/)
      return server.send('POST', '/api/auth/code/verify', { email: 'ann@example.org', code })
    },
    'a new password': async (server) => {
      await server.send('POST', '/api/auth/forgot-password', { email: 'ann@example.org' })
      const code = await codeOfMail(server, /The code is (\w+)/)
      const password = 'a new password of ann'
      const given = { code, password, passwordConfirmation: password }
      return server.send('POST', '/api/auth/reset-password', given)
    },
  }
  for (const [index, [name, prove]] of Object.entries(proofs).entries()) {
    it(`lose identities with an unverified address when the owner proves it by ${name}`, async () => {
      const server = await serve(`identity-stranger-${index}`, { emailConfirmation: true })
      try {
        const enterAsStranger = (): Promise<Answer> =>
          enterAs(server, 'ann@example.org', false, 'stranger')
        expect((await enterAsStranger()).status).to.equal(400)
        await server.takeMails()
        const owner = await prove(server)
        expect(owner.status, JSON.stringify(owner.body)).to.equal(200)
        const { status, headers } = await enterAsStranger()
        expect([status, headers.get('Error-Code')]).to.deep.equal([409, 'email_in_use'])
        const me = await server.send('GET', '/api/users/me', undefined, owner.body.jwt)
        expect([me.status, me.body.email]).to.deep.equal([200, 'ann@example.org'])
      } finally {
        await server.close()
      }
    })
  }

  it('need a confirmation if the provider has not verified the address', async () => {
    const server = await serve('identity-unverified', { emailConfirmation: true })
    try {
      const { status, headers } = await enterAs(server, 'new@example.org', false)
      expect([status, headers.get('Error-Code')]).to.deep.equal([400, 'email_not_confirmed'])
      const [mail] = await server.takeMails()
      expect(mail?.to).to.equal('new@example.org')
    } finally {
      await server.close()
    }
  })
})

async function codeOfMail(server: UsersServer, pattern: RegExp): Promise<string> {
  const [mail] = await server.takeMails()
  return pattern.exec(mail?.text ?? '')?.[1] ?? ''
}

function providerOf({ issuer }: TokenIssuer) {
  return {
    name: 'acme',
    issuer,
    clientIds: [CLIENT, 'web.example'] as const,
    clientSecret: null,
    scope: 'openid email profile',
    redirects: [],
  }
}
