import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import { historyId } from '../../../src/mongo/connection/history-rows.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { until } from '../../support/until.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, ...LOCALIZED },
      notes: { type: 'text', private: true, ...LOCALIZED },
      secret: { type: 'password' },
      hits: { type: 'integer', writable: false },
      rank: { type: 'integer' },
      seo: { type: 'component', component: 'shared.seo', ...LOCALIZED },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::tag.tag',
        inversedBy: 'articles',
      },
    },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', {
    name: { type: 'string' },
    articles: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::article.article',
      mappedBy: 'tags',
    },
  }),
  'components/shared/seo': { attributes: { words: { type: 'string' }, key: { type: 'password' } } },
}
const UID = 'api::article.article'
const ARTICLES = `/admin/content/${UID}`

describe('/admin/history', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('history', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['de', 'fr'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const historyOf = (documentId: string): string => `/admin/history/${UID}/${documentId}`
  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await editor.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return answer.body
  }
  const create = async (data: object): Promise<Json> => (await ok('POST', ARTICLES, { data })).data
  const listed = async (documentId: string, query = ''): Promise<Json[]> =>
    (await ok('GET', `${historyOf(documentId)}${query}`)).data

  it('lists every write of a document from every route, newest first', async () => {
    const { documentId } = await create({ title: 'One', notes: 'n', secret: 'hush hush' })
    await ok('PUT', `${ARTICLES}/${documentId}`, { data: { title: 'Two' } })
    await ok('POST', `${ARTICLES}/${documentId}/actions/publish`)
    const direct = await server.send('PUT', `/api/articles/${documentId}?status=draft`, {
      body: { data: { title: 'Three' } },
    })
    expect(direct.status, direct.text).to.equal(200)
    const found = await listed(documentId)
    expect(found.map(({ op, status, by }) => [op, status, by.kind])).to.deep.equal([
      ['put', 'draft', 'root'],
      ['put', 'published', 'administrator'],
      ['put', 'draft', 'administrator'], // the publication has the same revision
      ['put', 'draft', 'administrator'],
      ['put', 'draft', 'administrator'],
    ])
    expect(found[1]).to.include({ locale: 'en' })
    expect(found[1]?.revision).to.equal(found[2]?.revision)
    expect(await listed(documentId, '?status=published')).to.have.length(1)
    expect(await listed(documentId, '?locale=fr')).to.deep.equal([])
  })

  it('names the changed attributes, across pages and locales, and marks a restore', async () => {
    const { documentId } = await create({ title: 'One', notes: 'n', secret: 'hush hush' })
    await ok('PUT', `${ARTICLES}/${documentId}?locale=fr`, { data: { title: 'Un' } })
    const [first] = await listed(documentId, '?locale=en')
    await ok('PUT', `${ARTICLES}/${documentId}`, { data: { title: 'Two', seo: { words: 'w' } } })
    await ok('POST', `${ARTICLES}/${documentId}/actions/publish`)
    await ok('PUT', `${ARTICLES}/${documentId}`, { data: { notes: 'm', secret: 'hush hush!' } })
    await ok('POST', `${historyOf(documentId)}/${first?.revision}/restore`)
    const brief = (rows: readonly Json[]) =>
      rows.map(({ status, changed, via, isNew }) => [status, changed, via, isNew])
    const english = await listed(documentId, '?locale=en&changes=true')
    const wanted = [
      ['draft', ['title', 'notes', 'seo'], 'restore', undefined],
      ['draft', ['notes'], undefined, undefined],
      ['published', undefined, undefined, undefined],
      ['draft', [], undefined, undefined], // published with the same values
      ['draft', ['title', 'seo'], undefined, undefined],
      ['draft', undefined, undefined, true],
    ]
    expect(brief(english)).to.deep.equal(wanted)
    const paged: Json[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&pagination[cursor]=${cursor}`
      const query = `?locale=en&changes=true&pagination[pageSize]=1${after}`
      const { data, meta } = await ok('GET', `${historyOf(documentId)}${query}`)
      paged.push(...data)
      cursor = meta.pagination.nextCursor
    }
    expect(brief(paged)).to.deep.equal(wanted)
    const french = await listed(documentId, '?locale=fr&changes=true')
    expect(french.map(({ changed }) => changed)).to.deep.equal([[], undefined]) // a shared password
    expect((await listed(documentId))[0]).to.not.have.property('changed')
    const refused = await editor.send('GET', `${historyOf(documentId)}?changes[$ne]=1`)
    expect(refused.status).to.equal(400)
  })

  it('compares and restores a current version that the history lacks', async () => {
    const { documentId } = await create({ title: 'Imported', secret: 'hush hush' })
    await ok('POST', `${ARTICLES}/${documentId}/actions/publish`)
    const client = await MongoClient.connect(server.uri)
    const log = client.db(server.database).collection<{ readonly _id: string }>(COMMITS)
    await log.deleteMany({ _id: new RegExp(`^${historyId(documentId, '')}`) })
    await client.close()
    await ok('PUT', `${ARTICLES}/${documentId}`, { data: { title: 'Edited' } })
    const [state] = (await ok('GET', `${ARTICLES}/${documentId}/locales`)).data
    const { from, to } = state.changes
    const { data } = await ok('GET', `${historyOf(documentId)}/diff?from=${from}&to=${to}`)
    expect(data.from).to.deep.include({ commit: null, revision: from, status: 'published' })
    expect(data.changes.map((one: Json) => [one.attribute, one.from, one.to])).to.deep.equal([
      ['title', 'Imported', 'Edited'],
    ])
    const past = (await ok('GET', `${historyOf(documentId)}/${from}`)).data
    expect(past.content).to.not.have.property('secret')
    expect(past.unknown).to.deep.equal({})
    const restored = await ok('POST', `${historyOf(documentId)}/${from}/restore`)
    expect(restored.data.title).to.equal('Imported')
    const other = await editor.send('GET', `${historyOf(documentId)}/${from}?locale=fr`)
    expect(other.status).to.equal(404)
  })

  it('shows a version without passwords and inverse relations', async () => {
    const tag = await server.send('POST', '/api/tags', { body: { data: { name: 't' } } })
    const { documentId } = await create({
      title: 'One',
      notes: 'private',
      secret: 'hush hush',
      seo: { words: 'w', key: 'hush hush' },
      tags: [tag.body.data.documentId],
    })
    const [first] = await listed(documentId)
    const { data } = await ok('GET', `${historyOf(documentId)}/${first?.revision}`)
    expect(data.content).to.deep.include({
      title: 'One',
      notes: 'private',
      tags: [tag.body.data.documentId],
    })
    expect(data.content.seo).to.have.keys('words')
    expect(JSON.stringify(data)).to.not.include('hush').and.not.include('argon2')
  })

  it('returns the differences of two versions, word by word for texts', async () => {
    const { documentId } = await create({ title: 'The cat sat', notes: 'same' })
    await ok('PUT', `${ARTICLES}/${documentId}`, { data: { title: 'The dog sat' } })
    const [to, from] = await listed(documentId)
    const query = `?from=${from?.revision}&to=${to?.revision}`
    const { data } = await ok('GET', `${historyOf(documentId)}/diff${query}`)
    expect(data.changes).to.deep.equal([
      {
        attribute: 'title',
        from: 'The cat sat',
        to: 'The dog sat',
        words: [
          { op: 'same', text: 'The ' },
          { op: 'removed', text: 'cat' },
          { op: 'added', text: 'dog' },
          { op: 'same', text: ' sat' },
        ],
      },
    ])
  })

  it('restores a version or one attribute as a draft, without deleted entries', async () => {
    const made = await Promise.all(
      ['a', 'b'].map((name) => server.send('POST', '/api/tags', { body: { data: { name } } })),
    )
    const [kept, lost] = made.map(({ body }) => body.data.documentId)
    const seo = { words: 'old' }
    const { documentId } = await create({ title: 'Old', notes: 'old', seo, tags: [lost, kept] })
    const [old] = await listed(documentId)
    const next = { title: 'New', notes: 'new', seo: { words: 'new' }, tags: [] }
    await ok('PUT', `${ARTICLES}/${documentId}?status=published`, { data: next })
    await server.delete(`/api/tags/${lost}`)
    const path = `${historyOf(documentId)}/${old?.revision}/restore`

    await ok('POST', path, { attributes: ['notes'] })
    const shown = async (status: string): Promise<Json> =>
      (await ok('GET', `${ARTICLES}/${documentId}?status=${status}&populate=*`)).data
    expect(await shown('draft')).to.include({ title: 'New', notes: 'old' })

    await ok('POST', path)
    const draft = await shown('draft')
    expect(draft).to.include({ title: 'Old', notes: 'old' })
    expect(draft.seo).to.include({ words: 'old' })
    expect(draft.tags.map((one: Json) => one.documentId)).to.deep.equal([kept])
    expect(await shown('published')).to.include({ title: 'New' })
    const stale = await server.send('POST', path, { headers: { 'if-match': '"0000000000000000"' } })
    expect(stale.status, stale.text).to.equal(412)
  })

  it('restores a version without changes to its equal components', async () => {
    const { documentId } = await create({ title: 'One', seo: { words: 'w', key: 'hush hush' } })
    await ok('POST', `${ARTICLES}/${documentId}/actions/publish`)
    const seo = async (): Promise<Json> =>
      (await ok('GET', `${ARTICLES}/${documentId}?populate=*`)).data.seo
    const before = await seo()
    const [{ revision }] = await listed(documentId)
    await ok('PUT', `${ARTICLES}/${documentId}`, { data: { title: 'Two' } })
    await ok('POST', `${historyOf(documentId)}/${revision}/restore`)
    expect(await seo()).to.deep.equal(before)
    const [state] = (await ok('GET', `${ARTICLES}/${documentId}/locales`)).data
    expect(state.changes?.attributes ?? []).to.deep.equal([])
    await ok('POST', `${historyOf(documentId)}/${revision}/restore`)
    expect((await listed(documentId))[0]).to.include({ via: 'restore' })
  })

  it('distinguishes locales that one write gave the same revision', async () => {
    const { documentId } = await create({ title: 'English' })
    const inLocale = (locale: string, data: object) =>
      ok('PUT', `${ARTICLES}/${documentId}?locale=${locale}`, { data })
    await inLocale('de', { title: 'German' })
    await inLocale('fr', { title: 'French' })
    await inLocale('en', { rank: 1 }) // shared by all locales
    const newest = async (locale: string): Promise<Json> =>
      (await listed(documentId, `?locale=${locale}`))[0]
    const [german, french] = [await newest('de'), await newest('fr')]
    expect(german.revision).to.equal(french.revision)
    await ok('POST', `${ARTICLES}/${documentId}/actions/publish?locale=fr`)
    const path = `${historyOf(documentId)}/${german.revision}`
    const shown = async (locale: string): Promise<Json> =>
      (await ok('GET', `${path}?locale=${locale}`)).data
    expect(await shown('de')).to.deep.include({ locale: 'de', revision: german.revision })
    expect((await shown('de')).content).to.include({ title: 'German' })
    expect((await shown('fr')).content).to.include({ title: 'French' })

    await inLocale('de', { title: 'Deutsch' })
    const range = `from=${german.revision}&to=${(await newest('de')).revision}`
    const { data } = await ok('GET', `${historyOf(documentId)}/diff?${range}&locale=de`)
    expect(data.changes.map(({ attribute, from }: Json) => [attribute, from])).to.deep.equal([
      ['title', 'German'],
    ])
    await ok('POST', `${path}/restore?locale=de`)
    const draft = await ok('GET', `${ARTICLES}/${documentId}?status=draft&locale=de`)
    expect(draft.data).to.include({ title: 'German' })

    for (const [method, target] of [
      ['GET', path],
      ['GET', `${historyOf(documentId)}/diff?${range}`],
      ['POST', `${path}/restore`],
    ] as const) {
      const refused = await editor.send(method, target)
      expect(refused.status, `${method} ${target} ${refused.text}`).to.equal(400)
      expect(refused.body.error.details).to.deep.include({ path: 'locale' })
    }
    expect((await editor.send('GET', `${path}?locale=en`)).status).to.equal(404)
    expect((await editor.send('GET', `${path}?locale=xx`)).status).to.equal(400)
    expect((await editor.send('POST', `${path}/restore?other=de`)).status).to.equal(400)
  })

  it('continues at the end of a page', async () => {
    const { documentId } = await create({ title: '0' })
    for (const title of ['1', '2', '3', '4']) {
      await ok('PUT', `${ARTICLES}/${documentId}`, { data: { title } })
    }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&pagination[cursor]=${cursor}`
      const { data, meta } = await ok(
        'GET',
        `${historyOf(documentId)}?pagination[pageSize]=2${after}`,
      )
      seen.push(...data.map((one: Json) => one.revision))
      cursor = meta.pagination.nextCursor
    }
    expect(seen).to.have.length(5)
    expect(new Set(seen).size).to.equal(5)
  })

  it('refuses unknown revisions, types, cursors and members', async () => {
    const { documentId } = await create({ title: 'One' })
    const rows: readonly (readonly [string, string, unknown, number])[] = [
      ['GET', `${historyOf(documentId)}/0123456789abcdef`, undefined, 404],
      ['GET', `${historyOf(documentId)}/nonsense`, undefined, 404],
      ['GET', `${historyOf(documentId)}/diff?from=x&to=y`, undefined, 400],
      ['GET', `${historyOf(documentId)}?pagination[cursor][$gt]=1`, undefined, 400],
      ['GET', `${historyOf(documentId)}?locale=xx`, undefined, 400],
      ['GET', `/admin/history/api::nothing.nothing/${documentId}`, undefined, 404],
      ['GET', `/admin/history/plugin::upload.file/${documentId}`, undefined, 404],
      ['POST', `${historyOf(documentId)}/0123456789abcdef/restore`, { other: 1 }, 400],
    ]
    for (const [method, target, body, status] of rows) {
      const answer = await editor.send(method, target, body)
      expect(answer.status, `${method} ${target} ${answer.text}`).to.equal(status)
    }
    const [first] = await listed(documentId)
    const unknown = { attributes: ['nothing'] }
    const path = `${historyOf(documentId)}/${first?.revision}/restore`
    expect((await editor.send('POST', path, unknown)).status).to.equal(400)
  })

  it('shows versions in locales with readable drafts only, and restores them in writable locales only', async () => {
    const permissions = ['find', 'findOne', 'readDrafts'].map((verb) => ({
      action: `${UID}.${verb}`,
      locales: ['fr'],
    }))
    await addRole(server, 'french', permissions)
    await addAdministrator(server, 'Amelie', ['french'])
    const amelie = await signIn(server, 'amelie@example.org')
    const { documentId } = await create({ title: 'English' })
    await ok('PUT', `${ARTICLES}/${documentId}?locale=fr`, { data: { title: 'French' } })
    const answer = await amelie.send('GET', historyOf(documentId))
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.data.map((one: Json) => one.locale)).to.deep.equal(['fr'])
    const english = (await listed(documentId, '?locale=en')).at(-1)
    const french = answer.body.data[0]
    const refused = await amelie.send('GET', `${historyOf(documentId)}/${english?.revision}`)
    expect(refused.status).to.equal(404)
    const restored = await amelie.send(
      'POST',
      `${historyOf(documentId)}/${french.revision}/restore`,
    )
    expect(restored.status).to.equal(403)
  })
})

