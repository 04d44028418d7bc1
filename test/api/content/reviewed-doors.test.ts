import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { readConfig } from '../../../src/base/config/config.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import { type Base, openBase } from '../../../src/server/services/open-base.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import { applyFiles } from '../../../src/transfer/apply/apply-files.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { sendSoon } from '../../support/plan-ahead.ts'
import { Device, permitPushes, pushed, setting } from '../../support/push-world.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const NOTE = 'api::note.note'
const REFUSAL = 'Only drafts in the stage ready can be published'

const ATTRIBUTES = {
  title: { type: 'string' },
  code: { type: 'string', unique: true },
  picture: { type: 'media' },
}
const CONTENT_TYPES = {
  note: pushed(declare('note', ATTRIBUTES), {
    draftAndPublish: true,
    review: { publish: 'ready' },
  }),
}

/** The message of a refusal, or null. */
type Refusal = string | null

interface Door {
  readonly door: string
  /** Tries to publish the draft, or a new entry with this title. */
  readonly publish: (draft: string, title: string) => Promise<Refusal>
  /** Whether the door gives values, which cannot be reviewed before. */
  readonly givesValues?: true
}

describe('every door that publishes a type with reviewed drafts', () => {
  let server: TestServer
  let editor: AdminClient
  let base: Base
  let folder: string
  const devices = new Map<string, Device>()

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-reviewed-'))
    const extensions = [defineExtension({ name: 'press' })]
    server = await serve('reviewed_doors', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      extensions,
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    const verbs = ['find', 'findOne', 'readDrafts', 'create', 'update', 'delete', 'publish', 'push']
    await permitPushes(
      server,
      verbs.map((verb) => `${NOTE}.${verb}`),
    )
    for (const status of ['draft', 'published']) {
      devices.set(status, await Device.of(server, `${status}-user`, status))
    }
    const config = readConfig({
      CONTENT_TYPES_DIR: server.contentTypesDir,
      QUIRE_DATA_DIR: folder,
      MONGODB_DATABASE: server.database,
      QUERY_TIMEOUT_MS: '20000',
      MONITOR_COMMANDS: 'off',
    })
    const project = await loadProject(server.contentTypesDir, extensions)
    base = await openBase({ config, deployment: { uri: server.uri } }, project)
  })
  after(async () => {
    await base.database.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const contentOf = (documentId: string, rest = ''): string =>
    `/admin/content/${NOTE}/${documentId}${rest}`
  const store = async (title: string): Promise<string> => {
    const answer = await server.post('/api/notes?status=draft', { title })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const makeReady = async (documentId: string): Promise<void> => {
    const answer = await editor.send('PUT', contentOf(documentId, '/review'), { stage: 'ready' })
    expect(answer.status, answer.text).to.equal(200)
  }
  const refusalOf = ({ status, text, body, headers }: Answer): Refusal => {
    expect(status, text).to.be.oneOf([200, 201, 400])
    if (status !== 400) return null
    expect(headers['error-code'], text).to.equal('not_reviewed')
    return body.error.message
  }
  const failureOf = async (work: Promise<unknown>): Promise<Refusal> => {
    try {
      await work
      return null
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      expect(error.errorCode).to.equal('not_reviewed')
      return error.message
    }
  }
  const bulk = async (line: object, query: string): Promise<Refusal> => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const body = JSON.stringify({ op: 'upsert', type: 'note', status: 'published', ...line })
    const answer = await server.send('POST', `/api/_bulk${query}`, { headers, body })
    if (answer.status === 400) return answer.body.error.message
    const [first = '{}'] = answer.text.split('\n')
    return JSON.parse(first).error?.message ?? null
  }
  const push = async (status: string, mutation: object): Promise<Refusal> => {
    const device = devices.get(status)
    if (device === undefined) throw new Error(`no store of ${status}`)
    const [line] = await device.push({ type: 'note', ...mutation })
    expect(line.outcome, JSON.stringify(line)).to.be.oneOf(['applied', 'refused'])
    return line.outcome === 'applied' ? null : line.error.message
  }
  const pushPublication = async (documentId: string): Promise<Refusal> => {
    const mutation = { type: 'note', op: 'publish', documentId, base: null }
    const [conflict] = (await devices.get('draft')?.push(mutation)) ?? []
    return push('draft', { op: 'publish', documentId, base: conflict.revision })
  }
  const tool = async (name: string, args: object): Promise<Refusal> => {
    const params = { name, arguments: { type: 'note', ...args } }
    const answer = await server.send('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    const { content, isError = false } = answer.body.result
    return isError ? content[0].text : null
  }
  const apply = async (line: object, dryRun = false): Promise<Refusal> => {
    const content = mkdtempSync(path.join(folder, 'content-'))
    writeFileSync(path.join(content, 'note.json'), JSON.stringify([line]))
    const { documents, schema, locales } = base
    const known = await (await locales()).current()
    const { faults } = await applyFiles(
      { documents, schema, locales: known, store: null, maxFileBytes: 0 },
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
    return faults[0] ?? null
  }
  const release = async (documentId: string): Promise<Refusal> => {
    const made = await editor.send('POST', '/admin/releases', { data: { name: documentId } })
    const { id } = made.body.data
    const items = [{ uid: NOTE, documentId, action: 'publish' }]
    await editor.send('POST', `/admin/releases/${id}/items`, { data: { items } })
    const checked = await editor.send('POST', `/admin/releases/${id}/check`)
    const answer = await editor.send('POST', `/admin/releases/${id}/actions/publish`)
    const [fault] = checked.body.data.faults
    expect(fault !== undefined, answer.text).to.equal(answer.status === 400)
    if (fault !== undefined) expect(fault.code).to.equal('not_reviewed')
    return fault?.message ?? null
  }
  const schedule = async (documentId: string): Promise<Refusal> => {
    const target = contentOf(documentId, '/actions/publish')
    const answer = await sendSoon((at) => editor.send('POST', target, { data: { at } }))
    expect(answer.status, answer.text).to.equal(202)
    const rows = async (): Promise<Json[]> =>
      (await editor.send('GET', `/admin/schedules?documentId=${documentId}`)).body.data
    await until(async () => (await rows()).every(({ state }) => state === 'failed'), 20_000)
    return (await rows())[0]?.failure.message ?? null
  }
  /** Refers to the published version of an entry by its number. */
  const upload = async (documentId: string): Promise<Refusal> => {
    await makeReady(documentId)
    const published = await server.send('POST', `/api/notes/${documentId}/actions/publish`)
    const fields = { ref: NOTE, refId: String(published.body.data.id), field: 'picture' }
    const body = multipart({ fields, files: [{ name: 'a.txt', content: 'a' }] })
    const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    const { data } = (await server.get(`/api/notes/${documentId}?populate=picture`)).body
    expect(data.picture).to.equal(null)
    await server.send('POST', `/api/notes/${documentId}/actions/unpublish`)
    return refusalOf(answer)
  }

  const contentOfNotes = () => {
    const { notes } = server.contentFor('press')
    if (notes === undefined) throw new Error('no notes')
    return notes
  }

  const DOORS: readonly Door[] = [
    {
      door: 'POST /api/:plural/:documentId/actions/publish',
      publish: async (id) =>
        refusalOf(await server.send('POST', `/api/notes/${id}/actions/publish`)),
    },
    {
      door: 'POST /api/:plural/:documentId/actions/publish with If-Match: *',
      publish: async (id) => {
        const headers = { 'if-match': '*' }
        const target = `/api/notes/${id}/actions/publish`
        return refusalOf(await server.send('POST', target, { headers }))
      },
    },
    {
      door: 'POST /api/:plural/:documentId/actions/publish with a revision',
      publish: async (id) => {
        const { headers } = await server.get(`/api/notes/${id}?status=draft`)
        const target = `/api/notes/${id}/actions/publish`
        const sent = { headers: { 'if-match': String(headers['etag']) } }
        return refusalOf(await server.send('POST', target, sent))
      },
    },
    {
      door: 'PUT /api/:plural/:documentId',
      publish: async (id) =>
        refusalOf(await server.put(`/api/notes/${id}?status=published`, { title: 'x' })),
      givesValues: true,
    },
    {
      door: 'POST /api/:plural',
      publish: async (_, title) =>
        refusalOf(await server.post('/api/notes?status=published', { title })),
      givesValues: true,
    },
    {
      door: 'POST /admin/content/:uid/:documentId/actions/publish',
      publish: async (id) =>
        refusalOf(await editor.send('POST', contentOf(id, '/actions/publish'))),
    },
    {
      door: 'PUT /admin/content/:uid/:documentId',
      publish: async (id) => {
        const target = `${contentOf(id)}?status=published`
        return refusalOf(await editor.send('PUT', target, { data: { title: 'x' } }))
      },
      givesValues: true,
    },
    {
      door: 'POST /admin/content/:uid/bulk',
      publish: async (id) => {
        const body = { action: 'publish', documentIds: [id] }
        const answer = await editor.send('POST', `/admin/content/${NOTE}/bulk`, body)
        const [{ status, error }] = answer.body.data
        return status === 400 ? error.message : null
      },
    },
    ...['', '?atomic=true'].flatMap((query): readonly Door[] => [
      {
        door: `POST /api/_bulk${query}, a new document`,
        publish: (_, title) =>
          bulk({ documentId: `n${title}`.padEnd(24, '0'), data: { title } }, query),
        givesValues: true,
      },
      {
        door: `POST /api/_bulk${query}, a stored document`,
        publish: (documentId) => bulk({ documentId, data: { title: 'x' } }, query),
        givesValues: true,
      },
    ]),
    { door: 'POST /api/_push, a publication', publish: (id) => pushPublication(id) },
    {
      door: 'POST /api/_push, a new document',
      publish: (_, title) => {
        const documentId = devices.get('published')?.newId()
        return push('published', { op: 'create', documentId, patch: setting({ title }) })
      },
      givesValues: true,
    },
    {
      door: 'POST /api/_push, a stored document',
      publish: async (documentId) => {
        await makeReady(documentId)
        const answer = await server.send('POST', `/api/notes/${documentId}/actions/publish`)
        const { title } = answer.body.data
        const change = { base: 'x', patch: setting({ title: 'x' }), seen: { title } }
        const refusal = await push('published', { op: 'update', documentId, ...change })
        await server.send('POST', `/api/notes/${documentId}/actions/unpublish`)
        return refusal
      },
      givesValues: true,
    },
    { door: 'MCP publish', publish: (documentId) => tool('publish', { documentId }) },
    ...[false, true].map((dryRun): Door => ({
      door: `quire apply${dryRun ? ' --dry-run' : ''}`,
      publish: (_, code) => apply({ code, status: 'published' }, dryRun),
      givesValues: true,
    })),
    { door: 'a release', publish: (id) => release(id) },
    { door: 'a schedule', publish: (id) => schedule(id) },
    {
      door: 'the content service, a publication',
      publish: (id) => failureOf(contentOfNotes().publish(id, { as: 'system' })),
    },
    {
      door: 'the content service, a new document',
      publish: (_, title) =>
        failureOf(contentOfNotes().create({ title }, { status: 'published', as: 'system' })),
      givesValues: true,
    },
    { door: 'POST /api/upload to a published version', publish: upload, givesValues: true },
  ]

  const published = async (): Promise<number> =>
    (await server.get('/api/notes?status=published')).body.meta.pagination.total

  for (const [index, { door, publish, givesValues }] of DOORS.entries()) {
    it(`refuses drafts in other stages: ${door}`, async () => {
      const before = await published()
      const draft = await store(`draft${index}`)
      expect(await publish(draft, `new${index}`), 'a refusal')
        .to.be.a('string')
        .that.includes(REFUSAL)
      if (givesValues === true) {
        await makeReady(draft)
        expect(await publish(draft, `again${index}`))
          .to.be.a('string')
          .that.includes(REFUSAL)
      }
      expect(await published()).to.equal(before)
    })

    if (givesValues === true) continue
    it(`publishes ready drafts, and refuses them after an edit: ${door}`, async () => {
      const before = await published()
      const draft = await store(`ready${index}`)
      await makeReady(draft)
      expect(await publish(draft, '')).to.equal(null)
      expect(await published()).to.equal(before + 1)
      await server.put(`/api/notes/${draft}?status=draft`, { title: `edited${index}` })
      expect(await publish(draft, '')).to.include(REFUSAL)
      const { data } = (await server.get(`/api/notes/${draft}`)).body
      expect(data.title).to.equal(`ready${index}`)
    })
  }

  it('publishes an unpublished draft again', async () => {
    const draft = await store('withdrawn')
    await makeReady(draft)
    const act = async (action: string): Promise<Refusal> =>
      refusalOf(await editor.send('POST', contentOf(draft, `/actions/${action}`)))
    expect(await act('publish')).to.equal(null)
    expect(await act('publish'), 'nothing changes').to.equal(null)
    expect(await act('unpublish')).to.equal(null)
    expect(await act('publish')).to.equal(null)
  })

  it('never publishes an edit that arrives with the publication', async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const draft = await store('reviewed')
      await makeReady(draft)
      const publications = ['*', null].map((match) =>
        server.send('POST', `/api/notes/${draft}/actions/publish`, {
          headers: match === null ? {} : { 'if-match': match },
        }),
      )
      await Promise.all([
        server.put(`/api/notes/${draft}?status=draft`, { title: 'unreviewed' }),
        ...publications,
      ])
      const { status, body } = await server.get(`/api/notes/${draft}`)
      if (status === 200) expect(body.data.title).to.equal('reviewed')
    }
  })
})
