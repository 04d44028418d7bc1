import { expect } from 'chai'
import { addAdministrator, type AdminClient, PASSWORD, signIn } from '../../support/admin-client.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const OWN = { 'sec-fetch-site': 'same-origin' }
const NEW_PASSWORD = 'chosen by the mailed link'

describe('forgotten passwords of administrators', () => {
  let mail: MailServer
  let server: TestServer
  /** Addresses without any mail. */
  const addresses: string[] = []
  let former: { readonly email: string; readonly known: number }
  let mary: { readonly id: string; readonly email: string }
  before(async () => {
    mail = await startMailServer()
    server = await serve('forgotten_passwords', {
      contentTypes: {},
      environment: { RATE_LIMIT: 'off', SMTP_URL: mail.url },
    })
    await addAdministrator(server, 'Boss', ['administrator'])
    mary = await addAdministrator(server, 'Mary', ['author'])
  })
  after(async () => {
    await server.close()
    await mail.close()
    // The server has finished its work after responses, so that no further mail can come.
    for (const address of addresses) expect(mailsTo(address)).to.deep.equal([])
    expect(mailsTo(former.email).length).to.equal(former.known)
  })

  const forgot = (email: unknown, headers: Readonly<Record<string, string>> = OWN) =>
    server.send('POST', '/admin/forgot-password', { token: null, body: { email }, headers })
  const choose = (token: string, password = NEW_PASSWORD): Promise<Answer> => {
    const body = { token, password }
    return server.send('POST', '/admin/reset-password', { token: null, body, headers: OWN })
  }
  const mailsTo = (email: string): readonly string[] =>
    mail.mails
      .filter(({ to }) => to.includes(email))
      .map(({ text }) => text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '='))
  const nextTokenTo = async (email: string): Promise<string> => {
    const before = mailsTo(email).length
    expect((await forgot(email.toUpperCase())).status).to.equal(204)
    await until(() => Promise.resolve(mailsTo(email).length > before), 10_000)
    return (
      /\/studio\/choose-password#token=([\w-]{43})/.exec(mailsTo(email).at(-1) ?? '')?.[1] ?? ''
    )
  }

  it('mails a link that sets a password once, and ends the open sessions', async () => {
    const session: AdminClient = await signIn(server, mary.email)
    const token = await nextTokenTo(mary.email)
    const answer = await choose(token)
    expect(answer.status, answer.text).to.equal(200)
    expect((await choose(token)).headers['error-code']).to.equal('invalid_link')
    expect((await session.send('GET', '/admin/session')).status).to.equal(401)
    await signIn(server, mary.email, NEW_PASSWORD)
  })

  it('responds alike to unknown addresses and to accounts without a password, and mails nothing', async () => {
    const body = { name: 'Guest', email: 'guest@example.org', roles: ['author'] }
    await server.send('POST', '/admin/administrators', { body })
    const answers = [
      await forgot(mary.email),
      await forgot('nobody@example.org'),
      await forgot('guest@example.org'),
    ]
    const shown = answers.map(({ status, text, headers }) => {
      const { date: _date, 'x-request-id': _id, 'server-timing': timing = '', ...rest } = headers
      return { status, text, timing: String(timing).replaceAll(/dur=[\d.]+/g, ''), headers: rest }
    })
    expect(shown[1]).to.deep.equal(shown[0])
    expect(shown[2]).to.deep.equal(shown[0])
    addresses.push('nobody@example.org', 'guest@example.org')
  })

  it('sends nothing to the former address of an account', async () => {
    const lena = await addAdministrator(server, 'Lena', ['author'])
    const token = await nextTokenTo(lena.email)
    const change = await server.send('PUT', `/admin/administrators/${lena.id}`, {
      body: { email: 'lena@example.com' },
    })
    expect(change.status, change.text).to.equal(200)
    expect((await choose(token)).headers['error-code']).to.equal('invalid_link')
    const known = mailsTo(lena.email).length
    await forgot(lena.email)
    await nextTokenTo('lena@example.com')
    expect(mailsTo(lena.email).length).to.equal(known)
    former = { email: lena.email, known }
  })

  it('records in the audit that a link was made', async () => {
    const rows = async (): Promise<readonly Json[]> =>
      (await server.get('/admin/audit?pagination[pageSize]=500')).body.data
    const answer = await forgot(mary.email)
    const id = answer.headers['x-request-id']
    await until(async () => (await rows()).some((row) => row.requestId === id), 10_000)
  })

  it('reports a mail that could not be sent in the log only', async () => {
    server.takeLog()
    mail.refuse(10)
    expect((await forgot(mary.email)).status).to.equal(204)
    const lines: Json[] = []
    await until(() => {
      lines.push(...server.takeLog())
      return Promise.resolve(lines.some(({ msg }) => msg === 'A background task failed'))
    }, 20_000)
    mail.refuse(0)
    expect(JSON.stringify(lines)).to.not.include('token=')
  })

  it('refuses requests of other sites, and invalid bodies with their path', async () => {
    const foreign = await forgot(mary.email, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).to.equal(403)
    for (const email of [undefined, 3, 'a'.repeat(256), { $ne: null }]) {
      const { status, body } = await forgot(email)
      expect([status, body.error.details.errors[0].path]).to.deep.equal([400, ['email']])
    }
  })

  it('limits the requests of an address and for an account', async () => {
    const limited = await serve('forgotten_limits', {
      contentTypes: {},
      environment: { SMTP_URL: mail.url },
    })
    try {
      const ask = (email: string) =>
        limited.send('POST', '/admin/forgot-password', {
          token: null,
          body: { email },
          headers: OWN,
        })
      const statuses: number[] = []
      // The limit grows again while a slow machine sends the requests.
      while (statuses.at(-1) !== 429 && statuses.length < 200) {
        statuses.push((await ask(`nobody${statuses.length}@example.org`)).status)
      }
      expect(statuses.length).to.be.above(10)
      expect(statuses).to.deep.equal([...statuses.slice(0, -1).map(() => 204), 429])
    } finally {
      await limited.close()
    }
  })

  it('says that there are no mails without a mail server', async () => {
    const silent = await serve('forgotten_silent', {
      contentTypes: {},
      environment: { RATE_LIMIT: 'off' },
    })
    try {
      const { email } = await addAdministrator(silent, 'Ann', ['author'])
      const path = '/admin/forgot-password'
      for (const one of [email, 'nobody@example.org']) {
        const sent = { token: null, body: { email: one }, headers: OWN }
        const { status, headers } = await silent.send('POST', path, sent)
        expect([status, headers['error-code']]).to.deep.equal([400, 'mail_not_configured'])
      }
      const start = async (of: TestServer) => (await of.get('/admin/start', { token: null })).body
      expect((await start(silent)).data.mail).to.equal(false)
      expect((await start(server)).data.mail).to.equal(true)
      await signIn(silent, email, PASSWORD)
    } finally {
      await silent.close()
    }
  })
})
