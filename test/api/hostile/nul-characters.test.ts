import { expect } from 'chai'
import { addAdministrator, signIn } from '../../support/admin-client.ts'
import { Device, permitPushes, pushed } from '../../support/push-world.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const CONTENT_TYPES = {
  note: pushed(
    declare('note', { title: { type: 'string' }, data: { type: 'json' } }, { localized: true }),
  ),
}
const NUL = 'a\0b'
/** Lines of a push, each with a NUL in one member. */
const PUSHED_LINES: readonly object[] = [
  { client: NUL },
  { log: NUL },
  { type: NUL },
  { documentId: NUL },
  { documentId: `${'a'.repeat(23)}\0` },
  { locale: NUL },
  { base: NUL },
  { [NUL]: 1 },
  { patch: { title: { set: NUL } }, seen: { title: null } },
  { patch: { title: { set: 'b' } }, seen: { title: NUL } },
  { patch: { title: { set: 'b' } }, seen: { title: { sha256: NUL } } },
  { patch: { data: { set: [{ [NUL]: NUL }] } }, seen: { data: { [NUL]: 1 } } },
  { patch: { [NUL]: { set: 1 } }, seen: { [NUL]: 1 } },
  { patch: { title: { [NUL]: 1 } }, seen: { title: null } },
  { patch: { title: { connect: [{ documentId: NUL }] } }, seen: { title: null } },
  { patch: { title: { remove: [NUL] } }, seen: { title: null } },
]
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

  it('never responds with 500 to a NUL in a line of a push', async () => {
    await permitPushes(
      server,
      ['findOne', 'create', 'update', 'delete', 'push'].map((verb) => `api::note.note.${verb}`),
    )
    const device = await Device.of(server, 'ada')
    const documentId = await device.create('note', { title: 'a' })
    for (const members of PUSHED_LINES) {
      const isHead = 'client' in members || 'log' in members
      const n = device.last + 1
      const base = 'unknown'
      const update = { n, op: 'update', type: 'note', documentId, base, patch: {}, seen: {} }
      const lines = isHead
        ? [device.head(members), update]
        : [device.head(), { ...update, ...members }]
      const { status, text } = await device.send(lines)
      expect(status, text).to.be.oneOf([200, 400, 409])
      expect(text).not.to.include('"outcome":"retry"').and.not.include('internal_error')
      if (status === 200) await device.push() // reads the number of the last mutation
    }
  })
})
