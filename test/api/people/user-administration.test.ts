import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const USER = 'plugin::users-permissions.user'
const PASSWORD = 'secret of all'
const VERBS = ['find', 'findOne', 'create', 'update', 'destroy'].map((verb) => `${USER}.${verb}`)

const toUser = (onUserDelete: string) => ({
  type: 'relation',
  relation: 'manyToOne',
  target: USER,
  onUserDelete,
})

const CONTENT_TYPES = {
  note: declare('note', { text: { type: 'string' }, owner: toUser('delete') }),
  remark: declare('remark', { text: { type: 'string' }, author: toUser('anonymize') }),
}

const SHOWN = [
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
  'role',
]

const failureOf = ({ status, headers }: Answer): unknown => [status, headers['error-code']]
const namesIn = ({ body }: Answer): readonly string[] =>
  body.data.map(({ username }: Json) => username)

describe('users of apps in the management', () => {
  let mail: MailServer
  let server: TestServer
  let boss: AdminClient

  before(async () => {
    mail = await startMailServer()
    server = await serve('user_administration', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', SMTP_URL: mail.url, UP_JWT_MANAGEMENT: 'refresh' },
    })
    await addAdministrator(server, 'Boss', ['administrator'])
    boss = await signIn(server, 'boss@example.org')
  })
  after(async () => {
    await server.close()
    await mail.close()
  })

  const account = (name: string) => ({ username: name, email: `${name}@example.org` })
  const create = async (name: string, more: object = {}): Promise<Json> => {
    const body = { ...account(name), password: PASSWORD, ...more }
    const answer = await boss.send('POST', '/admin/users', body)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const addUserRole = async (type: string, permissions: readonly string[] = []): Promise<void> => {
    const body = { name: `Role ${type}`, type, permissions }
    const answer = await server.send('POST', '/admin/roles', { body })
    expect(answer.status, answer.text).to.equal(201)
  }
  const pathOf = ({ documentId }: Json): string => `/admin/users/${documentId}`
  const logIn = (identifier: string, password = PASSWORD): Promise<Answer> =>
    server.send('POST', '/api/auth/local', { body: { identifier, password }, token: null })
  const list = (query: string): Promise<Answer> => boss.send('GET', `/admin/users?${query}`)
  const codeTo = async (address: string, known: number): Promise<string> => {
    const mailsTo = () => mail.mails.filter(({ to }) => to.includes(address))
    await until(() => Promise.resolve(mailsTo().length > known), 10_000)
    const text =
      mailsTo()
        .at(-1)
        ?.text.replaceAll(/=\r?\n/g, '') ?? ''
    return /The code is (\w{128})/.exec(text)?.[1] ?? ''
  }

  it('creates, shows, changes and deletes a user, without secrets in any response', async () => {
    const created = await boss.send('POST', '/admin/users', {
      ...account('ada'),
      password: PASSWORD,
    })
    expect(created.status, created.text).to.equal(201)
    expect(created.body.meta).to.deep.equal({ mailed: false })
    const { data: ada } = created.body
    expect(ada).to.include({ ...account('ada'), confirmed: false, blocked: false })
    expect(ada.role).to.include({ name: 'Authenticated', type: 'authenticated' })
    await boss.send('POST', `${pathOf(ada)}/reset`)
    const shown = await boss.send('GET', pathOf(ada))
    const changed = await boss.send('PUT', pathOf(ada), { email: 'ADA@example.com' })
    expect(changed.body.data.email).to.equal('ada@example.com')
    const found = await list('search=ada')
    const removed = await boss.send('DELETE', pathOf(ada))
    for (const { status, text } of [shown, changed, found, removed]) {
      expect(status, text).to.equal(200)
    }
    for (const user of [
      ada,
      shown.body.data,
      changed.body.data,
      found.body.data[0],
      removed.body.data,
    ]) {
      expect(user).to.have.all.keys(SHOWN)
    }
    expect((await boss.send('GET', pathOf(ada))).status).to.equal(404)
    expect((await logIn('ada')).status).to.equal(400)
  })

  it('searches names and addresses, filters by state and role, and pages the newest first', async () => {
    await addUserRole('readers')
    await create('list-one', { confirmed: true })
    await create('list-two', { blocked: true })
    await create('list-three', { role: 'readers', email: 'other@example.com' })
    expect(namesIn(await list('search=LIST-'))).to.deep.equal([
      'list-three',
      'list-two',
      'list-one',
    ])
    expect(namesIn(await list('search=other@example'))).to.deep.equal(['list-three'])
    expect(namesIn(await list('search=list-&blocked=true'))).to.deep.equal(['list-two'])
    expect(namesIn(await list('search=list-&blocked=false&confirmed=false'))).to.deep.equal([
      'list-three',
    ])
    expect(namesIn(await list('role=readers'))).to.deep.equal(['list-three'])
    expect(namesIn(await list('search=list-&confirmed=true'))).to.deep.equal(['list-one'])
    const page = await list('search=list-&pagination[page]=2&pagination[pageSize]=2')
    expect(namesIn(page)).to.deep.equal(['list-one'])
    expect(page.body.meta.pagination).to.deep.equal({
      page: 2,
      pageSize: 2,
      pageCount: 2,
      total: 3,
    })
    expect(namesIn(await list('search=.*'))).to.deep.equal([])
  })

  it('refuses unknown parameters, members and roles, and taken names', async () => {
    for (const query of [
      'filters[password][$contains]=a',
      'pagination[pageSize]=101',
      'blocked=maybe',
      'search=%00',
    ]) {
      expect((await list(query)).status, query).to.equal(400)
    }
    const max = await create('max')
    for (const body of [{ tokensFrom: 0 }, { provider: 'x' }, { resetPasswordToken: 'x' }]) {
      expect(failureOf(await boss.send('PUT', pathOf(max), body))).to.deep.equal([
        400,
        'invalid_key',
      ])
    }
    for (const role of ['public', 'nothing', { toString: 1 }, null, 1]) {
      const { status, body } = await boss.send('PUT', pathOf(max), { role })
      expect([status, body.error.details?.errors[0].path]).to.deep.equal([400, ['role']])
    }
    const taken = { ...account('max2'), email: 'max@example.org', password: PASSWORD }
    expect(failureOf(await boss.send('POST', '/admin/users', taken))).to.deep.equal([
      400,
      'account_taken',
    ])
    expect((await boss.send('PUT', '/admin/users/nothing', {})).status).to.equal(404)
  })

  it('ends the sessions of a user that is blocked', async () => {
    const eve = await create('eve')
    const { jwt, refreshToken } = (await logIn('eve')).body
    const headers = { authorization: `Bearer ${jwt}` }
    const me = () => server.send('GET', '/api/users/me', { token: null, headers })
    await server.send('PUT', '/admin/roles/authenticated', {
      body: { permissions: [`${USER}.me`, 'plugin::users-permissions.auth.changePassword'] },
    })
    expect((await me()).status).to.equal(200)
    const blocked = await boss.send('PUT', pathOf(eve), { blocked: true })
    expect(blocked.body.data.blocked).to.equal(true)
    expect((await me()).status).to.equal(401)
    const unblocked = await boss.send('PUT', pathOf(eve), { blocked: false })
    expect(unblocked.body.data.blocked).to.equal(false)
    const refresh = { body: { refreshToken }, token: null }
    expect((await server.send('POST', '/api/auth/refresh', refresh)).status).to.equal(401)
    expect((await me()).status).to.equal(401)
    expect((await logIn('eve')).status).to.equal(200)
  })

  it('mails a code to choose a password, once', async () => {
    const tom = await create('tom')
    const { body } = await boss.send('POST', `${pathOf(tom)}/reset`)
    expect(body).to.deep.equal({ data: { mailed: true } })
    const code = await codeTo('tom@example.org', 0)
    const password = 'chosen by the code'
    const reset = { code, password, passwordConfirmation: password }
    const choose = () =>
      server.send('POST', '/api/auth/reset-password', { body: reset, token: null })
    expect((await choose()).status).to.equal(200)
    expect(failureOf(await choose())).to.deep.equal([400, 'invalid_reset_code'])
    expect((await logIn('tom', password)).status).to.equal(200)
    await boss.send('PUT', pathOf(tom), { blocked: true })
    const refused = await boss.send('POST', `${pathOf(tom)}/reset`)
    expect(failureOf(refused)).to.deep.equal([400, 'account_blocked'])
    expect((await boss.send('POST', '/admin/users/nothing/reset')).status).to.equal(404)
  })

  it('invalidates the codes in the mailbox of a former address', async () => {
    const ina = await create('ina')
    await boss.send('POST', `${pathOf(ina)}/reset`)
    const code = await codeTo('ina@example.org', 0)
    const reset = { code, password: PASSWORD, passwordConfirmation: PASSWORD }
    const choose = () =>
      server.send('POST', '/api/auth/reset-password', { body: reset, token: null })
    await boss.send('PUT', pathOf(ina), { email: 'ina@example.com' })
    expect(failureOf(await choose())).to.deep.equal([400, 'invalid_reset_code'])
    await boss.send('POST', `${pathOf(ina)}/reset`)
    reset.code = await codeTo('ina@example.com', 0)
    const same = await boss.send('PUT', pathOf(ina), { email: 'INA@example.com', confirmed: true })
    expect(same.status, same.text).to.equal(200)
    expect((await choose()).status).to.equal(200)
  })

  it('invites a user without a password, and reports a mail that was not sent', async () => {
    const invited = await boss.send('POST', '/admin/users', account('una'))
    expect([invited.status, invited.body.meta]).to.deep.equal([201, { mailed: true }])
    const code = await codeTo('una@example.org', 0)
    const reset = { code, password: PASSWORD, passwordConfirmation: PASSWORD }
    const chosen = await server.send('POST', '/api/auth/reset-password', {
      body: reset,
      token: null,
    })
    expect(chosen.status, chosen.text).to.equal(200)
    mail.refuse(1)
    const unlucky = await boss.send('POST', '/admin/users', account('uri'))
    expect([unlucky.status, unlucky.body.meta]).to.deep.equal([201, { mailed: false }])
    mail.refuse(0)
    const again = await boss.send('POST', `${pathOf(unlucky.body.data)}/reset`)
    expect(again.body.data).to.deep.equal({ mailed: true })
  })

  it('lists the content of users, and deletes it with its user', async () => {
    const kim = await create('kim')
    const { meta } = (await boss.send('GET', pathOf(kim))).body
    expect(meta.content).to.have.deep.members([
      { uid: 'api::note.note', attribute: 'owner', onUserDelete: 'delete' },
      { uid: 'api::remark.remark', attribute: 'author', onUserDelete: 'anonymize' },
    ])
    const note = await server.post('/api/notes', { text: 'a', owner: kim.documentId })
    const remark = await server.post('/api/remarks', { text: 'b', author: kim.documentId })
    expect((await boss.send('DELETE', pathOf(kim))).status).to.equal(200)
    const statusOf = async (path: string): Promise<number> => (await server.get(path)).status
    await until(
      async () => (await statusOf(`/api/notes/${note.body.data.documentId}`)) === 404,
      20_000,
    )
    expect(await statusOf(`/api/remarks/${remark.body.data.documentId}`)).to.equal(200)
  })

  it('names the administrator and the user in the audit', async () => {
    const sue = await create('sue')
    const answer = await boss.send('PUT', pathOf(sue), { confirmed: true })
    await server.settled()
    const id = String(answer.headers['x-request-id'])
    const { data } = (await boss.send('GET', `/admin/audit?names=true&requestId=${id}`)).body
    expect(data).to.have.length(1)
    expect(data[0].by).to.include({ kind: 'administrator', name: 'Boss' })
    expect(data[0].items[0]).to.include({ type: USER, documentId: sue.documentId, name: 'sue' })
  })

  it('gives nobody the permissions of a user by a new password or role', async () => {
    await addRole(server, 'support', VERBS)
    await addAdministrator(server, 'Sam', ['support'])
    const sam = await signIn(server, 'sam@example.org')
    await addUserRole('writers', ['api::note.note.create'])
    const writer = await create('writer', { role: 'writers' })
    const reader = await create('reader')
    expect(namesIn(await sam.send('GET', '/admin/users?role=writers'))).to.deep.equal(['writer'])
    const attempts = [
      await sam.send('PUT', pathOf(writer), { password: 'taken over' }),
      await sam.send('PUT', pathOf(writer), { email: 'sam@example.com' }),
      await sam.send('PUT', pathOf(reader), { role: 'writers' }),
      await sam.send('POST', '/admin/users', {
        ...account('new'),
        password: PASSWORD,
        role: 'writers',
      }),
      await sam.send('DELETE', pathOf(writer)),
    ]
    for (const attempt of attempts) expect(failureOf(attempt)).to.deep.equal([403, 'forbidden'])
    expect((await sam.send('PUT', pathOf(reader), { blocked: true })).status).to.equal(200)
    expect((await sam.send('POST', `${pathOf(writer)}/reset`)).status).to.equal(200)
  })

  it('requires a password, and mails nothing, without a mail server', async () => {
    const silent = await serve('user_administration_silent', {
      contentTypes: {},
      environment: { RATE_LIMIT: 'off' },
    })
    try {
      const missing = await silent.send('POST', '/admin/users', { body: account('lea') })
      expect(missing.body.error.details.errors[0].path).to.deep.equal(['password'])
      const body = { ...account('lea'), password: PASSWORD }
      const { documentId } = (await silent.send('POST', '/admin/users', { body })).body.data
      const reset = await silent.send('POST', `/admin/users/${documentId}/reset`)
      expect(failureOf(reset)).to.deep.equal([400, 'mail_not_configured'])
    } finally {
      await silent.close()
    }
  })
})
