import { expect } from 'chai'
import { addAdministrator, signIn } from '../../support/admin-client.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const CONTENT_TYPES = {
  note: declare('note', { title: { type: 'string' }, data: { type: 'json' } }, { localized: true }),
}
/** Query parameters of all routes. */
const NAMES = [
  'search',
  'folder',
  'sort',
  'q',
  '_q',
  'locale',
  'filters[title][$contains]',
  'from',
  'uid',
  'deletion',
  'token',
  'confirmation',
]
const SAFE: ReadonlySet<string> = new Set(['get'])
/** Routes that respond with a stream or wait for changes. */
const WAITING = /live|_sync|events|presence/

describe('NUL characters in requests', () => {
  let server: TestServer
  before(async () => {
    server = await serve('nul', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
    })
  })
  after(() => server.close())

  const pathsOf = (method: 'safe' | 'writing'): readonly (readonly [string, string])[] =>
    server.routes
      .filter((route) => SAFE.has(route.method) === (method === 'safe'))
      .filter((route) => !WAITING.test(route.path))
      .map((route) => [route.method, route.path.replaceAll('{*provider}', 'x')])
  const expectAnswered = async (
    method: string,
    target: string,
    sent: Parameters<TestServer['send']>[2] = {},
  ): Promise<void> => {
    const { status, text } = await server.send(method, target, sent)
    const what = `${method} ${target} ${JSON.stringify(sent)} ${text}`
    expect(status, what).to.be.below(500)
  }
  const withParameter = (path: string, value: string): string =>
    path.replaceAll(':uid', 'api::note.note').replaceAll(/:\w+/g, value)

  it('refuses a search for files by name', async () => {
    const { status, headers } = await server.get('/admin/files?search=%00')
    expect([status, headers['error-code']]).to.deep.equal([400, 'invalid_query'])
  })

  it('never responds with 500 to a NUL in a query', async () => {
    for (const [method, path] of pathsOf('safe')) {
      const target = withParameter(path, '1')
      await Promise.all(
        NAMES.map((name) => expectAnswered(method, `${target}?${encodeURI(name)}=a%00b`)),
      )
      await expectAnswered(method, `${target}?a%00b=1&filters[a%00b]=1&populate[a%00b]=*`)
    }
  })

  it('never responds with 500 to a NUL in a path', async () => {
    for (const [method, path] of [...pathsOf('safe'), ...pathsOf('writing')]) {
      const body = SAFE.has(method) || method === 'delete' ? {} : { body: {} }
      await expectAnswered(method, withParameter(path, 'a%00b'), body)
    }
  })

  it('never responds with 500 to a NUL in a body', async () => {
    const values = ['a\0b', [{ b: { 'a\0b': 'x' } }]]
    const keys = [
      'name',
      'title',
      'data',
      'value',
      'email',
      'identifier',
      'password',
      'description',
    ]
    for (const [method, path] of pathsOf('writing').filter(([one]) => one !== 'delete')) {
      const target = withParameter(path, '1')
      for (const value of values) {
        const flat = Object.fromEntries(keys.map((key) => [key, value]))
        for (const body of [{ value }, flat, { data: flat }, { 'a\0b': value }]) {
          await expectAnswered(method, target, { body })
        }
      }
    }
    const { email } = await addAdministrator(server, 'Ada', ['administrator'])
    const ada = await signIn(server, email)
    const path = '/admin/me/preferences/density'
    for (const value of values) {
      const { status, text } = await ada.send('PUT', path, { value })
      expect(status, text).to.be.below(500)
    }
  })
})
