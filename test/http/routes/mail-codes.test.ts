import { expect } from 'chai'
import { type Answer, serveUsers, type UsersServer } from './users-server.ts'

describe('sign-in by a code in a mail', () => {
  let server: UsersServer

  before(async () => {
    server = await serveUsers('mail-codes')
  })
  after(() => server.close())

  const ask = async (email: string): Promise<string> => {
    const { status, body } = await server.send('POST', '/api/auth/code', { email })
    expect([status, body]).to.deep.equal([200, { ok: true }])
    const [mail, ...others] = await server.takeMails()
    expect([mail?.to, others.length]).to.deep.equal([email, 0])
    return /code to sign in is (\d{6})/.exec(mail?.text ?? '')?.[1] ?? ''
  }
  const verify = (email: string, code: unknown): Promise<Answer> =>
    server.send('POST', '/api/auth/code/verify', { email, code })
  const refused = ({ status, headers }: Answer): void => {
    expect([status, headers.get('Error-Code')]).to.deep.equal([400, 'invalid_sign_in_code'])
  }
  const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000')

  it('signs in a user once per code', async () => {
    const { user } = await server.register('ann')
    const code = await ask('ann@example.org')
    const { status, body } = await verify('ANN@example.org', ` ${code} `)
    expect([status, body.user?.documentId]).to.deep.equal([200, user.documentId])
    refused(await verify('ann@example.org', code))
  })

  it('creates a confirmed user without a password', async () => {
    const { status, body } = await verify('new@example.org', await ask('new@example.org'))
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body.user).to.include({ email: 'new@example.org', username: 'new', confirmed: true })
    const again = await verify('new@example.org', await ask('new@example.org'))
    expect(again.body.user.documentId).to.equal(body.user.documentId)
  })

  it('refuses a code after ten wrong attempts, concurrent and later codes included', async () => {
    await server.register('bea')
    const code = await ask('bea@example.org')
    const attempts = Array.from({ length: 10 }, () => verify('bea@example.org', wrongFor(code)))
    for (const answer of await Promise.all(attempts)) refused(answer)
    refused(await verify('bea@example.org', code))
    refused(await verify('bea@example.org', await ask('bea@example.org')))
    server.pass(10 * 60_000 + 1)
    expect((await verify('bea@example.org', await ask('bea@example.org'))).status).to.equal(200)
  })

  it('accepts the newest code for ten minutes', async () => {
    await server.register('cid')
    const first = await ask('cid@example.org')
    const second = await ask('cid@example.org')
    if (first !== second) refused(await verify('cid@example.org', first))
    server.pass(10 * 60_000 + 1)
    refused(await verify('cid@example.org', second))
  })

  it('refuses codes of other addresses and other types', async () => {
    await server.register('dan')
    const code = await ask('dan@example.org')
    refused(await verify('ann@example.org', code))
    for (const wrong of [Number(code), { $ne: '' }, [code], null, '']) {
      expect((await verify('dan@example.org', wrong)).status).to.equal(400)
    }
    expect((await verify('dan@example.org', code)).status).to.equal(200)
  })

  it('stores no code', async () => {
    const code = await ask('ann@example.org')
    const rows = await server.database.collection('quire_sign_in_codes').find().toArray()
    expect(JSON.stringify(rows)).not.to.include(`"${code}"`).and.not.to.include('ann@')
  })

  it('mails unknown addresses only where the caller may register', async () => {
    const closed = await serveUsers('mail-codes-closed')
    try {
      const [role] = (await closed.access.roles.list()).filter(({ type }) => type === 'public')
      const permissions = role?.permissions.filter((name) => !name.endsWith('.register')) ?? []
      await closed.access.roles.update('public', { permissions })
      const { body } = await closed.send('POST', '/api/auth/code', { email: 'x@example.org' })
      expect(body).to.deep.equal({ ok: true })
      expect(await closed.takeMails()).to.deep.equal([])
    } finally {
      await closed.close()
    }
  })
})
