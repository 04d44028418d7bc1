import { expect } from 'chai'
import { type Document, MongoClient } from 'mongodb'
import { defineExtension } from '../../../src/extensions/extension.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { sendSoon } from '../../support/plan-ahead.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const NOTE = 'api::note.note'
const LOCAL = { pluginOptions: { i18n: { localized: true } } }

const CONTENT_TYPES = {
  note: declare(
    'note',
    {
      title: { type: 'string' },
      code: { type: 'string', unique: true },
      picture: { type: 'media' },
      boxes: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::box.box',
        mappedBy: 'notes',
      },
    },
    { draftAndPublish: true },
  ),
  box: declare('box', {
    title: { type: 'string' },
    notes: { type: 'relation', relation: 'manyToMany', target: NOTE, inversedBy: 'boxes' },
  }),
  page: declare(
    'page',
    { title: { type: 'string', ...LOCAL }, shared: { type: 'string' } },
    { localized: true },
  ),
  home: declare('home', { title: { type: 'string' } }, { kind: 'singleType' }),
}

const VERBS = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish']
const ACTIONS = ['note', 'box', 'page', 'home']
  .flatMap((name) => VERBS.map((verb) => `api::${name}.${name}.${verb}`))
  .filter((action) => !/home\.(findOne|create)|(box|page|home)\.(readDrafts|publish)/.test(action))
  .concat('plugin::upload.content-api.upload')

interface Author {
  readonly kind: string
  readonly id: string | number
}

interface Caller {
  readonly author: Author | null
  readonly send: (method: string, target: string, body?: unknown) => Promise<Answer>
  readonly token: string | null
}

