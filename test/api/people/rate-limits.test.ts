import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const ACTIONS = ['callback', 'register', 'forgotPassword', 'sendEmailConfirmation'].map(
  (verb) => `plugin::users-permissions.auth.${verb}`,
)

describe('limits of attempts behind a proxy', () => {
  let server: TestServer
  let addresses = 0
  before(async () => {
    server = await serve('rate_limits', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      environment: { TRUST_PROXY: '1', LOG_LEVEL: 'silent' },
      permitted: ACTIONS,
    })
    const body = { username: 'victim', email: 'victim@example.org', password: 'correct horse' }
    expect((await attempt('/api/auth/local/register', body)).status).to.equal(200)
  })
  after(() => server.close())

  const attempt = (path: string, body: object, address = `198.51.100.${(addresses += 1)}`) =>
    server.send('POST', path, { body, token: null, headers: { 'x-forwarded-for': address } })

  /** The number of accepted attempts of `count`. The count restarts if a minute ends in between. */
  const letThrough = async (count: number, send: (index: number) => ReturnType<typeof attempt>) => {
    const minute = (): number => Math.floor(Date.now() / 60_000)
    for (;;) {
      const began = minute()
      const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
      if (minute() === began) return answers.filter(({ status }) => status !== 429).length
    }
  }

  for (const path of ['/api/auth/forgot-password', '/api/auth/send-email-confirmation']) {
    it(`counts mails of ${path} by their address, ignoring the rest of the body`, async () => {
      const through = await letThrough(40, (index) =>
        attempt(path, { email: 'Victim@example.org', identifier: `random ${index}` }),
      )
      expect(through).to.be.at.most(30)
    })
  }

  it('counts sign-ins by name and by email of one user together', async () => {
    const through = await letThrough(40, (index) =>
      attempt('/api/auth/local', {
        identifier: index % 2 === 0 ? 'victim' : 'victim@example.org',
        email: `random-${index}@example.org`,
        password: 'wrong',
      }),
    )
    expect(through).to.be.at.most(30)
  })

  it('accepts sign-ins from a known device during attempts from other devices', async () => {
    const sender = (): string => `192.0.2.${(addresses += 1) % 250}`
    const signIn = (password: string, cookie = '', identifier = 'owner') =>
      server.send('POST', '/api/auth/local', {
        body: { identifier, password },
        token: null,
        headers: { 'x-forwarded-for': sender(), ...(cookie !== '' && { cookie }) },
      })
    const deviceOf = async (username: string): Promise<string> => {
      const body = { username, email: `${username}@example.org`, password: 'correct horse' }
      const { headers } = await attempt('/api/auth/local/register', body)
      const set = (headers['set-cookie'] ?? []).find((one) => one.startsWith('quire_user_device'))
      expect(set).to.match(/; Path=\/api\/auth; .*; HttpOnly; SameSite=Lax$/)
      return set?.split(';')[0] ?? ''
    }
    const [own, others] = [await deviceOf('owner'), await deviceOf('eve')]
    const lockOut = async (): Promise<void> => {
      for (let tries = 0; tries < 100; tries += 1) {
        if ((await signIn('wrong')).status === 429) return
      }
      throw new Error('attempts on one account are not counted')
    }
    // The minute of the limit may end between two requests, so lock the account again.
    const expectLockedOut = async (cookie: string): Promise<void> => {
      const statuses: number[] = []
      while (!statuses.includes(429) && statuses.length < 4) {
        await lockOut()
        statuses.push((await signIn('correct horse', cookie)).status)
      }
      expect(statuses, cookie).to.include(429)
    }
    await lockOut()
    expect((await signIn('correct horse', own)).status, 'the known device').to.equal(200)
    expect((await signIn('correct horse', own, 'OWNER@example.org')).status).to.equal(200)
    const changed = own.slice(0, -1) + (own.endsWith('0') ? '1' : '0')
    for (const cookie of [others, changed, 'quire_user_device=x']) await expectLockedOut(cookie)
    const guesses: number[] = []
    while (!guesses.includes(429) && guesses.length < 25) {
      guesses.push((await signIn('wrong', own)).status)
    }
    expect(guesses, 'guesses of the known device').to.include(429)
  })

  for (const [label, address] of [
    ['IPv4', (port: number) => `203.0.113.7:${port}`],
    ['IPv6', (port: number) => `[2001:db8::7]:${port}`],
  ] as const) {
    it(`counts all ports of one ${label} address as one client`, async () => {
      const through = await letThrough(15, (index) =>
        attempt(
          '/api/auth/local',
          { identifier: `nobody ${index}`, password: 'wrong' },
          address(1024 + index),
        ),
      )
      expect(through).to.be.at.most(10)
    })
  }
})
