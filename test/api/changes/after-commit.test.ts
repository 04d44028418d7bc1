import { createReadStream, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { AfterCommit, AfterCommitEvent } from '../../../src/extensions/commit-follower.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import type { ProvidedMail, StorageProvider } from '../../../src/extensions/providers.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const NOTE = 'api::note.note'
const MARK = 'api::mark.mark'
const WAIT_MS = 20_000

const CONTENT_TYPES = {
  note: declare('note', { title: { type: 'string' } }, { draftAndPublish: true }),
  mark: declare('mark', { text: { type: 'string' } }),
}

describe('afterCommit and providers', () => {
  let server: TestServer
  let handler: AfterCommit = () => undefined
  let events: AfterCommitEvent[]
  const mails: ProvidedMail[] = []
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-provided-'))

  before(async () => {
    server = await serve('after_commit', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', RESET_PASSWORD_URL: 'https://app.example.org/reset' },
      extensions: [
        defineExtension({
          name: 'mirror',
          contentTypes: {
            [NOTE]: {
              afterCommit: async (event) => {
                events.push(event)
                await handler(event)
              },
            },
            [MARK]: { afterCommit: (event) => void events.push(event) },
          },
          providers: {
            mailer: () => ({ send: (mail) => Promise.resolve(void mails.push(mail)) }),
            storage: () => folderStorage(folder),
          },
        }),
      ],
    })
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => {
    events = []
    handler = () => undefined
    server.takeLog()
  })

  const called = (count: number): Promise<void> => until(() => events.length >= count, WAIT_MS)
  const operations = (): readonly string[] =>
    events.map(({ changes }) =>
      changes.map(({ operation, status }) => `${operation} ${status}`).join(', '),
    )

  it('is called for creations, updates, publications and deletions', async () => {
    const created = await server.post('/api/notes?status=draft', { title: 'one' })
    const { documentId } = created.body.data
    await called(1)
    await server.send('PUT', `/api/notes/${documentId}?status=draft`, {
      body: { data: { title: 'two' } },
    })
    await called(2)
    await server.send('POST', `/api/notes/${documentId}/actions/publish`)
    await called(3)
    await server.send('DELETE', `/api/notes/${documentId}`)
    await called(4)
    expect(operations()).to.deep.equal([
      'put draft',
      'put draft',
      'put draft, put published',
      'delete draft, delete published',
    ])
    expect(events.every((event) => event.documentId === documentId)).to.equal(true)
    expect(events[0]?.by).to.include({ kind: 'root' })
  })

  it('writes content that does not call the extension again', async () => {
    handler = async ({ documentId, content, contentType }) => {
      if (contentType !== NOTE) return
      const note = await content['notes']?.findOne(
        documentId,
        { status: 'draft' },
        { as: 'system' },
      )
      await content['marks']?.create({ text: `from ${String(note?.['title'])}` }, { as: 'system' })
    }
    await server.post('/api/notes?status=draft', { title: 'source' })
    const list = async (): Promise<Json[]> => (await server.send('GET', '/api/marks')).body.data
    await until(async () => (await list()).length === 1, WAIT_MS)
    const [entry] = await list()
    expect(entry.text).to.equal('from source')
    let rows: Json[] = []
    await until(async () => {
      const audit = `/admin/audit?documentId=${entry.documentId}`
      rows = (await server.send('GET', audit)).body.data
      return rows.length > 0
    }, WAIT_MS)
    expect(rows[0].by).to.include({ kind: 'extension', name: 'mirror' })
    await server.post('/api/marks', { text: 'by hand' })
    await called(2)
    expect(events.map(({ contentType }) => contentType)).to.deep.equal([NOTE, MARK])
  })

  it('reports a failure in the log, and never in the response', async () => {
    handler = () => {
      throw new Error('the mirror is down')
    }
    const { status, text } = await server.post('/api/notes?status=draft', { title: 'unlucky' })
    expect([status, text.includes('mirror')]).to.deep.equal([201, false])
    await called(1)
    let line: Json
    await until(() => {
      line = server.takeLog().find(({ extension }: Json) => extension === 'mirror')
      return line !== undefined
    }, WAIT_MS)
    expect(line.msg).to.include(`afterCommit of ${NOTE}`)
    handler = () => undefined
    await called(2) // the retry
    const { body } = await server.send('GET', '/admin/extension-failures?extension=mirror')
    expect(body.data).to.deep.equal([])
    expect(body.meta.extensions[0]).to.include({ extension: 'mirror', dead: 0 })
  })

  it('shows failures to administrators and root only', async () => {
    const failures = '/admin/extension-failures'
    expect((await server.send('GET', failures, { token: null })).status).to.equal(401)
    const retry = `${failures}/retry`
    for (const body of [{}, { id: 1 }, { extension: ['x'] }, { other: 'x' }, []]) {
      expect((await server.send('POST', retry, { body })).status).to.equal(400)
    }
    const { body } = await server.send('POST', retry, { body: { extension: 'mirror' } })
    expect(body).to.deep.equal({ data: { retried: 0 } })
  })

  it('sends mails through the mailer of an extension', async () => {
    const user = { username: 'marie', email: 'marie@example.org', password: 'correct horse' }
    await server.send('POST', '/api/auth/local/register', { body: user })
    await server.send('POST', '/api/auth/forgot-password', { body: { email: user.email } })
    await until(() => mails.length === 1, WAIT_MS)
    expect(mails[0]).to.include({ to: user.email, subject: 'Reset password' })
  })

  it('stores files in the storage of an extension', async () => {
    const { body } = await server.send('POST', '/api/upload', {
      headers: MULTIPART,
      body: multipart({ files: [{ name: 'a.txt', content: 'some words' }] }),
    })
    const [file] = body as Json[]
    expect(file.provider).to.equal('folder')
    const { status, text } = await server.send('GET', file.url, { token: null })
    expect([status, text]).to.deep.equal([200, 'some words'])
    const removed = await server.send('DELETE', `/api/upload/files/${file.id}`)
    expect(removed.status).to.equal(200)
    expect((await server.send('GET', file.url, { token: null })).status).to.equal(404)
  })
})

function folderStorage(folder: string): StorageProvider {
  const fileOf = (name: string): string => path.join(folder, name)
  return {
    provider: 'folder',
    put: (name, from) => Promise.resolve(renameSync(from, fileOf(name))),
    rename: (from, to) => Promise.resolve(renameSync(fileOf(from), fileOf(to))),
    get: (name) => {
      const found = statSync(fileOf(name), { throwIfNoEntry: false })
      if (found === undefined) return Promise.resolve(null)
      const { size, mtime: modifiedAt } = found
      const read: NonNullable<Awaited<ReturnType<StorageProvider['get']>>>['read'] = (range) =>
        createReadStream(fileOf(name), range)
      return Promise.resolve({ size, etag: `"${size}-${modifiedAt.getTime()}"`, modifiedAt, read })
    },
    remove: (name) => Promise.resolve(rmSync(fileOf(name), { force: true })),
    urlOf: (name) => `/uploads/${name}`,
    list: async function* () {},
    leftovers: async function* () {},
  }
}