describe('the authors of versions', () => {
  let server: TestServer
  let client: MongoClient
  let editor: AdminClient
  const callers = new Map<string, Caller>()

  before(async () => {
    server = await serve('version_authors', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
      extensions: [defineExtension({ name: 'robot' })],
    })
    client = await MongoClient.connect(server.uri)
    const { id } = await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    callers.set('administrator', {
      author: { kind: 'administrator', id },
      token: null,
      send: (method, target, body) => editor.send(method, target, body),
    })
    const asBearer = (author: Author | null, token: string): Caller => ({
      author,
      token,
      send: (method, target, body) =>
        server.send(method, target, { token, ...(body !== undefined && { body }) }),
    })
    const made = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'writer', type: 'full-access' },
    })
    const { id: tokenId, accessKey } = made.body.data
    callers.set('API token', asBearer({ kind: 'apiToken', id: tokenId }, accessKey))
    const permitted = await server.send('PUT', '/admin/roles/authenticated', {
      body: { permissions: ACTIONS },
    })
    expect(permitted.status, permitted.text).to.equal(200)
    const registered = await server.send('POST', '/api/auth/local/register', {
      token: null,
      body: { username: 'una', email: 'una@example.org', password: 'correct horse battery' },
    })
    const { jwt, user } = registered.body
    callers.set('user', asBearer({ kind: 'user', id: user.documentId }, jwt))
    callers.set('root', asBearer(null, 'root-token-of-the-test'))
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const rowsOf = (type: string, documentId: string): Promise<readonly Document[]> =>
    client.db(server.database).collection(`${type}_versions`).find({ documentId }).toArray()
  const authorsOf = (row: Document | undefined): readonly unknown[] => [
    row?.['createdBy'] ?? null,
    row?.['updatedBy'] ?? null,
  ]
  const done = ({ status, text, body }: Answer): Json => {
    expect(status, text).to.be.oneOf([200, 201, 204])
    return body?.data
  }
  const caller = (name: string): Caller => {
    const known = callers.get(name)
    if (known === undefined) throw new Error(name)
    return known
  }
  let number = 0
  const code = (): string => `code-${(number += 1)}`
  /** A note that root has created, so that its creator is null. */
  const stored = async (status = 'draft'): Promise<string> =>
    done(await server.post(`/api/notes?status=${status}`, { title: 'before' })).documentId

  interface Door {
    readonly door: string
    readonly isNew: boolean
    readonly type?: string
    /** Returns the documentId of the written entry. */
    readonly write: (by: Caller) => Promise<string>
  }

  const bulk = async (by: Caller, line: object, query: string): Promise<string> => {
    const answer = await server.send('POST', `/api/_bulk${query}`, {
      token: by.token,
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify(line),
    })
    expect(answer.text).to.match(/created|updated/)
    return JSON.parse(answer.text.split('\n')[0] ?? '').documentId
  }
  const tool = async (by: Caller, name: string, args: object): Promise<Json> => {
    const params = { name, arguments: args }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await server.send('POST', '/mcp', { token: by.token, body })
    const { content, isError = false } = answer.body.result
    expect(isError, answer.text).to.equal(false)
    return JSON.parse(content[0].text)
  }

  const API_DOORS: readonly Door[] = [
    {
      door: 'POST /api/:plural',
      isNew: true,
      write: async (by) =>
        done(await by.send('POST', '/api/notes?status=draft', { data: { title: 'a' } })).documentId,
    },
    {
      door: 'POST /api/:plural as published',
      isNew: true,
      write: async (by) =>
        done(await by.send('POST', '/api/notes?status=published', { data: { title: 'a' } }))
          .documentId,
    },
    {
      door: 'POST /api/:plural with an Idempotency-Key',
      isNew: true,
      write: async (by) => {
        const answer = await server.send('POST', '/api/notes', {
          token: by.token,
          headers: { 'idempotency-key': code() },
          body: { data: { title: 'a' } },
        })
        return done(answer).documentId
      },
    },
    {
      door: 'PUT /api/:plural/:documentId',
      isNew: false,
      write: async (by) => {
        const target = `/api/notes/${await stored()}?status=draft`
        return done(await by.send('PUT', target, { data: { title: 'b' } })).documentId
      },
    },
    {
      door: 'PUT /api/:plural/:documentId as published',
      isNew: false,
      write: async (by) => {
        const target = `/api/notes/${await stored('published')}?status=published`
        return done(await by.send('PUT', target, { data: { title: 'b' } })).documentId
      },
    },
    {
      door: 'PUT /api/:singular',
      isNew: true,
      type: 'home',
      write: async (by) => {
        await server.delete('/api/home')
        return done(await by.send('PUT', '/api/home', { data: { title: 'a' } })).documentId
      },
    },
    ...['publish', 'discard'].map((action): Door => ({
      door: `POST /api/:plural/:documentId/actions/${action}`,
      isNew: false,
      write: async (by) => {
        const documentId = await stored('published')
        await server.put(`/api/notes/${documentId}?status=draft`, { title: 'changed' })
        done(await by.send('POST', `/api/notes/${documentId}/actions/${action}`))
        return documentId
      },
    })),
    ...['', '?atomic=true'].flatMap((query): readonly Door[] => [
      {
        door: `POST /api/_bulk${query}, a new document`,
        isNew: true,
        write: (by) =>
          bulk(by, { op: 'upsert', type: 'note', key: { code: code() }, data: {} }, query),
      },
      {
        door: `POST /api/_bulk${query}, a stored document`,
        isNew: false,
        write: async (by) => {
          const documentId = await stored()
          return bulk(by, { op: 'upsert', type: 'note', documentId, data: { title: 'b' } }, query)
        },
      },
    ]),
    {
      door: 'POST /api/:plural of the inverse side',
      isNew: false,
      type: 'box',
      write: async (by) => {
        const box = done(await server.post('/api/boxs', { title: 'box' })).documentId
        done(await by.send('POST', '/api/notes?status=published', { data: { boxes: [box] } }))
        return box
      },
    },
    {
      door: 'POST /api/upload with a reference',
      isNew: false,
      write: async (by) => {
        const documentId = await stored()
        const fields = { ref: NOTE, refId: documentId, field: 'picture' }
        const body = multipart({ fields, files: [{ name: 'a.txt', content: 'a' }] })
        done(
          await server.send('POST', '/api/upload', { token: by.token, headers: MULTIPART, body }),
        )
        return documentId
      },
    },
  ]

  const TOOL_DOORS: readonly Door[] = [
    {
      door: 'MCP create',
      isNew: true,
      write: async (by) =>
        (await tool(by, 'create', { type: 'note', data: { title: 'a' } })).data.documentId,
    },
    {
      door: 'MCP update',
      isNew: false,
      write: async (by) => {
        const documentId = await stored()
        const entry = { type: 'note', documentId }
        const { revision } = await tool(by, 'get', { ...entry, status: 'draft' })
        await tool(by, 'update', { ...entry, revision, data: { title: 'b' } })
        return documentId
      },
    },
  ]

  const EDITOR_DOORS: readonly Door[] = [
    {
      door: 'POST /admin/content/:uid',
      isNew: true,
      write: async (by) =>
        done(await by.send('POST', `/admin/content/${NOTE}`, { data: { title: 'a' } })).documentId,
    },
    {
      door: 'PUT /admin/content/:uid/:documentId',
      isNew: false,
      write: async (by) => {
        const target = `/admin/content/${NOTE}/${await stored()}`
        return done(await by.send('PUT', target, { data: { title: 'b' } })).documentId
      },
    },
    {
      door: 'POST /admin/content/:uid/bulk',
      isNew: false,
      write: async (by) => {
        const documentId = await stored()
        const body = { action: 'publish', documentIds: [documentId] }
        done(await by.send('POST', `/admin/content/${NOTE}/bulk`, body))
        return documentId
      },
    },
    {
      door: 'a restore from the history',
      isNew: false,
      write: async (by) => {
        const documentId = await stored()
        await server.put(`/api/notes/${documentId}`, { title: 'b' })
        await server.settled()
        const history = `/admin/history/${NOTE}/${documentId}`
        const { revision } = done(await by.send('GET', history)).at(-1)
        done(await by.send('POST', `${history}/${revision}/restore`))
        return documentId
      },
    },
    {
      door: 'a restore from the trash',
      isNew: false,
      write: async (by) => {
        const documentId = await stored()
        await server.delete(`/api/notes/${documentId}`)
        done(await by.send('POST', `/admin/trash/${NOTE}/${documentId}/restore`, { data: {} }))
        return documentId
      },
    },
    {
      door: 'a release',
      isNew: false,
      write: async (by) => {
        const documentId = await stored()
        const { id } = done(await by.send('POST', '/admin/releases', { data: { name: code() } }))
        const items = [{ uid: NOTE, documentId, action: 'publish' }]
        await by.send('POST', `/admin/releases/${id}/items`, { data: { items } })
        done(await by.send('POST', `/admin/releases/${id}/actions/publish`))
        return documentId
      },
    },
    {
      door: 'a schedule',
      isNew: false,
      write: async (by) => {
        const documentId = await stored()
        const target = `/admin/content/${NOTE}/${documentId}/actions/publish`
        const answer = await sendSoon((at) => by.send('POST', target, { data: { at } }))
        expect(answer.status, answer.text).to.equal(202)
        await until(async () => (await rowsOf('note', documentId)).length === 2, 20_000)
        return documentId
      },
    },
  ]

  const DOORS = [
    ...['user', 'API token', 'root'].flatMap((by) => API_DOORS.map((door) => ({ by, ...door }))),
    ...['API token', 'root'].flatMap((by) => TOOL_DOORS.map((door) => ({ by, ...door }))),
    ...EDITOR_DOORS.map((door) => ({ by: 'administrator', ...door })),
  ]

  for (const { by, door, isNew, type = 'note', write } of DOORS) {
    it(`stores the author of a write: ${door} by ${by}`, async () => {
      const { author } = caller(by)
      const rows = await rowsOf(type, await write(caller(by)))
      expect(rows).not.to.have.lengthOf(0)
      const changed = rows.filter(({ updatedBy = null }) => updatedBy !== null || author === null)
      expect(changed).not.to.have.lengthOf(0)
      for (const row of changed) {
        expect(authorsOf(row)).to.deep.equal([isNew ? author : null, author])
      }
    })
  }

  it('keeps the creator when others change and publish the entry', async () => {
    const [user, token] = [caller('user'), caller('API token')]
    const { documentId } = done(await user.send('POST', '/api/notes', { data: { title: 'a' } }))
    const draft = `/api/notes/${documentId}?status=draft`
    done(await token.send('PUT', draft, { data: { title: 'b' } }))
    done(await user.send('POST', `/api/notes/${documentId}/actions/publish`))
    const expected = [user.author, user.author]
    const published = await rowsOf('note', documentId)
    expect(published.map(authorsOf)).to.deep.equal([expected, expected])
    done(await token.send('PUT', `/api/notes/${documentId}?status=published`, { data: {} }))
    const later = await rowsOf('note', documentId)
    expect(later.map(authorsOf)).to.deep.equal([
      [user.author, token.author],
      [user.author, token.author],
    ])
  })

  it('stores the author of a locale, and of shared values in the other locales', async () => {
    const [user, token] = [caller('user'), caller('API token')]
    const { documentId } = done(await user.send('POST', '/api/pages', { data: { title: 'a' } }))
    const page = `/api/pages/${documentId}`
    done(await token.send('PUT', `${page}?locale=fr`, { data: { title: 'f' } }))
    const byLocale = async (): Promise<unknown> =>
      Object.fromEntries(
        (await rowsOf('page', documentId)).map((row) => [row['locale'], authorsOf(row)]),
      )
    expect(await byLocale()).to.deep.equal({
      en: [user.author, user.author],
      fr: [token.author, token.author],
    })
    done(await user.send('PUT', `${page}?locale=fr`, { data: { shared: 's' } }))
    done(await token.send('PUT', page, { data: { shared: 't' } }))
    expect(await byLocale()).to.deep.equal({
      en: [user.author, token.author],
      fr: [token.author, token.author],
    })
  })

  it('stores no author for extensions', async () => {
    const notes = server.contentFor('robot')['notes']
    const made = await notes?.create({ title: 'a' }, { as: 'system' })
    const [row] = await rowsOf('note', String(made?.['documentId']))
    expect(authorsOf(row)).to.deep.equal([null, null])
  })

  it('keeps the authors of each version in the history, and shows them in no response', async () => {
    const [user, token] = [caller('user'), caller('API token')]
    const created = await user.send('POST', '/api/notes?status=published', { data: { title: 'a' } })
    const { documentId } = done(created)
    const target = `/api/notes/${documentId}`
    done(await token.send('PUT', `${target}?status=draft`, { data: { title: 'b' } }))
    const { createdBy, updatedBy } = (await rowsOf('note', documentId)).find(
      ({ status }) => status === 'draft',
    ) as Document
    expect([createdBy, updatedBy]).to.deep.equal([user.author, token.author])
    await server.settled()
    const rows = await client
      .db(server.database)
      .collection('quire_commits')
      .find({ documentId })
      .sort({ _id: 1 })
      .toArray()
    const stored = rows.map(({ versions }) => {
      const [first, last] = [versions.at(0), versions.at(-1)]
      return { ...first.content, ...last.content, ...last.differs }
    })
    expect(stored.map(authorsOf)).to.deep.equal([
      [user.author, user.author],
      [user.author, token.author],
    ])
    const history = `/admin/history/${NOTE}/${documentId}`
    const { revision } = done(await editor.send('GET', history))[0]
    const shown = [
      created,
      await token.send('GET', `${target}?populate=*`),
      await token.send('GET', `/api/notes?populate=*&filters[documentId]=${documentId}`),
      await token.send('GET', '/api/_sync?types=note'),
      await editor.send('GET', `/admin/content/${NOTE}/${documentId}`),
      await editor.send('GET', history),
      await editor.send('GET', `${history}/${revision}`),
    ]
    for (const { text, status } of shown) {
      expect(status, text).to.be.oneOf([200, 201])
      expect(text).not.to.match(/createdBy|updatedBy/)
    }
  })
})
