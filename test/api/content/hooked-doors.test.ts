import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { readConfig } from '../../../src/base/config/config.ts'
import { ValidationError } from '../../../src/base/errors.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import type { BeforeWriteEvent } from '../../../src/extensions/write-hook.ts'
import type { Status } from '../../../src/query/query.ts'
import { type Base, openBase } from '../../../src/server/services/open-base.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import { applyFiles } from '../../../src/transfer/apply/apply-files.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { sendSoon } from '../../support/plan-ahead.ts'
import { Device, pushed, permitPushes, setting } from '../../support/push-world.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const NOTE = 'api::note.note'
const PAGE = 'api::page.page'
const HOME = 'api::home.home'

const LOCAL = { pluginOptions: { i18n: { localized: true } } }
const ATTRIBUTES = {
  title: { type: 'string', ...LOCAL },
  code: { type: 'string', unique: true, ...LOCAL },
  stamp: { type: 'string', required: true, ...LOCAL },
  picture: { type: 'media' },
  shared: { type: 'string' },
}

const CONTENT_TYPES = {
  note: pushed(declare('note', ATTRIBUTES), { draftAndPublish: true }),
  page: declare('page', ATTRIBUTES, { localized: true }),
  home: declare('home', ATTRIBUTES, { kind: 'singleType' }),
}

/** The title of an entry that the hook refuses. */
const REFUSED = 'refused'

const events: BeforeWriteEvent[] = []

function beforeWrite(event: BeforeWriteEvent): BeforeWriteEvent['data'] | undefined {
  events.push(event)
  const { operation, data, previous } = event
  if ((data['title'] ?? previous?.['title']) === REFUSED && operation !== 'create') {
    throw new ValidationError('The hook refuses this')
  }
  if (data['title'] === REFUSED && data['stamp'] !== 'allowed') {
    throw new ValidationError('The hook refuses this')
  }
  if (operation === 'create' || operation === 'update')
    return { ...data, stamp: data['stamp'] ?? 'hook' }
  return undefined
}

const EXTENSION = defineExtension({
  name: 'stamps',
  contentTypes: { [NOTE]: { beforeWrite }, [PAGE]: { beforeWrite }, [HOME]: { beforeWrite } },
})

/** Routes of the table, and the same routes of single types. */
const HOOKED_ROUTES = [
  'POST /api/notes',
  'PUT /api/notes/:documentId',
  'DELETE /api/notes/:documentId',
  'POST /api/notes/:documentId/actions/publish',
  'POST /api/notes/:documentId/actions/unpublish',
  'PUT /api/home',
  'DELETE /api/home',
  'POST /api/_bulk',
  'POST /api/_push',
  'POST /mcp',
  'POST /api/upload',
  'POST /api/upload/complete', // needs a bucket: direct-uploads.test.ts
  'DELETE /api/users/:id', // with its content: refused-deletions.test.ts
  'DELETE /api/users/me',
  'DELETE /admin/users/:documentId',
  'POST /admin/content/:uid',
  'POST /admin/content/:uid/bulk',
  'PUT /admin/content/:uid/:documentId',
  'DELETE /admin/content/:uid/:documentId',
  'POST /admin/content/:uid/:documentId/duplicate', // duplicate.test.ts
  'POST /admin/content/:uid/translations/import', // translations.test.ts
  'POST /admin/content/:uid/:documentId/actions/publish',
  'POST /admin/content/:uid/:documentId/actions/unpublish',
  'POST /admin/releases/:id/actions/publish',
]