describe('/admin/audit', () => {
  let server: TestServer

  before(async () => {
    server = await serve('audit', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      permitted: ['plugin::users-permissions.auth.callback'],
    })
  })
  after(() => server.close())

  const rows = async (query: string): Promise<Json[]> => {
    const answer = await server.get(`/admin/audit${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }

  /** A commit gets its number within a second. */
  const untilFound = (query: string, count: number): Promise<void> =>
    until(async () => (await rows(query)).length >= count, 5_000)

  it('returns the author and the request of each change of content and rights', async () => {
    const token = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'app', type: 'full-access' },
    })
    const { accessKey, id } = token.body.data
    const made = await server.send('POST', '/api/articles', {
      token: accessKey,
      body: { data: { title: 'One' } },
    })
    const { documentId } = made.body.data
    await untilFound(`?documentId=${documentId}`, 1)
    const [row, ...others] = await rows(`?documentId=${documentId}`)
    expect(others).to.deep.equal([])
    expect(row?.by).to.deep.equal({ kind: 'apiToken', id, name: 'app' })
    expect(row?.requestId).to.equal(made.headers['x-request-id'])
    expect(row?.items.map((item: Json) => [item.type, item.status, item.op])).to.have.deep.members([
      [UID, 'published', 'put'],
      [UID, 'draft', 'put'],
    ])
    expect(JSON.stringify(row)).to.not.include('content')
    expect(await rows(`?by[kind]=apiToken&by[id]=${id}`)).to.have.length(1)
    expect(await rows('?by[kind]=nobody')).to.deep.equal([])
    expect(await rows('?until=2000-01-01')).to.deep.equal([])
    const about = await rows('?by[kind]=root')
    expect(about.length).to.be.greaterThan(0)
  })

  it('streams a line per commit if requested, and continues at the end of a page', async () => {
    const since = new Date().toISOString()
    for (const title of ['a', 'b', 'c']) {
      await server.send('POST', '/api/articles', { body: { data: { title } } })
    }
    await untilFound(`?since=${since}`, 3)
    const headers = { accept: 'application/x-ndjson' }
    const answer = await server.get('/admin/audit?pagination[pageSize]=2', { headers })
    expect(answer.headers['content-type']).to.include('application/x-ndjson')
    const lines = answer.text.trim().split('\n')
    expect(lines).to.have.length(2)
    const [first, second] = lines.map((line) => (JSON.parse(line) as { readonly seq: number }).seq)
    expect(Number(first)).to.be.greaterThan(Number(second))
    const next = answer.headers['next-cursor']
    const [third] = await rows(`?pagination[cursor]=${String(next)}&pagination[pageSize]=1`)
    expect(third?.seq).to.be.lessThan(Number(second))
  })

  const items = async (query: string): Promise<Json[]> =>
    (await rows(query)).map(({ items: [item] }) => item)

  it('records failed sign-ins without the typed texts', async () => {
    const { id } = await addAdministrator(server, 'Grace', ['editor'])
    const headers = { 'sec-fetch-site': 'same-origin' }
    const enter = async (path: string, body: object): Promise<unknown> => {
      const answer = await server.send('POST', `/admin/${path}`, { token: null, body, headers })
      expect(answer.status).to.equal(400)
      return answer.headers['x-request-id']
    }
    const wrong = { email: 'grace@example.org', password: 'my other password' }
    const asked = [
      await enter('session', wrong),
      await enter('session', { ...wrong, email: 'typed-a-password-here@example.org' }),
      await enter('session/link', { token: 'x'.repeat(43) }),
    ]
    const failures = '?type=admin::failed-sign-in'
    await untilFound(failures, 3)
    const found = await rows(failures)
    expect(found.map(({ requestId }) => requestId as unknown)).to.deep.equal(asked.toReversed())
    const about = (await items(failures)).map(({ documentId }) => documentId as unknown)
    expect(about).to.deep.equal(['unknown', 'unknown', id])
    expect(found[0].by).to.deep.equal({ kind: 'anonymous', id: null, name: null })
    const text = JSON.stringify(await rows(''))
    expect(text).not.to.include('typed-a-password').and.not.include('my other')
  })

  it('records sign-ins and sign-outs of an administrator', async () => {
    const { id } = await addAdministrator(server, 'Joan', ['editor'])
    const joan = await signIn(server, 'joan@example.org')
    expect((await joan.send('DELETE', '/admin/session')).status).to.equal(204)
    const sessions = `?type=admin::session&documentId=${id}`
    await untilFound(sessions, 2)
    const found = await rows(sessions)
    const joans = { kind: 'administrator', id, name: 'Joan' }
    expect(found.map(({ by }) => by as unknown)).to.deep.equal([joans, joans])
    expect((await items(sessions)).map(({ op }) => op as unknown)).to.deep.equal(['delete', 'put'])
    expect(new Set(found.map(({ requestId }) => requestId as unknown)).size).to.equal(2)
  })

  it('records successful and failed sign-ins of end users', async () => {
    const password = 'a password of Ada'
    const made = await server.send('POST', '/api/users', {
      body: { username: 'ada', email: 'ada@app.example', password, confirmed: true, role: 1 },
    })
    expect(made.status, made.text).to.equal(201)
    const enter = (identifier: string, typed: string) =>
      server.send('POST', '/api/auth/local', {
        token: null,
        body: { identifier, password: typed },
      })
    const good = await enter('ada', password)
    expect(good.status, good.text).to.equal(200)
    const { documentId } = good.body.user
    const wrong = [await enter('ada', 'my other password'), await enter('typed-here', 'x')]
    expect(wrong.map(({ status }) => status)).to.deep.equal([400, 400])
    const sessions = '?type=plugin::users-permissions.session'
    const failures = '?type=plugin::users-permissions.failed-sign-in'
    await untilFound(sessions, 1)
    await untilFound(failures, 2)
    const [signedIn] = await rows(sessions)
    expect(signedIn?.by).to.deep.equal({ kind: 'user', id: documentId, name: null })
    expect(signedIn?.requestId).to.equal(good.headers['x-request-id'])
    const about = (await items(failures)).map((item) => item.documentId as unknown)
    expect(about).to.have.members(['unknown', documentId])
    expect(JSON.stringify(await rows(''))).not.to.include('typed-here')
  })

  it('records password links, roles and webhooks', async () => {
    const { id } = await addAdministrator(server, 'Mary', ['editor'])
    expect((await server.send('POST', `/admin/administrators/${id}/reset`)).status).to.equal(201)
    await untilFound(`?type=admin::password-link&documentId=${id}`, 1)
    await addRole(server, 'readers', [{ action: 'admin::audit.read' }])
    const hook = { name: 'site', url: 'https://example.org', events: ['entry.publish'] }
    const made = await server.send('POST', '/admin/webhooks', { body: hook })
    await untilFound(`?type=admin::webhook&documentId=${made.body.data.id}`, 1)
    expect(await rows('?type=admin::role&documentId=readers')).to.have.length(1)
  })

  it('returns names if the request asks for them and the caller may see them', async () => {
    const made = await server.send('POST', '/api/articles', { body: { data: { title: 'Named' } } })
    const gone = await server.send('POST', '/api/articles', { body: { data: { title: 'Gone' } } })
    const { documentId } = made.body.data
    const deleted = gone.body.data.documentId
    await server.delete(`/api/articles/${deleted}`)
    const body = { name: 'reader of names', type: 'read-only' }
    const token = String((await server.send('POST', '/admin/api-tokens', { body })).body.data.id)
    await untilFound(`?type=admin::api-token&documentId=${token}`, 1)
    const namesOf = (found: Json[]): Json[] =>
      found.flatMap(({ items }) => items.map(({ name }: Json) => name))
    expect(namesOf(await rows(`?documentId=${documentId}&names=true`))).to.include('Named')
    expect(namesOf(await rows(`?documentId=${deleted}&names=true`))).to.include('Gone')
    const ofTokens = `?type=admin::api-token&documentId=${token}&names=true`
    expect(namesOf(await rows(ofTokens))).to.deep.equal([body.name])
    expect(JSON.stringify(await rows(`?documentId=${documentId}`))).to.not.include('Named')

    await addRole(server, 'auditors', [{ action: 'admin::audit.read' }])
    await addAdministrator(server, 'Auditor', ['auditors'])
    const auditor = await signIn(server, 'auditor@example.org')
    const seen = (await auditor.send('GET', '/admin/audit?names=true&pagination[pageSize]=500'))
      .body
    expect(seen.data.length).to.be.greaterThan(5)
    expect(new Set(namesOf(seen.data))).to.deep.equal(new Set([null]))
  })

  it('finds the commits of an API token by its id alone', async () => {
    const body = { name: 'by id', type: 'full-access' }
    const { accessKey, id } = (await server.send('POST', '/admin/api-tokens', { body })).body.data
    const written = { data: { title: 'By a token' } }
    await server.send('POST', '/api/articles', { token: accessKey, body: written })
    await untilFound(`?by[kind]=apiToken&by[id]=${id}`, 1)
    expect(await rows(`?by[id]=${id}`)).to.have.length(1)
  })

  it('responds with 400 to unknown parameters and values', async () => {
    for (const query of [
      '?other=1',
      '?names=perhaps',
      '?by[kind][$ne]=x',
      '?since=yesterday',
      '?pagination[pageSize]=501',
    ]) {
      expect((await server.get(`/admin/audit${query}`)).status, query).to.equal(400)
    }
  })
})
