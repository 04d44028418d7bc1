import { expect } from 'chai'
import { declare, serve, type TestServer } from './server.ts'

const ACTIONS = ['callback', 'register', 'forgotPassword', 'sendEmailConfirmation'].map(
  (verb) => `plugin::users-permissions.auth.${verb}`,
)

describe('limits of attempts, behind a proxy', () => {
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

  /** How many attempts of `count` are let through; a minute that ends meanwhile begins the count anew. */
  const letThrough = async (count: number, send: (index: number) => ReturnType<typeof attempt>) => {
    const minute = (): number => Math.floor(Date.now() / 60_000)
    for (;;) {
      const began = minute()
      const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
      if (minute() === began) return answers.filter(({ status }) => status !== 429).length
    }
  }

  for (const path of ['/api/auth/forgot-password', '/api/auth/send-email-confirmation']) {
    it(`${path} counts mails by their address, whatever else the body says`, async () => {
      const through = await letThrough(40, (index) =>
        attempt(path, { email: 'Victim@example.org', identifier: `random ${index}` }),
      )
      expect(through).to.be.at.most(30)
    })
  }

  it('counts sign-in by name and by address of one user as one', async () => {
    const through = await letThrough(40, (index) =>
      attempt('/api/auth/local', {
        identifier: index % 2 === 0 ? 'victim' : 'victim@example.org',
        email: `random-${index}@example.org`,
        password: 'wrong',
      }),
    )
    expect(through).to.be.at.most(30)
  })

  for (const [what, address] of [
    ['IPv4', (port: number) => `203.0.113.7:${port}`],
    ['IPv6', (port: number) => `[2001:db8::7]:${port}`],
  ] as const) {
    it(`takes all ports of one ${what} address for one client`, async () => {
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
