import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { png } from '../../media/sample-images.ts'
import { MongoClient } from 'mongodb'
import { until } from '../../support/until.ts'
import { TOTP } from 'otpauth'
import { addAdministrator, type AdminClient, PASSWORD, signIn } from '../../support/admin-client.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { Device, permitPushes, pushed, readPushed, setting } from '../../support/push-world.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const PAGE = new URL('../../../../docs/api.md', import.meta.url)
const NOTE = 'api::note.note'
const OWN = { 'sec-fetch-site': 'same-origin' }
const LATER = new Date(Date.now() + 86_400_000).toISOString()
const MUCH_LATER = new Date(Date.now() + 2 * 86_400_000).toISOString()

/**
 * Requests without an audit row: they change only the view of the caller, or no data at all. Other tests cover requests of a browser or a command.
 */
const WITHOUT_ROW: ReadonlySet<string> = new Set([
  'POST /admin/session/passkey/options',
  'POST /admin/session/passkey',
  'POST /admin/session/link',
  'POST /admin/forgot-password',
  'POST /admin/me/passkeys/options',
  'POST /admin/me/totp',
  'POST /admin/me/passkeys',
  'PUT /admin/me/passkeys/:id',
  'DELETE /admin/me/passkeys/:id',
  'PUT /admin/me/preferences/:key',
  'POST /admin/views/:uid',
  'PUT /admin/views/:uid/:id',
  'DELETE /admin/views/:uid/:id',
  'PUT /admin/presence',
  'POST /admin/files/resumable',
  'DELETE /admin/files/resumable/:id',
  'POST /admin/content/:uid/uid-proposals',
  'POST /admin/content/:uid/usages',
  'POST /admin/content/:uid/translations/export',
  'POST /admin/content/:uid/translations/compare',
  'POST /admin/content/:uid/translations/suggest',
  'POST /admin/content/:uid/:documentId/preview',
  'POST /admin/webhooks/:id/test',
  'POST /admin/declarations/plan',
  'POST /admin/content/:uid/:documentId/check',
  'POST /admin/releases/:id/check',
])