/** Routes that restore content, or write none. */
const OTHER_ROUTES = [
  'POST /api/notes/:documentId/actions/discard',
  'POST /admin/content/:uid/:documentId/actions/discard',
  'POST /admin/content/:uid/:documentId/check',
  'POST /admin/content/:uid/:documentId/comments',
  'PUT /admin/content/:uid/:documentId/comments/:id',
  'DELETE /admin/content/:uid/:documentId/comments/:id',
  'PUT /admin/content/:uid/:documentId/review',
  'POST /admin/content/:uid/:documentId/preview',
  'POST /admin/content/:uid/translations/export',
  'POST /admin/content/:uid/translations/compare',
  'POST /admin/content/:uid/translations/suggest',
  'POST /admin/content/:uid/uid-proposals',
  'POST /admin/content/:uid/usages',
  'POST /admin/history/:uid/:documentId/:revision/restore',
  'POST /admin/trash/:uid/:documentId/restore',
  'DELETE /admin/trash/:uid/:documentId',
  'POST /admin/releases',
  'PUT /admin/releases/:id',
  'DELETE /admin/releases/:id',
  'POST /admin/releases/:id/items',
  'DELETE /admin/releases/:id/items/:item',
  'POST /admin/releases/:id/check',
  'PUT /admin/schedules/:id',
  'DELETE /admin/schedules/:id',
  'POST /admin/schedules/:id/actions/retry',
  'POST /api/upload/presign',
  'POST /api/upload/resumable',
  'PATCH /api/upload/resumable/:id',
  'DELETE /api/upload/resumable/:id',
  'DELETE /api/upload/files/:id',
  'POST /api/users',
  'PUT /api/users/:id',
  'POST /admin/users',
  'PUT /admin/users/:documentId',
  'POST /admin/users/:documentId/reset',
]

/** The result of a door: whether the write was refused by the hook, and which document it wrote. */
interface Written {
  readonly documentId: string
  readonly isRefused: boolean
}

interface Door {
  readonly door: string
  readonly operation: BeforeWriteEvent['operation']
  /** Writes an entry with this title. */
  readonly write: (title: string) => Promise<Written>
}

