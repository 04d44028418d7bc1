import { expect } from 'chai'
import { type Answer, ROOT_TOKEN, serveUsers, type UsersServer } from './users-server.ts'

const LOGIN = '/api/auth/local'

describe('e-mail confirmation', () => {
  let server: UsersServer

  before(async () => {
    const lifespans = { accessSeconds: 60, idleSeconds: 600, maxSeconds: 600 }
    server = await serveUsers('confirmation', { emailConfirmation: true, lifespans })
  })
  after(() => server.close())

  const post = (path: string, body: object): Promise<Answer> => server.send('POST', path, body)
  const registered = async (name: string): Promise<Answer> =>
    post('/api/auth/local/register', {
      username: name,
      email: `${name}@example.org`,
      password: `secret of ${name}`,
    })
  const logIn = (name: string, password = `secret of ${name}`): Promise<Answer> =>
    post(LOGIN, { identifier: name, password })
  const codeOfMail = async (): Promise<string> => {
    const [mail] = await server.takeMails()
    const code = /[?&](?:confirmation|code)=([0-9a-f]{128})/.exec(mail?.text ?? '')
    return code?.[1] ?? 'no mail'
  }
  const messageOf = ({ status, body }: Answer): unknown => [
    status,
    body.error.name,
    body.error.message,
  ]
  const UNCONFIRMED = [400, 'ApplicationError', 'Your account email is not confirmed']

  it('registers without a sign-in until the mailed code is confirmed', async () => {
    const { status, body } = await registered('ann')
    expect([status, Object.keys(body)]).to.deep.equal([200, ['user']])
    expect(body.user).to.include({ username: 'ann', confirmed: false })
    const code = await codeOfMail()
    expect(messageOf(await logIn('ann'))).to.deep.equal(UNCONFIRMED)
    const confirm = (text: string): Promise<Answer> =>
      server.send('GET', `/api/auth/email-confirmation?confirmation=${text}`)
    expect((await confirm(code)).status).to.equal(204)
    expect(messageOf(await confirm(code))).to.deep.equal([400, 'ValidationError', 'Invalid token'])
    const login = await logIn('ann')
    expect([login.status, Object.keys(login.body)]).to.deep.equal([
      200,
      ['jwt', 'refreshToken', 'user'],
    ])
  })

  it('does not reveal an unconfirmed account to a caller without its password', async () => {
    await registered('bob')
    const wrong = await logIn('bob', 'wrong')
    expect(wrong.body).to.deep.equal((await logIn('nobody', 'wrong')).body)
  })

  it('sends a new mail and invalidates the earlier code', async () => {
    await server.takeMails()
    await registered('cid')
    const first = await codeOfMail()
    const path = '/api/auth/send-email-confirmation'
    expect((await post(path, { email: 'CID@example.org' })).body).to.deep.equal({
      email: 'cid@example.org',
      sent: true,
    })
    const second = await codeOfMail()
    const statuses = []
    for (const code of [first, second]) {
      const answer = await server.send('GET', `/api/auth/email-confirmation?confirmation=${code}`)
      statuses.push(answer.status)
    }
    expect(statuses).to.deep.equal([400, 204])
    expect((await post(path, { email: 'nobody@example.org' })).body).to.deep.equal({
      email: 'nobody@example.org',
      sent: true,
    })
    expect(await server.takeMails()).to.deep.equal([])
  })

  it('confirms the address when a password is reset by mail', async () => {
    await registered('dan')
    await server.takeMails()
    await post('/api/auth/forgot-password', { email: 'dan@example.org' })
    const code = await codeOfMail()
    const reset = { code, password: 'found again', passwordConfirmation: 'found again' }
    const { status, body } = await post('/api/auth/reset-password', reset)
    expect([status, body.user?.confirmed]).to.deep.equal([200, true])
    expect((await logIn('dan', 'found again')).status).to.equal(200)
  })

  it('does not confirm a new address by the code in the mailbox of the former one', async () => {
    const { body } = await registered('dora')
    const code = await codeOfMail()
    const path = `/api/users/${body.user.id}`
    await server.send('PUT', path, { email: 'dora@example.com' }, ROOT_TOKEN)
    const late = await server.send('GET', `/api/auth/email-confirmation?confirmation=${code}`)
    expect(messageOf(late)).to.deep.equal([400, 'ValidationError', 'Invalid token'])
    expect(messageOf(await logIn('dora'))).to.deep.equal(UNCONFIRMED)
  })

  it('keeps a blocked user out after a password reset', async () => {
    const { body } = await registered('eve')
    const path = `/api/users/${body.user.id}`
    await server.send('PUT', path, { confirmed: true }, ROOT_TOKEN)
    await server.takeMails()
    await post('/api/auth/forgot-password', { email: 'eve@example.org' })
    const code = await codeOfMail()
    await server.send('PUT', path, { blocked: true }, ROOT_TOKEN)
    const reset = { code, password: 'found again', passwordConfirmation: 'found again' }
    const BLOCKED = [400, 'ApplicationError', 'Your account has been blocked by an administrator']
    expect(messageOf(await post('/api/auth/reset-password', reset))).to.deep.equal(BLOCKED)
    expect(messageOf(await logIn('eve'))).to.deep.equal(BLOCKED)
    await post('/api/auth/forgot-password', { email: 'eve@example.org' })
    expect(await server.takeMails()).to.deep.equal([])
  })

  it('ends the session of a user that is no longer confirmed', async () => {
    const { body } = await registered('fay')
    const path = `/api/users/${body.user.id}`
    await server.send('PUT', path, { confirmed: true }, ROOT_TOKEN)
    const { refreshToken } = (await logIn('fay')).body
    await server.send('PUT', path, { confirmed: false }, ROOT_TOKEN)
    expect((await post('/api/auth/refresh', { refreshToken })).status).to.equal(401)
  })
})