describe('the audit of the management routes', () => {
  let server: TestServer
  let mail: MailServer
  let boss: AdminClient
  const walked = new Set<string>()

  before(async () => {
    mail = await startMailServer()
    server = await serve('audit_doors', {
      contentTypes: {
        note: pushed(declare('note', { text: { type: 'string', required: true } }), {
          draftAndPublish: true,
          review: true,
        }),
        page: declare(
          'page',
          { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
          { localized: true },
        ),
      },
      locales: ['de'],
      editableTypes: true,
      environment: { RATE_LIMIT: 'off', SMTP_URL: mail.url },
    })
    const link = (await server.firstStartLink()) ?? ''
    const token = /[^/#=?]+$/.exec(link)?.[0] ?? ''
    const body = { token, name: 'Boss', email: 'boss@example.org', password: PASSWORD }
    await goAsNobody('POST /admin/first-administrator', body)
    boss = await signIn(server, 'boss@example.org')
  })
  after(async () => {
    await server.close()
    await mail.close()
  })

  const asked = new Map<string, string>()
  const expectRow = (route: string, { headers }: Answer): void => {
    walked.add(route)
    asked.set(String(headers['x-request-id']), route)
  }
  /** A commit gets its number within a second. */
  afterEach(async () => {
    const without = new Map(asked)
    await until(
      async () => {
        const { data } = (await server.get('/admin/audit?pagination[pageSize]=500')).body
        for (const { requestId } of data as readonly Json[]) without.delete(requestId)
        return without.size === 0
      },
      5_000,
      () => `no row of ${[...without.values()].join(', ')}`,
    )
  })

  /** Sends a request that must leave an audit row. `ids` are the values of the path parameters. */
  async function go(route: string, ids: readonly string[], body?: unknown): Promise<Json> {
    const [method = '', pattern = ''] = route.split(' ')
    const rest = [...ids]
    const target = pattern.replaceAll(/:\w+/g, () => rest.shift() ?? '')
    const answer = await boss.send(method, target, body)
    expect(answer.status, `${route}: ${answer.text}`).to.be.oneOf([200, 201, 202, 204])
    expectRow(route, answer)
    return answer.body?.data
  }

  async function goAsNobody(route: string, body: unknown): Promise<void> {
    const [method = '', target = ''] = route.split(' ')
    const answer = await server.send(method, target, { token: null, headers: OWN, body })
    expect(answer.status, `${route}: ${answer.text}`).to.be.oneOf([200, 201, 204])
    expectRow(route, answer)
  }

  it('records locales, tokens, roles, folders and files', async () => {
    await go('POST /admin/locales', [], { code: 'fr' })
    await go('PUT /admin/locales/:code', ['fr'], { name: 'French' })
    await go('DELETE /admin/locales/:code', ['fr'])
    const token = String(
      (await go('POST /admin/api-tokens', [], { name: 'app', type: 'read-only' })).id,
    )
    await go('PUT /admin/api-tokens/:id', [token], { name: 'app 2' })
    await go('POST /admin/api-tokens/:id/regenerate', [token])
    await go('DELETE /admin/api-tokens/:id', [token])
    await go('POST /admin/roles', [], { name: 'Role', type: 'role' })
    await go('PUT /admin/roles/:type', ['role'], { permissions: [] })
    await go('DELETE /admin/roles/:type', ['role'])
    const folder = (await go('POST /admin/folders', [], { name: 'Pictures' })).id
    await go('PUT /admin/folders/:id', [folder], { name: 'Photos' })
    const headers = { cookie: boss.cookie, ...OWN, ...MULTIPART }
    const uploaded = await server.send('POST', '/admin/files', {
      token: null,
      headers,
      body: multipart({ files: [{ name: 'a.png', content: await png(40, 40) }] }),
    })
    expect(uploaded.status, uploaded.text).to.equal(201)
    expectRow('POST /admin/files', uploaded)
    const id = uploaded.body.data[0].documentId
    await go('PUT /admin/files/:id', [id], { caption: 'A text' })
    await go('POST /admin/files/move', [], { ids: [id], folder })
    await go('PUT /admin/files/:id/crop', [id], { x: 0, y: 0, width: 20, height: 20 })
    await go('DELETE /admin/files/:id/crop', [id])
    await go('DELETE /admin/files/:id', [id])
    await go('DELETE /admin/folders/:id', [folder])
  })

  it('records the file of an upload in parts', async () => {
    const headers = { cookie: boss.cookie, ...OWN, 'tus-resumable': '1.0.0' }
    const begun = await server.send('POST', '/admin/files/resumable', {
      token: null,
      headers: { ...headers, 'upload-length': '4' },
    })
    const part = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    const sent = await server.send('PATCH', begun.headers.location ?? '', {
      token: null,
      headers: { ...headers, ...part },
      body: 'text',
    })
    expect(sent.status, sent.text).to.equal(200)
    expectRow('PATCH /admin/files/resumable/:id', sent)
  })

  it('records administrators, their roles and their sessions', async () => {
    const role = { type: 'writers', name: 'Writers', permissions: [] }
    await go('POST /admin/administrator-roles', [], role)
    await go('PUT /admin/administrator-roles/:type', ['writers'], { name: 'Authors' })
    await go('DELETE /admin/administrator-roles/:type', ['writers'])
    const mary = { name: 'Mary', email: 'mary@example.org', roles: ['editor'] }
    const { id } = await go('POST /admin/administrators', [], mary)
    await go('PUT /admin/administrators/:id', [id], { name: 'Mary B.' })
    const { link } = await go('POST /admin/administrators/:id/reset', [id])
    const token = /[^/#=?]+$/.exec(String(link))?.[0] ?? ''
    await goAsNobody('POST /admin/reset-password', { token, password: PASSWORD })
    await goAsNobody('POST /admin/session', { email: 'mary@example.org', password: PASSWORD })
    await go('DELETE /admin/administrators/:id', [id])
    await go('PUT /admin/me', [], { name: 'The Boss' })
    await signIn(server, 'boss@example.org')
    const sessions = (await boss.send('GET', '/admin/me/sessions')).body.data
    const ended = sessions.find((one: Json) => !one.current)
    await go('DELETE /admin/me/sessions/:id', [ended.id])
    const password = { currentPassword: PASSWORD, password: PASSWORD }
    await go('POST /admin/me/password', [], password)
    const left = await (await signIn(server, 'boss@example.org')).send('DELETE', '/admin/session')
    expect(left.status).to.equal(204)
    expectRow('DELETE /admin/session', left)
  })

  it('records the second factor of administrators and its reset', async () => {
    const { uri } = (await boss.send('POST', '/admin/me/totp', { currentPassword: PASSWORD })).body
      .data
    const totp = new TOTP({ secret: new URL(uri).searchParams.get('secret') ?? '' })
    await go('POST /admin/me/totp/confirm', [], { code: totp.generate() })
    const { recoveryCodes } = await go('POST /admin/me/totp/recovery-codes', [])
    const entering = { email: 'boss@example.org', password: PASSWORD }
    const first = { token: null, headers: OWN, body: entering }
    const { pending } = (await server.send('POST', '/admin/session', first)).body.data
    await goAsNobody('POST /admin/session/code', { pending, code: recoveryCodes[0] })
    await go('DELETE /admin/me/totp', [])
    const { id } = await addAdministrator(server, 'Lost', ['editor'])
    const lost = await signIn(server, 'lost@example.org')
    const begun = await lost.send('POST', '/admin/me/totp', { currentPassword: PASSWORD })
    const secret = new URL(begun.body.data.uri).searchParams.get('secret') ?? ''
    const code = new TOTP({ secret }).generate()
    expect((await lost.send('POST', '/admin/me/totp/confirm', { code })).status).to.equal(200)
    await go('DELETE /admin/administrators/:id/totp', [id])
  })

  it('records users of apps', async () => {
    const louise = { username: 'louise', email: 'louise@example.org' }
    const { documentId } = await go('POST /admin/users', [], louise)
    await go('PUT /admin/users/:documentId', [documentId], { confirmed: true })
    await go('POST /admin/users/:documentId/reset', [documentId])
    await go('DELETE /admin/users/:documentId', [documentId])
  })

  it('records webhooks', async () => {
    const hook = { name: 'site', url: 'https://example.org', events: ['entry.publish'] }
    const { id } = await go('POST /admin/webhooks', [], hook)
    await go('PUT /admin/webhooks/:id', [id], { name: 'page' })
    await go('POST /admin/webhooks/:id/rotate', [id])
    await go('DELETE /admin/webhooks/:id/previous-secret', [id])
    await go('POST /admin/webhooks/:id/replay', [id], { from: 1 })
    await go('DELETE /admin/webhooks/:id', [id])
  })

  it('records retries of extensions', async () => {
    const at = new Date()
    const client = await MongoClient.connect(server.uri)
    const deliveries = client.db(server.database).collection<Json>('quire_extension_deliveries')
    const row = { extension: 'mirror', type: NOTE, documentId: 'x', since: at, deadAt: at }
    const pending = [{ commit: 'c', at, changes: [], by: null }]
    for (const _id of ['one', 'two', 'three']) await deliveries.insertOne({ _id, ...row, pending })
    const retry = 'POST /admin/extension-failures/retry'
    expect(await go(retry, [], { id: 'one' })).to.deep.equal({ retried: 1 })
    expect(await go(retry, [], { extension: 'mirror' })).to.deep.equal({ retried: 2 })
    await client.close()
    const audit = '/admin/audit?type=admin::extension'
    let rows: Json[] = []
    await until(async () => {
      rows = (await server.get(audit)).body.data
      return rows.length === 2
    }, 5_000)
    expect(rows[0].by).to.include({ kind: 'administrator', name: 'The Boss' })
    expect(rows[0].items).to.deep.include({
      ...rows[0].items[0],
      type: 'admin::extension',
      documentId: 'mirror',
      op: 'put',
    })
  })

  it('records content, its history, schedules, releases and the trash', async () => {
    const make = async (): Promise<string> =>
      (await go('POST /admin/content/:uid', [NOTE], { data: { text: 'one' } })).documentId
    const id = await make()
    await go('PUT /admin/content/:uid/:documentId', [NOTE, id], { data: { text: 'two' } })
    await go('POST /admin/content/:uid/:documentId/actions/publish', [NOTE, id])
    await go('PUT /admin/content/:uid/:documentId', [NOTE, id], { data: { text: 'three' } })
    await go('POST /admin/content/:uid/:documentId/actions/discard', [NOTE, id])
    await go('POST /admin/content/:uid/:documentId/actions/unpublish', [NOTE, id])
    const comments = 'POST /admin/content/:uid/:documentId/comments'
    const { id: comment } = await go(comments, [NOTE, id], { text: 'Right?' })
    const change = 'PUT /admin/content/:uid/:documentId/comments/:id'
    await go(change, [NOTE, id, comment], { resolved: true })
    await go('DELETE /admin/content/:uid/:documentId/comments/:id', [NOTE, id, comment])
    await go('PUT /admin/content/:uid/:documentId/review', [NOTE, id], { stage: 'ready' })
    const publish = { action: 'publish', documentIds: [id] }
    await go('POST /admin/content/:uid/bulk', [NOTE], publish)
    const { data: versions } = (await boss.send('GET', `/admin/history/${NOTE}/${id}`)).body
    const { revision } = versions.at(-1)
    await go('POST /admin/history/:uid/:documentId/:revision/restore', [NOTE, id, revision])
    const scheduled = 'POST /admin/content/:uid/:documentId/actions/publish'
    const { id: schedule } = await go(scheduled, [NOTE, id], { data: { at: LATER } })
    await go('PUT /admin/schedules/:id', [schedule], { data: { at: MUCH_LATER } })
    await go('DELETE /admin/schedules/:id', [schedule])
    const faulty = (await go('POST /admin/content/:uid', [NOTE], { data: {} })).documentId
    const soon = { data: { at: new Date(Date.now() + 500).toISOString() } }
    const { id: failing } = await go(scheduled, [NOTE, faulty], soon)
    await until(async () => {
      const { data } = (await boss.send('GET', '/admin/schedules')).body
      return data.some((row: Json) => row.id === failing && row.state === 'failed')
    }, 10_000)
    await go('POST /admin/schedules/:id/actions/retry', [failing])
    const release = (await go('POST /admin/releases', [], { data: { name: 'All' } })).id
    await go('PUT /admin/releases/:id', [release], { data: { name: 'Spring' } })
    const item = { uid: NOTE, documentId: id, action: 'publish' }
    const added = { data: { items: [item, { ...item, documentId: await make() }] } }
    const { items } = await go('POST /admin/releases/:id/items', [release], added)
    await go('DELETE /admin/releases/:id/items/:item', [release, items[1].id])
    await go('POST /admin/releases/:id/actions/publish', [release])
    await go('DELETE /admin/releases/:id', [release])
    await go('POST /admin/content/:uid/:documentId/duplicate', [NOTE, id])
    const page = 'api::page.page'
    const { documentId } = await go('POST /admin/content/:uid', [page], { data: { title: 'one' } })
    const file = {
      format: 'quire-translation',
      version: 1,
      entries: [{ contentType: page, documentId, from: 'en', to: 'de', units: [] }],
    }
    const path = `/admin/content/${page}/translations/compare`
    const [{ revisions }] = (await boss.send('POST', path, file)).body.data
    const units = [{ id: 'title', text: 'eins' }]
    const translation = { documentId, from: 'en', to: 'de', revisions, units }
    const [imported] = await go('POST /admin/content/:uid/translations/import', [page], {
      entries: [translation],
    })
    expect(imported.status, JSON.stringify(imported)).to.equal(201)
    await go('DELETE /admin/content/:uid/:documentId', [NOTE, id])
    await go('POST /admin/trash/:uid/:documentId/restore', [NOTE, id])
    await go('DELETE /admin/content/:uid/:documentId', [NOTE, id])
    await go('DELETE /admin/trash/:uid/:documentId', [NOTE, id])
  })

  it('records each pushed mutation that writes, with the user and the request', async () => {
    const verbs = ['findOne', 'readDrafts', 'create', 'update', 'delete', 'publish', 'push']
    await permitPushes(
      server,
      verbs.map((verb) => `${NOTE}.${verb}`),
    )
    const device = await Device.of(server, 'phone', 'draft')
    const [one, two] = [device.newId(1), device.newId(2)]
    const create = { type: 'note', op: 'create', patch: setting({ text: 'one' }) }
    const change = { type: 'note', documentId: one }
    const update = { op: 'update', patch: setting({ text: 'two' }), seen: { text: 'one' } }
    const answer = await device.send([
      device.head(),
      { n: 1, ...create, documentId: one },
      { n: 2, ...create, documentId: two },
      { n: 3, ...change, ...update, base: { n: 1 } },
      { n: 4, ...change, op: 'publish', base: { n: 3 } },
      { n: 5, ...change, op: 'delete', base: null },
      { n: 6, ...change, documentId: two, op: 'delete', base: { n: 2 } },
    ])
    const outcomes = readPushed(answer).lines.map(({ outcome }) => outcome)
    const applied = 'applied'
    expect(outcomes).to.deep.equal([applied, applied, applied, applied, 'conflict', applied])
    expectRow('POST /api/_push', answer)
    let rows: Json[] = []
    await until(async () => {
      const { data } = (await server.get(`/admin/audit?type=${NOTE}`)).body
      rows = data.filter(({ requestId }: Json) => requestId === answer.headers['x-request-id'])
      return rows.length === 5
    }, 5_000)
    for (const { by } of rows) {
      expect(by).to.include({ kind: 'user', id: device.member.documentId })
    }
    const documents = rows.map(({ items }) => items[0].documentId)
    expect(documents).to.have.members([one, one, one, two, two])
  })

  it('records declarations', async () => {
    const { data } = (await boss.send('GET', '/admin/declarations')).body
    const { content } = data.files.find((file: Json) => file.uid === NOTE)
    const attributes = { ...content.attributes, more: { type: 'string' } }
    const declarations = { [NOTE]: { ...content, attributes } }
    await go('PUT /admin/declarations', [], { declarations })
  })

  it('covers every documented route that writes', () => {
    const page = readFileSync(PAGE, 'utf8')
    const writing = [...page.matchAll(/^\| `((?:POST|PUT|PATCH|DELETE) \/admin\/\S+)`/gm)].map(
      ([, route = '']) => route,
    )
    expect(writing).to.have.length.above(50)
    const missing = writing.filter((route) => !walked.has(route) && !WITHOUT_ROW.has(route))
    expect(missing).to.deep.equal([])
  })
})
