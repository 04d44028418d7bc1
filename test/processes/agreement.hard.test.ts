import { expect } from 'chai'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { declare, type Json } from '../support/server.ts'
import { agree, ask, type Processes, startProcesses } from './processes.ts'

const TYPES = {
  note: declare(
    'note',
    { text: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { localized: true },
  ),
}

describe('a group of four processes', () => {
  let processes: Processes

  before(async () => {
    processes = await startProcesses('agree', TYPES)
  })
  after(async () => {
    await processes.close()
  })

  const serverAt = (index: number): ServerProcess => {
    const server = processes.servers[index]
    if (server === undefined) throw new Error(`there is no process ${index}`)
    return server
  }
  /** Sends a request through one process, which must succeed. */
  const through = async (index: number, method: string, target: string, body?: object) => {
    const answer = await ask(serverAt(index), method, target, { body })
    expect(answer.status, `${method} ${target}: ${JSON.stringify(answer.body)}`).to.be.oneOf([
      200, 201, 204,
    ])
    return answer.body?.data
  }
  const all = (what: string, holds: (server: ServerProcess) => Promise<boolean>): Promise<void> =>
    agree(processes.servers, what, holds)
  const answers =
    (status: number, target: string, token: string | null) =>
    async (server: ServerProcess): Promise<boolean> =>
      (await ask(server, 'GET', target, { token })).status === status

  it('agrees on the permissions of the public role', async () => {
    const { permissions: others } = await through(0, 'GET', '/admin/roles/public')
    const permit = (index: number, granted: readonly string[]) =>
      through(index, 'PUT', '/admin/roles/public', { permissions: [...others, ...granted] })
    for (const index of [0, 3]) {
      await all('nothing is permitted', answers(403, '/api/notes', null))
      await permit(index, ['api::note.note.find'])
      await all('a permission that was granted', answers(200, '/api/notes', null))
      await permit((index + 1) % 4, [])
      await all('a permission that was revoked', answers(403, '/api/notes', null))
    }
  })

  it('agrees on API tokens', async () => {
    const made = await through(1, 'POST', '/admin/api-tokens', { name: 'app', type: 'read-only' })
    await all('a token', answers(200, '/api/notes', made.accessKey))
    const path = `/admin/api-tokens/${made.id}`
    const renewed = await through(2, 'POST', `${path}/regenerate`)
    await all('the key before', answers(401, '/api/notes', made.accessKey))
    await all('the key after', answers(200, '/api/notes', renewed.accessKey))
    await through(3, 'DELETE', path)
    await all('a token that was revoked', answers(401, '/api/notes', renewed.accessKey))
  })

  it('agrees on locales, and on content in a locale that another process has added', async () => {
    await through(0, 'POST', '/admin/locales', { code: 'fr' })
    const knows = (code: string) => async (server: ServerProcess) => {
      const { body } = await ask(server, 'GET', '/api/i18n/locales')
      return body.some((locale: Json) => locale.code === code)
    }
    await all('a locale', knows('fr'))
    const note = await through(1, 'POST', '/api/notes', { data: { text: 'one' } })
    const path = `/api/notes/${note.documentId}`
    await through(2, 'PUT', `${path}?locale=fr`, { data: { text: 'un' } })
    for (const server of processes.servers) {
      const { body } = await ask(server, 'GET', `${path}?locale=fr`)
      expect(body.data.text).to.equal('un')
    }
    await through(3, 'DELETE', '/admin/locales/fr')
    await all('a locale that is gone', async (server) => !(await knows('fr')(server)))
    await all('what is written in it', answers(404, `${path}?locale=fr`, ROOT_TOKEN))
    await through(0, 'POST', '/admin/locales', { code: 'fr' })
    await all('a locale that is back', knows('fr'))
    await all('what was written in it', answers(200, `${path}?locale=fr`, ROOT_TOKEN))
  })

  it('agrees on the default locale', async () => {
    await through(2, 'POST', '/admin/locales', { code: 'de', isDefault: true })
    const isDefault = (code: string) => async (server: ServerProcess) => {
      const { body } = await ask(server, 'GET', '/api/i18n/locales')
      return body.some((locale: Json) => locale.code === code && locale.isDefault)
    }
    await all('the default locale', isDefault('de'))
    const note = await through(0, 'POST', '/api/notes', { data: { text: 'eins' } })
    for (const server of processes.servers) {
      const { body } = await ask(server, 'GET', `/api/notes/${note.documentId}`)
      expect(body.data.locale).to.equal('de')
    }
    await through(1, 'PUT', '/admin/locales/en', { isDefault: true })
    await all('the default locale', isDefault('en'))
  })

  it('agrees on end users, and blocks them everywhere', async () => {
    const register = await ask(serverAt(0), 'POST', '/api/auth/local/register', {
      body: { username: 'ann', email: 'ann@example.org', password: 'secret of ann' },
      token: null,
    })
    expect(register.status, JSON.stringify(register.body)).to.equal(200)
    const { jwt, user } = register.body
    for (const server of processes.servers) {
      expect(await answers(200, '/api/users/me', jwt)(server)).to.equal(true)
    }
    await through(3, 'PUT', `/api/users/${user.id}`, { blocked: true })
    for (const server of processes.servers) {
      expect(await answers(401, '/api/users/me', jwt)(server)).to.equal(true)
    }
    await through(1, 'PUT', `/api/users/${user.id}`, { blocked: false })
    for (const server of processes.servers) {
      const body = { identifier: 'ann', password: 'secret of ann' }
      const login = await ask(server, 'POST', '/api/auth/local', { body, token: null })
      expect(login.status).to.equal(200)
    }
  })
})
