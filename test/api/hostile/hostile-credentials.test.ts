import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { SignJWT, UnsecuredJWT } from 'jose'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const SECRET = 'secret-of-the-test'
const PASSWORD = 'secret of the target'
const LONG = 'x'.repeat(900_000)

/** Values in place of a string. */
const NO_TEXTS: readonly unknown[] = [
  { $ne: null },
  { $gt: '' },
  { $regex: '.*' },
  { $where: 'sleep(1000)' },
  { $in: ['target', 'target@example.org', PASSWORD] },
  { $expr: { $eq: [1, 1] } },
  ['target'],
  [[]],
  {},
  true,
  7,
  null,
]

describe('hostile credentials', () => {
  let server: TestServer
  let jwt: string
  let user: Json

  before(async () => {
    server = await serve('hostile_credentials', {
      contentTypes: { note: declare('note', { text: { type: 'string' } }) },
      environment: {
        RATE_LIMIT: 'off',
        JWT_SECRET: SECRET,
        UP_JWT_MANAGEMENT: 'refresh',
        ANONYMOUS_USERS: 'on',
      },
    })
    const body = { username: 'target', email: 'target@example.org', password: PASSWORD }
    const answer = await post('/api/auth/local/register', body)
    expect(answer.status, answer.text).to.equal(200)
    ;({ jwt, user } = answer.body)
  })
  after(() => server.close())

  const post = (path: string, body: unknown, token: string | null = null): Promise<Answer> =>
    server.send('POST', path, { body, token })
  const me = (token: string | null, query = ''): Promise<Answer> =>
    server.get(`/api/users/me${query}`, { token })

  /** The body of every credentials route. The tests replace one value at a time. */
  const BODIES: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['/api/auth/local', { identifier: 'target', password: PASSWORD }],
    ['/api/auth/local/register', { username: 'other', email: 'o@example.org', password: PASSWORD }],
    ['/api/auth/forgot-password', { email: 'target@example.org' }],
    ['/api/auth/send-email-confirmation', { email: 'target@example.org' }],
    [
      '/api/auth/reset-password',
      { code: 'c'.repeat(128), password: PASSWORD, passwordConfirmation: PASSWORD },
    ],
    [
      '/api/auth/change-password',
      { currentPassword: PASSWORD, password: 'another one', passwordConfirmation: 'another one' },
    ],
    ['/api/auth/refresh', { refreshToken: 'x' }],
    ['/api/auth/anonymous', { deviceId: 'phone' }],
  ]
  for (const [path, good] of BODIES) {
    for (const key of Object.keys(good)) {
      it(`responds with 400 at ${path} if ${key} is not a string`, async () => {
        const token = path.endsWith('change-password') ? jwt : null
        for (const value of NO_TEXTS) {
          const answer = await post(path, { ...good, [key]: value }, token)
          expect(answer.status, JSON.stringify(value)).to.equal(400)
          expect(answer.body.error.name, JSON.stringify(value)).to.equal('ValidationError')
        }
      })
    }
  }

  it('responds with 400 to forms with operators and to invalid confirmations', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const form of [
      'identifier[$ne]=x&password[$ne]=x',
      'identifier=target&password[$gt]=',
      `identifier[]=target&password[]=${encodeURIComponent(PASSWORD)}`,
      `identifier[__proto__]=target&password=x`,
    ]) {
      const sent = { headers, body: form, token: null }
      expect((await server.send('POST', '/api/auth/local', sent)).status, form).to.equal(400)
    }
    for (const query of [
      '',
      '?confirmation',
      '?confirmation=',
      '?confirmation[$ne]=x',
      '?confirmation[]=x',
      '?confirmation[$exists]=false',
      '?confirmation=null',
      `?confirmation=${'0'.repeat(128)}`,
    ]) {
      const answer = await server.get(`/api/auth/email-confirmation${query}`, { token: null })
      expect(answer.status, query).to.equal(400)
    }
  })

  it('takes no value from a prototype', async () => {
    const inner = `"identifier":"target","password":"${PASSWORD}"`
    for (const body of [
      `{"__proto__":{${inner}}}`,
      `{"constructor":{"prototype":{${inner}}}}`,
      `{"identifier":"target","__proto__":{"password":"${PASSWORD}"}}`,
      `{"identifier":"toString","password":"${PASSWORD}"}`,
      `{"identifier":"__proto__","password":"${PASSWORD}"}`,
    ]) {
      expect((await post('/api/auth/local', body)).status, body).to.equal(400)
    }
    expect(({} as Record<string, unknown>)['password']).to.equal(undefined)
    const made = `{"username":"proto","email":"proto@example.org","password":"${PASSWORD}","__proto__":{"blocked":true,"role":1}}`
    expect((await post('/api/auth/local/register', made)).status).to.equal(400)
  })

  it('refuses huge values', async () => {
    const rows: readonly (readonly [string, object])[] = [
      ['/api/auth/local', { identifier: 'target', password: LONG }],
      ['/api/auth/local', { identifier: LONG, password: PASSWORD }],
      ['/api/auth/local/register', { username: 'a', email: 'a@example.org', password: LONG }],
      ['/api/auth/local/register', { username: LONG, email: 'a@example.org', password: PASSWORD }],
      ['/api/auth/refresh', { refreshToken: LONG }],
      ['/api/auth/reset-password', { code: LONG, password: 'abcdef', passwordConfirmation: 'a' }],
    ]
    for (const [path, body] of rows) {
      expect((await post(path, body)).status, path).to.be.oneOf([400, 401])
    }
    expect(
      (await post('/api/auth/local', `{"password":"${'x'.repeat(2_000_000)}"}`)).status,
    ).to.equal(413)
  })

  it('keeps responding during forty simultaneous attempts', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        post('/api/auth/local', { identifier: `nobody ${index}`, password: 'wrong' }),
      ),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].every((status) => status === 400 || status === 503)).to.equal(true)
    expect((await me(jwt)).status).to.equal(200)
  })

  describe('tokens', () => {
    const seconds = Math.floor(Date.now() / 1_000)
    const key = (text: string) => new TextEncoder().encode(text)
    const claimsOf = (token: string): Json =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = (payload: object, secret = SECRET, header: object = {}): Promise<string> =>
      new SignJWT({ ...payload })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
        .sign(key(secret))

    const refused = async (tokens: Readonly<Record<string, string>>): Promise<void> => {
      for (const [what, token] of Object.entries(tokens)) {
        const answer = await me(token)
        expect(answer.status, what).to.equal(401)
        expect(answer.body.error.name, what).to.equal('UnauthorizedError')
      }
    }

    it('accepts tokens that the server has signed', async () => {
      expect((await me(jwt)).status).to.equal(200)
      expect((await me(await signed(claimsOf(jwt)))).status).to.equal(200)
    })

    it('refuses tokens without a signature, or with another key or algorithm', async () => {
      const claims = claimsOf(jwt)
      const [header = '', payload = '', signature = ''] = jwt.split('.')
      const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const none = ['none', 'None', 'NONE', 'nOnE', ''].map((alg) => [
        `alg ${alg}`,
        `${encoded({ alg, typ: 'JWT' })}.${payload}.`,
      ])
      await refused({
        ...Object.fromEntries(none),
        'alg none with the signature': `${encoded({ alg: 'none' })}.${payload}.${signature}`,
        unsecured: new UnsecuredJWT(claims).encode(),
        'another key': await signed(claims, 'another secret'),
        'no key': await signed(claims, '\0'),
        RS256: await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey),
        'a public key as the secret': await signed(claims, publicPem),
        HS512: await new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS512' })
          .sign(key(SECRET.padEnd(64, '\0'))),
        'RS256 said, HS256 signed': `${encoded({ alg: 'RS256' })}.${payload}.${signature}`,
        'a key in the header': `${encoded({ alg: 'HS256', jwk: { kty: 'oct', k: encoded('a') } })}.${payload}.${signature}`,
        'a kid that is a path': await signed(claims, 'another secret', { kid: '/dev/null' }),
        'critical and unknown': `${encoded({ alg: 'HS256', crit: ['b64'], b64: false })}.${payload}.${signature}`,
        'no signature': `${header}.${payload}.`,
        'half of the signature': `${header}.${payload}.${signature.slice(0, 20)}`,
        'more than the signature': `${header}.${payload}.${signature}AA`,
        'another payload': `${header}.${encoded({ ...claims, id: 1e6 })}.${signature}`,
        'a payload that is no object': `${header}.${encoded('x')}.${signature}`,
        huge: `${header}.${payload}.${'A'.repeat(10_000)}`,
      })
    })

    it('refuses expired tokens and tokens with invalid claims', async () => {
      const { sid, ...claims } = claimsOf(jwt)
      const other = { ...claims, sid }
      await refused({
        expired: await signed({ ...other, iat: seconds - 100, exp: seconds - 1 }),
        'not yet good': await signed({ ...other, nbf: seconds + 1_000 }),
        'no exp': await signed({ id: user.id, sid, iat: seconds }),
        'no iat': await signed({ id: user.id, sid, exp: seconds + 1_000 }),
        'of no session': await signed(claims),
        'of another session': await signed({ ...claims, sid: '0'.repeat(32) }),
        'a session that is an operator': await signed({ ...claims, sid: { $ne: null } }),
        'an anonymous user that is an operator': await signed({ ...other, anon: { $ne: null } }),
        'an anonymous user without a documentId': await signed({ ...other, id: 1e6, anon: 'x' }),
        'an anonymous user in the session of another user': await signed({
          ...other,
          id: 1e6,
          anon: 'a'.repeat(24),
        }),
        'an id that is an operator': await signed({ ...other, id: { $gt: 0 } }),
        'an id that is text': await signed({ ...other, id: String(user.id) }),
        'of another user': await signed({ ...other, id: user.id + 1 }),
      })
    })

    it('refuses tokens of another server or issuer', async () => {
      const claims = claimsOf(jwt)
      await refused({
        foreign: await signed(claims, 'the secret of another server'),
        'of an issuer that shares the secret': await signed({
          ...claims,
          iss: 'https://a.example',
        }),
        'for an audience': await signed({ ...claims, aud: 'another service' }),
      })
    })

    it('reads tokens from the Authorization header only', async () => {
      for (const name of ['token', 'access_token', 'jwt', 'authorization', 'Authorization']) {
        const answer = await me(null, `?${name}=${jwt}`)
        expect(answer.status, name).to.equal(403)
      }
      for (const headers of [
        { cookie: `jwt=${jwt}; token=${jwt}; strapi_up_refresh=${jwt}` },
        { 'x-access-token': jwt },
        { 'proxy-authorization': `Bearer ${jwt}` },
        { authorization: jwt },
        { authorization: `Basic ${jwt}` },
      ] as readonly Record<string, string>[]) {
        const answer = await server.get('/api/users/me', { token: null, headers })
        expect(answer.status, Object.keys(headers)[0] ?? '').to.equal(403)
      }
    })
  })

  it('never exposes secrets in a response or in the log', async () => {
    const list = await server.get('/api/users?populate=*')
    expect(list.text).not.to.match(/argon2|tokensFrom|Token"/)
    await post('/api/auth/local', { identifier: 'target', password: 'a secret to look for' })
    expect(JSON.stringify(server.takeLog())).not.to.include('a secret to look for')
  })
})
