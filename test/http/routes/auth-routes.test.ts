import { expect } from 'chai'
import { SignJWT, UnsecuredJWT } from 'jose'
import { findUser } from '../../../src/people/accounts/users.ts'
import { type Answer, ROOT_TOKEN, SECRET, serveUsers, type UsersServer } from './users-server.ts'

const LOGIN = '/api/auth/local'
const REGISTER = '/api/auth/local/register'
const DAY_MS = 24 * 60 * 60 * 1_000

describe('routes under /api/auth', () => {
  let server: UsersServer

  before(async () => {
    server = await serveUsers('auth')
  })
  after(() => server.close())

  const errorOf = ({ status, body }: Answer): unknown => [
    status,
    body.error.name,
    body.error.message,
  ]
  const me = async (jwt: string): Promise<number> =>
    (await server.send('GET', '/api/users/me', undefined, jwt)).status

  it('registers a user without returning the password', async () => {
    const { jwt, user } = await server.register('ann')
    expect(Object.keys(user)).to.deep.equal([
      'id',
      'documentId',
      'username',
      'email',
      'provider',
      'confirmed',
      'blocked',
      'createdAt',
      'updatedAt',
      'publishedAt',
    ])
    expect(user).to.include({ username: 'ann', email: 'ann@example.org', provider: 'local' })
    expect(user).to.include({ confirmed: true, blocked: false })
    expect(await me(jwt)).to.equal(200)
    const stored = await findUser(server.users, { username: 'ann' })
    expect(stored?.password).to.match(/^\$argon2id\$/)
  })

  it('accepts e-mail addresses in any case and stores them in lower case', async () => {
    const given = {
      username: 'Cased',
      email: 'Mixed.Case@Example.org',
      password: 'secret of cased',
    }
    const { body } = await server.send('POST', REGISTER, given)
    expect(body.user.email).to.equal('mixed.case@example.org')
    const login = (identifier: string) =>
      server.send('POST', LOGIN, { identifier, password: 'secret of cased' })
    expect((await login('MIXED.case@example.ORG')).status).to.equal(200)
    expect((await login('Cased')).status).to.equal(200)
    expect((await login('cased')).status).to.equal(400)
  })

  it('refuses taken names and addresses, including a name that is the address of another user', async () => {
    const password = 'secret of bea'
    await server.register('bea')
    for (const [username, email] of [
      ['bea', 'other@example.org'],
      ['other', 'BEA@example.org'],
      ['bea@example.org', 'other@example.org'],
      ['BEA@example.org', 'other@example.org'],
    ]) {
      const answer = await server.send('POST', REGISTER, { username, email, password })
      expect(errorOf(answer), username).to.deep.equal([
        400,
        'ApplicationError',
        'Email or Username are already taken',
      ])
    }
  })

  it('creates one account for concurrent registrations', async () => {
    const given = { username: 'once', email: 'once@example.org', password: 'secret of once' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.send('POST', REGISTER, given)),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    expect(answers.filter(({ status }) => status === 400)).to.have.length(7)
  })

  it('reports every fault of a body', async () => {
    const rows: readonly (readonly [string, unknown, string])[] = [
      [REGISTER, { foo: 1, bar: 2 }, 'Invalid parameters: foo, bar'],
      [REGISTER, {}, '3 errors occurred'],
      [REGISTER, [], '3 errors occurred'],
      [
        REGISTER,
        { username: 'x', email: 'x@example.org', password: 'secret' },
        'username must be at least 3 characters',
      ],
      [LOGIN, {}, '2 errors occurred'],
      [LOGIN, { identifier: null, password: 'x' }, 'identifier is a required field'],
      ['/api/auth/forgot-password', { email: 'bad' }, 'email must be a valid email'],
      ['/api/auth/reset-password', {}, '3 errors occurred'],
      [
        '/api/auth/reset-password',
        { code: 'x', password: 'secret', passwordConfirmation: 'other' },
        'Passwords do not match',
      ],
    ]
    for (const [path, body, message] of rows) {
      const answer = await server.send('POST', path, body)
      expect(errorOf(answer), path).to.deep.equal([400, 'ValidationError', message])
    }
  })

  it('refuses operators, arrays, prototypes and huge passwords as credentials', async () => {
    await server.register('target')
    const long = 'x'.repeat(900_000)
    const bodies = [
      { identifier: { $ne: null }, password: { $ne: null } },
      { identifier: 'target', password: { $gt: '' } },
      { identifier: ['target'], password: ['secret of target'] },
      { identifier: { $regex: '^t' }, password: 'secret of target' },
      '{"__proto__":{"identifier":"target","password":"secret of target"}}',
      '{"constructor":{"prototype":{"identifier":"target"}},"password":"secret of target"}',
      { identifier: 'target', password: long },
      { identifier: long, password: 'secret of target' },
      { identifier: 'target\u0000', password: 'secret of target' },
      { identifier: '/target/', password: 'secret of target' },
    ]
    for (const body of bodies) {
      const answer = await server.send('POST', LOGIN, body)
      expect(answer.status, JSON.stringify(body).slice(0, 80)).to.equal(400)
      expect(answer.body.error.name).to.be.oneOf(['ValidationError', 'SyntaxError'])
    }
    const given = { username: 'long', email: 'long@example.org' }
    for (const [password, status] of [
      ['é'.repeat(36), 200],
      ['é'.repeat(37), 400],
      ['y'.repeat(73), 400],
      [long, 400],
    ] as const) {
      const names = { username: `long${password.length}`, email: `l${password.length}@example.org` }
      const answer = await server.send('POST', REGISTER, { ...given, ...names, password })
      expect(answer.status, String(password.length)).to.equal(status)
    }
  })

  it('gives the same response for a wrong password and an unknown account', async () => {
    await server.register('known')
    const wrong = await server.send('POST', LOGIN, { identifier: 'known', password: 'wrong' })
    const none = await server.send('POST', LOGIN, { identifier: 'unknown', password: 'wrong' })
    expect(wrong.body).to.deep.equal(none.body)
    expect(errorOf(none)).to.deep.equal([400, 'ValidationError', 'Invalid identifier or password'])
  })

  it('accepts only its own valid tokens', async () => {
    const { jwt, user } = await server.register('tokens')
    const seconds = Math.floor(server.now().getTime() / 1_000)
    const claims = { id: user.id, iat: seconds, exp: seconds + 1_000 }
    const key = (text: string) => new TextEncoder().encode(text)
    const sign = (payload: object, secret = SECRET, alg = 'HS256') =>
      new SignJWT({ ...payload }).setProtectedHeader({ alg }).sign(key(secret))
    const [header = '', payload = '', signature = ''] = jwt.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).to.deep.equal({
      id: user.id,
      iat: seconds,
      exp: seconds + 30 * 24 * 60 * 60,
    })
    expect(await me(await sign(claims))).to.equal(200)
    const tampered = Buffer.from(JSON.stringify({ ...claims, id: 1 })).toString('base64url')
    const wrong = [
      new UnsecuredJWT(claims).encode(),
      await sign(claims, 'another secret'),
      await sign(
        claims,
        'another secret of sixty-four bytes or more, for the long digest.',
        'HS512',
      ),
      await sign(claims, SECRET.padEnd(64, '.'), 'HS512'),
      await sign({ ...claims, exp: seconds }),
      await sign({ ...claims, id: String(user.id) }),
      await sign({ ...claims, id: { $ne: 0 } }),
      await sign({ id: user.id, iat: seconds }),
      await sign({ id: user.id, exp: seconds + 1_000 }),
      `${header}.${tampered}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}x`,
      `${header}.${payload}.${'A'.repeat(10_000)}`,
      'a.b.c',
      '..',
    ]
    for (const token of wrong) {
      const answer = await server.send('GET', '/api/users/me', undefined, token)
      expect(errorOf(answer), token.slice(0, 60)).to.deep.equal([
        401,
        'UnauthorizedError',
        'Missing or invalid credentials',
      ])
    }
    const gone = await server.send(
      'GET',
      '/api/users/me',
      undefined,
      await sign({ ...claims, id: 99_999 }),
    )
    expect(errorOf(gone)).to.deep.equal([401, 'UnauthorizedError', 'Invalid credentials'])
  })

  it('ignores tokens in the query string', async () => {
    const { jwt } = await server.register('query')
    for (const name of ['token', 'access_token', 'jwt']) {
      expect((await server.send('GET', `/api/users/me?${name}=${jwt}`)).status).to.equal(403)
    }
  })

  it('expires tokens after 30 days', async () => {
    const { jwt } = await server.register('days')
    server.pass(30 * DAY_MS - 1_000)
    expect(await me(jwt)).to.equal(200)
    server.pass(1_000)
    expect(await me(jwt)).to.equal(401)
  })

  it('changes a password and revokes all earlier tokens, even of the same second', async () => {
    const { jwt, password } = await server.register('changing')
    const change = (currentPassword: string, next: string) => {
      const body = { currentPassword, password: next, passwordConfirmation: next }
      return server.send('POST', '/api/auth/change-password', body, jwt)
    }
    expect((await change('wrong', 'new secret')).body.error.message).to.equal(
      'The provided current password is invalid',
    )
    expect((await change(password, password)).body.error.message).to.match(/must be different/)
    expect((await change(password, 'new')).body.error.message).to.match(/at least 6 characters/)
    const changed = await change(password, 'new secret')
    expect(changed.status).to.equal(200)
    expect(await me(jwt)).to.equal(401)
    expect(await me(changed.body.jwt)).to.equal(200)
    const login = await server.send('POST', LOGIN, {
      identifier: 'changing',
      password: 'new secret',
    })
    expect(await me(login.body.jwt)).to.equal(200)
    expect(
      (await server.send('POST', LOGIN, { identifier: 'changing', password })).status,
    ).to.equal(400)
  })

  it('changes only passwords of end users', async () => {
    const body = { currentPassword: 'a', password: 'b', passwordConfirmation: 'b' }
    const change = (token: string | null) =>
      server.send('POST', '/api/auth/change-password', body, token)
    expect((await change(null)).status).to.equal(403)
    expect((await change(ROOT_TOKEN)).status).to.equal(401)
  })

  it('sends a reset code that works once and expires after an hour', async () => {
    const { jwt, password } = await server.register('lost')
    const forgot = (email: string) => server.send('POST', '/api/auth/forgot-password', { email })
    const codeOf = async (): Promise<string> => {
      const [mail, ...others] = await server.takeMails()
      expect(others).to.deep.equal([])
      expect(mail?.to).to.equal('lost@example.org')
      const code = /https:\/\/app\.example\.org\/reset\?lang=en&code=([0-9a-f]{128})\n/.exec(
        mail?.text ?? '',
      )
      return code?.[1] ?? ''
    }
    const reset = (code: string, next = 'found again') => {
      const body = { code, password: next, passwordConfirmation: next }
      return server.send('POST', '/api/auth/reset-password', body)
    }
    expect((await forgot('nobody@example.org')).body).to.deep.equal({ ok: true })
    expect(await server.takeMails()).to.deep.equal([])
    expect((await forgot('LOST@example.org')).body).to.deep.equal({ ok: true })
    const old = await codeOf()
    server.pass(60 * 60 * 1_000)
    const refused = [400, 'ValidationError', 'Incorrect code provided']
    expect(errorOf(await reset(old))).to.deep.equal(refused)
    await forgot('lost@example.org')
    const code = await codeOf()
    const stored = await findUser(server.users, { username: 'lost' })
    expect(JSON.stringify(stored)).not.to.include(code)
    expect(errorOf(await reset(stored?.resetPasswordToken ?? ''))).to.deep.equal(refused)
    expect((await reset(code, 'short')).body.error.message).to.match(/at least 6 characters/)
    const answers = await Promise.all([reset(code), reset(code), reset(code)])
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect(statuses).to.deep.equal([200, 400, 400])
    expect(errorOf(await reset(code))).to.deep.equal(refused)
    expect(await me(jwt)).to.equal(401)
    expect((await server.send('POST', LOGIN, { identifier: 'lost', password })).status).to.equal(
      400,
    )
    const again = { identifier: 'lost', password: 'found again' }
    expect((await server.send('POST', LOGIN, again)).status).to.equal(200)
  })

  it('confirms an address once by a mailed code', async () => {
    const { user } = await server.register('doubtful')
    const send = (email: string) =>
      server.send('POST', '/api/auth/send-email-confirmation', { email })
    expect(errorOf(await send('doubtful@example.org'))).to.deep.equal([
      400,
      'ApplicationError',
      'Already confirmed',
    ])
    await server.send('PUT', `/api/users/${user.id}`, { confirmed: false }, ROOT_TOKEN)
    expect((await send('doubtful@example.org')).body).to.deep.equal({
      email: 'doubtful@example.org',
      sent: true,
    })
    const [mail] = await server.takeMails()
    const code =
      /email-confirmation\?confirmation=([0-9a-f]{128})/.exec(mail?.text ?? '')?.[1] ?? ''
    const confirm = (text: string) =>
      server.send('GET', `/api/auth/email-confirmation?confirmation=${text}`)
    expect(errorOf(await confirm('nope'))).to.deep.equal([400, 'ValidationError', 'Invalid token'])
    expect((await confirm(code)).status).to.equal(204)
    expect((await confirm(code)).status).to.equal(400)
    expect((await findUser(server.users, { username: 'doubtful' }))?.confirmed).to.equal(true)
    const hostile = '/api/auth/email-confirmation?confirmation[$ne]=x'
    expect((await server.send('GET', hostile)).status).to.equal(400)
    expect((await server.send('GET', '/api/auth/email-confirmation')).status).to.equal(400)
  })

  it('revokes all tokens of a user on logout', async () => {
    await server.access.roles.grant('authenticated', ['plugin::users-permissions.auth.logout'])
    const { jwt } = await server.register('leaving')
    const answer = await server.send('POST', '/api/auth/logout', {}, jwt)
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }])
    expect(await me(jwt)).to.equal(401)
  })

  it('responds with 404 to refresh requests if refresh tokens are disabled', async () => {
    const { jwt } = await server.register('legacy')
    for (const token of [null, jwt, ROOT_TOKEN]) {
      expect((await server.send('POST', '/api/auth/refresh', {}, token)).status).to.equal(404)
    }
  })

  it('has no providers, pages or other paths', async () => {
    for (const path of [
      '/api/connect/google',
      '/api/connect/google/x',
      '/api/auth/google/callback',
    ]) {
      const answer = await server.send('GET', path)
      expect(errorOf(answer), path).to.deep.equal([
        400,
        'ApplicationError',
        'This provider is disabled',
      ])
    }
    for (const [method, path] of [
      ['GET', LOGIN],
      ['GET', REGISTER],
      ['POST', '/api/auth/local/nope'],
      ['POST', '/api/auth/refresh'],
    ] as const) {
      expect((await server.send(method, path)).status, path).to.equal(404)
    }
  })
})