describe('every door that writes content', () => {
  let server: TestServer
  let editor: AdminClient
  let base: Base
  let folder: string
  const devices = new Map<Status, Device>()

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-hooked-'))
    server = await serve('hooked_doors', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
      extensions: [EXTENSION],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    const verbs = ['find', 'findOne', 'readDrafts', 'create', 'update', 'delete', 'publish', 'push']
    await permitPushes(
      server,
      verbs.map((verb) => `${NOTE}.${verb}`),
    )
    for (const status of ['draft', 'published'] as const) {
      devices.set(status, await Device.of(server, `${status}-user`, status))
    }
    const config = readConfig({
      CONTENT_TYPES_DIR: server.contentTypesDir,
      QUIRE_DATA_DIR: folder,
      MONGODB_DATABASE: server.database,
      QUERY_TIMEOUT_MS: '20000',
      MONITOR_COMMANDS: 'off',
    })
    const project = await loadProject(server.contentTypesDir, [EXTENSION])
    base = await openBase({ config, deployment: { uri: server.uri } }, project)
  })
  after(async () => {
    await base.database.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const written = ({ status, text, body }: Answer, documentId?: string): Written => {
    expect(status, text).to.be.oneOf([200, 201, 204, 400])
    return { documentId: documentId ?? String(body?.data?.documentId), isRefused: status === 400 }
  }
  /** Stores an entry that the hook allows. */
  const stored = async (plural: string, title: string, status = 'draft'): Promise<string> => {
    const query = plural === 'notes' ? `?status=${status}` : ''
    const answer = await server.post(`/api/${plural}${query}`, { title, stamp: 'allowed' })
    expect(answer.status, answer.text).to.equal(201)
    events.length = 0
    return answer.body.data.documentId
  }
  const bulk = async (line: object, query = ''): Promise<Written> => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = await server.send('POST', `/api/_bulk${query}`, {
      headers,
      body: JSON.stringify(line),
    })
    if (answer.status === 400) return { documentId: '', isRefused: true }
    const [first = '{}'] = answer.text.split('\n')
    const { documentId, error } = JSON.parse(first)
    const isRefused = error !== undefined
    if (isRefused) expect(error.message, answer.text).to.equal('The hook refuses this')
    else expect(answer.text).to.match(/created|updated|deleted/)
    return { documentId, isRefused }
  }
  /** Pushes one mutation from a store of this status. */
  const push = async (
    status: Status,
    mutation: (device: Device) => { readonly op: string; readonly documentId: string },
  ): Promise<Written> => {
    const device = devices.get(status)
    if (device === undefined) throw new Error(`no store of ${status}`)
    const { documentId, ...more } = mutation(device)
    const [line] = await device.push({ type: 'note', documentId, ...more })
    const isRefused = line.outcome === 'refused'
    if (isRefused) expect(line.error.message).to.equal('The hook refuses this')
    else expect(line, JSON.stringify(line)).to.include({ outcome: 'applied' })
    return { documentId, isRefused }
  }
  /** Deletes or publishes with the revision that a first conflict reports. */
  const pushCurrent = async (op: string, status: Status, documentId: string): Promise<Written> => {
    const mutation = { type: 'note', op, documentId, base: null }
    const [conflict] = (await devices.get(status)?.push(mutation)) ?? []
    expect(conflict).to.include({ outcome: 'conflict', code: 'document_changed' })
    expect(events).to.deep.equal([])
    return push(status, () => ({ op, documentId, base: conflict.revision }))
  }
  const tool = async (
    name: string,
    args: object,
  ): Promise<Written & { readonly revision: unknown }> => {
    const params = { name, arguments: args }
    const answer = await server.send('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    const { content, isError = false } = answer.body.result
    const shown = JSON.parse(content[0].text)
    return { documentId: shown.data?.documentId, isRefused: isError, revision: shown.revision }
  }
  const apply = async (line: object, dryRun = false): Promise<Written> => {
    const content = mkdtempSync(path.join(folder, 'content-'))
    writeFileSync(path.join(content, 'note.json'), JSON.stringify([line]))
    const { documents, schema, locales } = base
    const report = await applyFiles(
      {
        documents,
        schema,
        locales: await (await locales()).current(),
        store: null,
        maxFileBytes: 0,
      },
      {
        path: content,
        key: null,
        prune: false,
        dryRun,
        input: Readable.from([]),
        confirm: () => Promise.resolve(true),
        onProgress: () => undefined,
      },
    )
    const [fault = ''] = report.faults
    if (fault !== '') expect(fault).to.include('The hook refuses this')
    const code = (line as Json).code
    const { body } = await server.get(`/api/notes?status=draft&filters[code]=${code}`)
    return { documentId: body.data[0]?.documentId, isRefused: fault !== '' }
  }
  const release = async (action: string, documentId: string): Promise<Answer> => {
    const made = await editor.send('POST', '/admin/releases', { data: { name: action } })
    const { id } = made.body.data
    const items = [{ uid: NOTE, documentId, action }]
    await editor.send('POST', `/admin/releases/${id}/items`, { data: { items } })
    return editor.send('POST', `/admin/releases/${id}/actions/publish`)
  }
  const schedule = async (action: string, documentId: string): Promise<Written> => {
    const target = `/admin/content/${NOTE}/${documentId}/actions/${action}`
    const answer = await sendSoon((at) => editor.send('POST', target, { data: { at } }))
    expect(answer.status, answer.text).to.equal(202)
    const rows = async (): Promise<Json[]> =>
      (await editor.send('GET', `/admin/schedules?documentId=${documentId}`)).body.data
    await until(async () => (await rows()).every(({ state }) => state === 'failed'), 20_000)
    const [failed] = await rows()
    if (failed !== undefined) expect(failed.failure.message).to.equal('The hook refuses this')
    return { documentId, isRefused: failed !== undefined }
  }

  let number = 0
  const code = (): string => `code-${(number += 1)}`

  const DOORS: readonly Door[] = [
    {
      door: 'POST /api/:plural',
      operation: 'create',
      write: async (title) => written(await server.post('/api/notes', { title })),
    },
    {
      door: 'POST /api/:plural as published',
      operation: 'create',
      write: async (title) => written(await server.post('/api/notes?status=published', { title })),
    },
    {
      door: 'POST /api/:plural with an Idempotency-Key',
      operation: 'create',
      write: async (title) =>
        written(
          await server.post('/api/notes', { title }, { headers: { 'idempotency-key': code() } }),
        ),
    },
    {
      door: 'PUT /api/:plural/:documentId',
      operation: 'update',
      write: async (title) => {
        const documentId = await stored('notes', 'before')
        return written(await server.put(`/api/notes/${documentId}`, { title }))
      },
    },
    {
      door: 'PUT /api/:plural/:documentId of another locale',
      operation: 'create',
      write: async (title) => {
        const documentId = await stored('pages', 'before')
        return written(await server.put(`/api/pages/${documentId}?locale=fr`, { title }))
      },
    },
    {
      door: 'PUT /api/:singular',
      operation: 'create',
      write: async (title) => {
        await server.delete('/api/home')
        events.length = 0
        return written(await server.put('/api/home', { title }))
      },
    },
    {
      door: 'DELETE /api/:plural/:documentId',
      operation: 'delete',
      write: async (title) => {
        const documentId = await stored('notes', title)
        return written(await server.delete(`/api/notes/${documentId}`), documentId)
      },
    },
    {
      door: 'POST /api/:plural/:documentId/actions/publish',
      operation: 'publish',
      write: async (title) => {
        const documentId = await stored('notes', title)
        return written(await server.send('POST', `/api/notes/${documentId}/actions/publish`))
      },
    },
    {
      door: 'POST /api/:plural/:documentId/actions/unpublish',
      operation: 'unpublish',
      write: async (title) => {
        const documentId = await stored('notes', title, 'published')
        return written(await server.send('POST', `/api/notes/${documentId}/actions/unpublish`))
      },
    },
    {
      door: 'POST /admin/content/:uid',
      operation: 'create',
      write: async (title) =>
        written(await editor.send('POST', `/admin/content/${NOTE}`, { data: { title } })),
    },
    {
      door: 'PUT /admin/content/:uid/:documentId',
      operation: 'update',
      write: async (title) => {
        const target = `/admin/content/${NOTE}/${await stored('notes', 'before')}`
        return written(await editor.send('PUT', target, { data: { title } }))
      },
    },
    {
      door: 'DELETE /admin/content/:uid/:documentId',
      operation: 'delete',
      write: async (title) => {
        const documentId = await stored('notes', title)
        const target = `/admin/content/${NOTE}/${documentId}`
        return written(await editor.send('DELETE', target), documentId)
      },
    },
    ...(['publish', 'unpublish'] as const).map((operation): Door => ({
      door: `POST /admin/content/:uid/:documentId/actions/${operation}`,
      operation,
      write: async (title) => {
        const documentId = await stored('notes', title, 'published')
        const target = `/admin/content/${NOTE}/${documentId}/actions/${operation}`
        return written(await editor.send('POST', target))
      },
    })),
    ...(['publish', 'unpublish', 'delete'] as const).map((operation): Door => ({
      door: `POST /admin/content/:uid/bulk, ${operation}`,
      operation,
      write: async (title) => {
        const documentId = await stored('notes', title, 'published')
        const body = { action: operation, documentIds: [documentId] }
        const answer = await editor.send('POST', `/admin/content/${NOTE}/bulk`, body)
        return { documentId, isRefused: answer.body.data[0].status === 400 }
      },
    })),
    ...['', '?atomic=true'].flatMap((query): readonly Door[] => [
      {
        door: `POST /api/_bulk${query}, a new document`,
        operation: 'create',
        write: (title) =>
          bulk({ op: 'upsert', type: 'note', key: { code: code() }, data: { title } }, query),
      },
      {
        door: `POST /api/_bulk${query}, a stored document`,
        operation: 'update',
        write: async (title) => {
          const documentId = await stored('notes', 'before')
          return bulk({ op: 'upsert', type: 'note', documentId, data: { title } }, query)
        },
      },
      {
        door: `POST /api/_bulk${query}, a deletion`,
        operation: 'delete',
        write: async (title) => {
          const documentId = await stored('notes', title)
          return { ...(await bulk({ op: 'delete', type: 'note', documentId }, query)), documentId }
        },
      },
    ]),
    ...(['draft', 'published'] as const).flatMap((status): readonly Door[] => [
      {
        door: `POST /api/_push, a new document, ${status}`,
        operation: 'create',
        write: (title) =>
          push(status, (device) => ({
            op: 'create',
            documentId: device.newId(),
            patch: setting({ title }),
          })),
      },
      {
        door: `POST /api/_push, a stored document, ${status}`,
        operation: 'update',
        write: async (title) => {
          const documentId = await stored('notes', 'before', status)
          const change = { base: 'x', patch: setting({ title }), seen: { title: 'before' } }
          return push(status, () => ({ op: 'update', documentId, ...change }))
        },
      },
      {
        door: `POST /api/_push, a deletion, ${status}`,
        operation: 'delete',
        write: async (title) => pushCurrent('delete', status, await stored('notes', title, status)),
      },
    ]),
    {
      door: 'POST /api/_push, a publication',
      operation: 'publish',
      write: async (title) => pushCurrent('publish', 'draft', await stored('notes', title)),
    },
    {
      door: 'MCP create',
      operation: 'create',
      write: (title) => tool('create', { type: 'note', data: { title } }),
    },
    {
      door: 'MCP update',
      operation: 'update',
      write: async (title) => {
        const documentId = await stored('notes', 'before')
        const { revision } = await tool('get', { type: 'note', documentId, status: 'draft' })
        return tool('update', { type: 'note', documentId, revision, data: { title } })
      },
    },
    ...(['publish', 'unpublish', 'delete'] as const).map((operation): Door => ({
      door: `MCP ${operation}`,
      operation,
      write: async (title) => {
        const documentId = await stored('notes', title, 'published')
        const [name, args] =
          operation === 'unpublish'
            ? ['unpublish_or_discard', { action: operation }]
            : [operation, {}]
        return { ...(await tool(name, { type: 'note', documentId, ...args })), documentId }
      },
    })),
    {
      door: 'quire apply, a new document',
      operation: 'create',
      write: (title) => apply({ code: code(), title }),
    },
    ...(['publish', 'unpublish'] as const).flatMap((operation): readonly Door[] => [
      {
        door: `a schedule, ${operation}`,
        operation,
        write: async (title) => schedule(operation, await stored('notes', title, 'published')),
      },
      {
        door: `a release, ${operation}`,
        operation,
        write: async (title) => {
          const documentId = await stored('notes', title, 'published')
          return written(await release(operation, documentId), documentId)
        },
      },
    ]),
    {
      door: 'POST /api/upload with a reference',
      operation: 'update',
      write: async (title) => {
        const documentId = await stored('notes', title)
        const fields = { ref: NOTE, refId: documentId, field: 'picture' }
        const files = [{ name: 'a.txt', content: 'a' }]
        const answer = await server.send('POST', '/api/upload', {
          headers: MULTIPART,
          body: multipart({ fields, files }),
        })
        return written(answer, documentId)
      },
    },
  ]

  it('lists every route that writes content', () => {
    const isOfContent =
      /\/(notes|home|content|_bulk|_push|mcp|history|trash|releases|schedules|upload|(?:api|admin)\/users(?!-))\b/
    const writing = server.routes
      .filter(({ method, path }) => method !== 'get' && isOfContent.test(path))
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(writing.sort()).to.deep.equal([...HOOKED_ROUTES, ...OTHER_ROUTES].sort())
  })

  it('runs no hook for reverts, restores from history and trash, and copies of shared values', async () => {
    const documentId = await stored('notes', 'one', 'published')
    const content = `/admin/content/${NOTE}/${documentId}`
    await server.put(`/api/notes/${documentId}`, { title: 'two' })
    await server.settled()
    const { body: history } = await editor.send('GET', `/admin/history/${NOTE}/${documentId}`)
    events.length = 0
    const revision = history.data.at(-1).revision
    const restored = `/admin/history/${NOTE}/${documentId}/${revision}/restore`
    expect((await editor.send('POST', restored)).status).to.equal(200)
    expect((await editor.send('POST', `${content}/actions/discard`)).status).to.equal(200)
    expect(events).to.deep.equal([])
    await server.delete(`/api/notes/${documentId}`)
    const trash = `/admin/trash/${NOTE}/${documentId}/restore`
    events.length = 0
    const back = await editor.send('POST', trash, { data: {} })
    expect(back.status, back.text).to.equal(200)
    expect(events).to.deep.equal([])

    const page = await stored('pages', 'en')
    await server.put(`/api/pages/${page}?locale=fr`, { title: 'fr' })
    events.length = 0
    await server.put(`/api/pages/${page}`, { shared: 'both' })
    expect(events.map(({ locale }) => locale)).to.deep.equal(['en'])
    const { body } = await server.get(`/api/pages/${page}?locale=fr`)
    expect(body.data.shared).to.equal('both')
  })

  it('tells hooks that a run is dry, and stores nothing', async () => {
    events.length = 0
    const line = { code: code(), title: 'dry' }
    const { documentId, isRefused } = await apply(line, true)
    expect([documentId, isRefused]).to.deep.equal([undefined, false])
    expect(events.map(({ dryRun, operation }) => [dryRun, operation])).to.deep.equal([
      [true, 'create'],
    ])
    expect(events[0]?.data).to.deep.include(line)
  })

  it('runs the hooks of an atomic request before its transaction, in order', async () => {
    const [first, second] = [code(), code()]
    const documentId = await stored('notes', 'before')
    const lines = [
      { op: 'upsert', type: 'note', key: { code: first }, data: { title: 'new' } },
      { op: 'upsert', type: 'note', key: { code: first }, data: { title: 'again' } },
      { op: 'upsert', type: 'note', documentId, data: { title: 'one' } },
      { op: 'upsert', type: 'note', documentId, data: { title: 'two', code: second } },
    ]
    const send = (last: object): Promise<Answer> =>
      server.send('POST', '/api/_bulk?atomic=true', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: [...lines, last].map((line) => JSON.stringify(line)).join('\n'),
      })
    const refused = await send({ op: 'upsert', type: 'note', documentId, data: { title: REFUSED } })
    expect([refused.status, refused.body?.error?.details.line]).to.deep.equal([400, 5])
    expect((await server.get(`/api/notes/${documentId}?status=draft`)).body.data.title).to.equal(
      'before',
    )
    events.length = 0
    const answer = await send({ op: 'delete', type: 'note', documentId })
    expect(answer.status, answer.text).to.equal(200)
    const seen = events.map(({ operation, previous }) => [operation, previous?.['title'] ?? null])
    expect(seen).to.deep.equal([
      ['create', null],
      ['update', null],
      ['update', 'before'],
      ['update', null],
      ['delete', 'before'],
    ])
    const { body } = await server.get(`/api/notes?status=draft&filters[code]=${first}`)
    expect(body.data[0].title).to.equal('again')
  })

  for (const { door, operation, write } of DOORS) {
    it(`runs the hook once: ${door}`, async () => {
      events.length = 0
      const { documentId, isRefused } = await write('fine')
      expect(isRefused).to.equal(false)
      expect(events.map((event) => event.operation)).to.deep.equal([operation])
      const [event] = events
      expect(event?.documentId).to.equal(documentId)
      if (event === undefined || !['create', 'update'].includes(operation)) return
      expect(event.data['title']).to.be.oneOf(['fine', undefined])
      const type = event.contentType.replace(/.*\./, '')
      const locale = event.locale ?? { $exists: true }
      const found = await base.database
        .collection(`${type}_versions`)
        .findOne({ documentId, locale, stamp: 'hook' })
      expect(found, 'a version with the data of the hook').not.to.equal(null)
    })

    it(`stores nothing if the hook refuses: ${door}`, async () => {
      const before = await contents()
      events.length = 0
      const { isRefused, documentId } = await write(REFUSED)
      expect(isRefused).to.equal(true)
      expect(events.map((event) => event.operation)).to.include(operation)
      const after = await contents()
      const others = after.filter((line) => !before.includes(line) && !line.includes('allowed'))
      expect(others, documentId).to.deep.equal([])
    })
  }

  /** All stored versions. */
  async function contents(): Promise<readonly string[]> {
    const lines: string[] = []
    for (const name of ['note_versions', 'page_versions', 'home_versions']) {
      for await (const one of base.database.collection(name).find()) {
        lines.push(`${String(one['_id'])} ${String(one['_revision'])} ${String(one['stamp'])}`)
      }
    }
    return lines
  }
})
