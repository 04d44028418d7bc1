import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { Device, permitPushes, pushed } from '../../support/push-world.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

/**
 * Latin-1, an overlong slash, half of a character, a surrogate, a value above the last code point,
 * and a byte order mark of UTF-16.
 */
const BROKEN: readonly (readonly [string, readonly number[]])[] = [
  ['Latin-1', [0x63, 0x61, 0x66, 0xe9]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['the first half of a character', [0xe2, 0x82]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a value above the last code point', [0xf4, 0x90, 0x80, 0x80]],
  ['a byte order mark of UTF-16', [0xff, 0xfe]],
]

/** Routes that read one line at a time, a file, or no body. */
const OTHERWISE: ReadonlySet<string> = new Set([
  'post /api/_bulk',
  'post /api/_push',
  'post /admin/session/passkey/options',
  'post /admin/content/:uid/translations/compare',
  'post /api/upload/resumable',
  'patch /api/upload/resumable/:id',
  'post /admin/files/resumable',
  'patch /admin/files/resumable/:id',
])

describe('texts that are not UTF-8', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('texts', {
      editableTypes: true,
      contentTypes: {
        article: pushed(declare('article', { title: { type: 'string' } }), {
          draftAndPublish: true,
        }),
        homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
      },
      environment: { RATE_LIMIT: 'off', LOG_LEVEL: 'silent', METRICS_TOKEN: 'of-the-test' },
      permitted: ['api::article.article.create'],
    })
    await addAdministrator(server, 'Ada', ['administrator'])
    editor = await signIn(server, 'ada@example.org')
  })
  after(() => server.close())

  const quoted = (bytes: readonly number[]): Buffer =>
    Buffer.concat([Buffer.from('{"data":{"title":"'), Buffer.from(bytes), Buffer.from('"}}')])

  const isRefused = ({ status, text }: Answer): boolean => status === 400 && /UTF-8/.test(text)

  it('refuses them on every route that reads JSON', async () => {
    const own = { cookie: editor.cookie, 'sec-fetch-site': 'same-origin' }
    const body = quoted(BROKEN[0]?.[1] ?? [])
    const open: string[] = []
    for (const route of server.routes.filter(takesBody)) {
      const target = concrete(route.path)
      const sent = route.method.toUpperCase()
      const answers = [
        await server.send(sent, target, { body }),
        await server.send(sent, target, { body, token: null, headers: own }),
      ]
      if (!answers.some(isRefused)) {
        open.push(`${route.method} ${route.path}: ${answers.map(({ status }) => status).join()}`)
      }
    }
    expect(open).to.deep.equal([])
  })

  it('refuses them in the lines of a push', async () => {
    await permitPushes(server, ['api::article.article.push'])
    const device = await Device.of(server, 'anna')
    const head = JSON.stringify(device.head())
    const { token } = device.member
    for (const [label, bytes] of BROKEN) {
      const body = Buffer.concat([Buffer.from(`${head}\n`), quoted(bytes)])
      const headers = { 'content-type': 'application/x-ndjson' }
      const answer = await server.send('POST', '/api/_push', { body, headers, token })
      expect(answer.status, label).to.equal(400)
      expect(answer.body.error.message, label).to.match(/^2: .*utf-8/)
    }
  })

  for (const [label, bytes] of BROKEN) {
    it(`refuses ${label}, compressed or not`, async () => {
      const body = quoted(bytes)
      for (const [sent, headers] of [
        [body, {}],
        [gzipSync(body), { 'content-encoding': 'gzip' }],
      ] as const) {
        const answer = await server.send('POST', '/api/articles', { body: sent, headers })
        expect([answer.status, answer.body], answer.text).to.deep.equal([
          400,
          {
            data: null,
            error: { status: 400, name: 'SyntaxError', message: 'The body is not UTF-8' },
          },
        ])
      }
    })
  }

  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [label, body] of [
    ['in raw bytes', Buffer.concat([Buffer.from('data[title]=caf'), Buffer.from([0xe9])])],
    ['percent-encoded', 'data[title]=caf%E9'],
    ['in the name of a field', 'data[title]=x&data[caf%E9]=y'],
  ] as const) {
    it(`refuses a form with Latin-1 ${label}`, async () => {
      const answer = await server.send('POST', '/api/articles', { body, headers: form })
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.error.message).to.equal('The body is not UTF-8')
    })
  }

  for (const [label, name] of [
    ['in fileInfo', 'fileInfo'],
    ['in another field', 'anything'],
  ] as const) {
    it(`refuses an upload with Latin-1 ${label}, and stores no file`, async () => {
      const info = Buffer.concat([Buffer.from('{"caption":"caf'), Buffer.from([0xe9, 0x22, 0x7d])])
      const body = multipart({
        fields: { [name]: 'HERE' },
        files: [{ name: 'a.txt', content: 'text' }],
      })
      const at = body.indexOf('HERE')
      const sent = Buffer.concat([body.subarray(0, at), info, body.subarray(at + 4)])
      const answer = await server.send('POST', '/api/upload', { body: sent, headers: MULTIPART })
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.error.message).to.equal(`The upload cannot be read: ${name} is not UTF-8`)
      expect(await server.count('files')).to.equal(0)
    })
  }

  it('accepts valid UTF-8, with a byte order mark and compressed', async () => {
    const title = 'Ünïcode 😀 100%'
    const mark = Buffer.from([0xef, 0xbb, 0xbf])
    const json = Buffer.from(JSON.stringify({ data: { title } }))
    for (const [body, headers] of [
      [json, {}],
      [Buffer.concat([mark, json]), {}],
      [gzipSync(json), { 'content-encoding': 'gzip' }],
      [`data[title]=${encodeURIComponent(title)}`, form],
      [`data[title]=${title.replaceAll(' ', '+')}`, form],
    ] as const) {
      const answer = await server.send('POST', '/api/articles', { body, headers })
      expect([answer.status, answer.body.data?.title], answer.text).to.deep.equal([201, title])
    }
  })

  const HALF = 'half \ud83d of one'
  for (const [path, body] of [
    ['/admin/roles', { type: 'half', name: HALF }],
    ['/admin/roles', { type: 'half', name: 'Half', description: HALF }],
    ['/admin/administrator-roles', { type: 'half', name: HALF, permissions: [] }],
    ['/admin/administrators', { name: HALF, email: 'h@example.org', roles: ['editor'] }],
    ['/admin/api-tokens', { name: HALF, type: 'full-access' }],
    ['/admin/locales', { code: 'de', name: HALF }],
    ['/admin/webhooks', { name: HALF, url: 'https://example.org/', events: ['entry.create'] }],
    ['/admin/releases', { data: { name: HALF } }],
    ['/admin/folders', { name: HALF }],
    ['/admin/session', { email: 'ada@example.org', password: HALF }],
    ['/api/users-permissions/roles', { name: HALF, description: '' }],
    ['/api/auth/local', { identifier: 'ada', password: HALF }],
    ['/api/auth/local/register', { username: HALF, email: 'h@example.org', password: 'long 1' }],
    ['/api/auth/local/register', { username: 'half', email: 'h@example.org', password: HALF }],
    ['/api/users', { username: HALF, email: 'h@example.org', password: 'long 1', role: 1 }],
    ['/api/articles', { data: { title: HALF } }],
  ] as const) {
    it(`refuses half of a surrogate pair at ${path}: ${Object.keys(body).join()}`, async () => {
      const headers = { 'sec-fetch-site': 'same-origin' }
      const isOwn = path.startsWith('/admin/') && !path.endsWith('session')
      const answer = isOwn
        ? await editor.send('POST', path, body)
        : await server.send('POST', path, { body, headers })
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.error.message).to.match(/must not contain half of a surrogate pair$/)
    })
  }
})

function takesBody({ method, path }: DeclaredRoute): boolean {
  return method !== 'get' && method !== 'delete' && !OTHERWISE.has(`${method} ${path}`)
}

/** The path with parameter values that match no row, except for the content-type. */
function concrete(path: string): string {
  return path
    .replaceAll(/\{\*\w+\}/g, 'nothing')
    .replaceAll(/:(\w+)/g, (_, name: string) => PARAMETERS[name] ?? 'nothing')
}

const PARAMETERS: Readonly<Record<string, string>> = {
  uid: 'api::article.article',
  action: 'publish',
}
