import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const localized = { i18n: { localized: true } }

describe('GET /api/_sync', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('sync', {
      contentTypes: {
        'components/shared/part': {
          attributes: {
            text: { type: 'string' },
            tag: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
          },
        },
        article: declare(
          'article',
          {
            title: { type: 'string', pluginOptions: localized },
            area: { type: 'string', pluginOptions: localized },
            secret: { type: 'string', private: true },
            cover: { type: 'media' },
            tags: {
              type: 'relation',
              relation: 'manyToMany',
              target: 'api::tag.tag',
              inversedBy: 'articles',
            },
            parts: { type: 'component', component: 'shared.part', repeatable: true },
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
      },
      locales: ['fr'],
      permitted: ['api::tag.tag.find', 'api::tag.tag.sync'],
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const sync = (query: string, sent: object = {}) => server.get(`/api/_sync?${query}`, sent)

  /** Follows to the end. Returns the items and the last token. */
  async function follow(
    query: string,
    sent: object = {},
  ): Promise<{ items: Json[]; next: string }> {
    const items: Json[] = []
    for (let asked = query; ;) {
      const { status, body, text } = await sync(asked, sent)
      expect(status, text).to.equal(200)
      items.push(...body.items)
      asked = `token=${body.next}`
      if (!body.more) return { items, next: body.next }
    }
  }

  /** Waits until all commits are numbered. */
  const settled = (): Promise<void> => server.settled()

  const summary = (items: readonly Json[]): readonly string[] =>
    items.map(({ op, type, locale, data, reason }) =>
      [op, type, locale ?? '-', data?.title ?? data?.name ?? reason ?? ''].join(' ').trim(),
    )

  async function create(path: string, data: object): Promise<string> {
    const { status, body, text } = await server.post(path, data)
    expect(status, text).to.equal(201)
    return body.data.documentId
  }

  beforeEach(async () => {
    for (const name of ['articles', 'tags']) {
      const { body } = await server.get(
        `/api/${name}?status=draft&locale=*&pagination[pageSize]=100`,
      )
      const ids = new Set<string>(body.data.map(({ documentId }: Json) => documentId))
      for (const id of ids) await server.delete(`/api/${name}/${id}?locale=*`)
    }
    await settled()
  })

  it('returns rows with relations, media and components by documentId, without private attributes', async () => {
    const file = await server.send('POST', '/api/upload', {
      body: multipart({ files: [{ name: 'a.txt', content: 'a' }] }),
      headers: MULTIPART,
    })
    const [{ id, documentId: cover }] = file.body
    const tag = await create('/api/tags', { name: 'one' })
    const article = await create('/api/articles', {
      title: 'a',
      secret: 'hidden',
      cover: id,
      tags: [tag],
      parts: [{ text: 'p', tag }],
    })
    const { items } = await follow('types=article,tag,upload.file')
    expect(summary(items).filter((one) => !one.includes('file'))).to.deep.equal([
      'put article en a',
      'put tag - one',
    ])
    const row = items.find(({ documentId }) => documentId === article)
    expect(row).to.include({ status: 'published' })
    expect(row.data).to.deep.include({ title: 'a', cover, tags: [tag] })
    expect(row.data.parts[0]).to.deep.include({ text: 'p', tag })
    expect(row.data).not.to.have.any.keys('secret', '_id', '_commit', '_revision', '_state')
    expect(items.find(({ documentId }) => documentId === tag).data).not.to.have.property('articles')
    expect(items.find(({ documentId }) => documentId === cover).data.name).to.equal('a.txt')
  })

  it('returns each changed, published or removed entry once', async () => {
    const [first, second, third] = [
      await create('/api/articles', { title: 'first' }),
      await create('/api/articles', { title: 'second' }),
      await create('/api/articles', { title: 'third' }),
    ]
    await settled()
    const { next } = await follow('types=article&locale=*')
    await server.put(`/api/articles/${first}`, { title: 'first again' })
    await server.put(`/api/articles/${first}`, { title: 'first at last' })
    await server.put(`/api/articles/${first}?locale=fr`, { title: 'premier' })
    await server.put(`/api/articles/${second}?status=draft`, { title: 'not yet' })
    await server.send('POST', `/api/articles/${second}/actions/unpublish`)
    await server.delete(`/api/articles/${third}?locale=*`)
    await create('/api/articles?status=draft', { title: 'a draft' })
    await settled()
    const { items, next: last } = await follow(`token=${next}`)
    expect(summary(items)).to.have.members([
      'put article en first at last',
      'put article fr premier',
      'delete article en',
      'delete article en',
    ])
    expect(
      items.filter(({ op }) => op === 'delete').map(({ documentId }) => documentId),
    ).to.have.members([second, third])
    expect(await follow(`token=${last}`)).to.deep.equal({ items: [], next: last })
  })

  it('returns pages, and repeats entries that change behind the cursor', async () => {
    const ids: string[] = []
    for (let each = 0; each < 7; each += 1)
      ids.push(await create('/api/tags', { name: `t${each}` }))
    await settled()
    const first = (await sync('types=tag&limit=3')).body
    expect([first.items.length, first.more]).to.deep.equal([3, true])
    const seen = first.items[0].documentId
    await server.put(`/api/tags/${seen}`, { name: 'changed behind' })
    await server.delete(`/api/tags/${first.items[1].documentId}`)
    await settled()
    const { items } = await follow(`token=${first.next}`)
    const held = new Map<string, string>()
    for (const { op, documentId, data } of [...first.items, ...items]) {
      if (op === 'delete') held.delete(documentId)
      else held.set(documentId, data.name)
    }
    const { body } = await server.get('/api/tags?pagination[pageSize]=100')
    expect(Object.fromEntries(held)).to.deep.equal(
      Object.fromEntries(body.data.map(({ documentId, name }: Json) => [documentId, name])),
    )
    expect(held.get(seen)).to.equal('changed behind')
  })

  it('sends a delete for an entry that no longer matches the filter, and only the requested fields', async () => {
    const ios = await create('/api/articles', { title: 'a', area: 'ios' })
    await create('/api/articles', { title: 'b', area: 'web' })
    await settled()
    const scope = 'types=article&filters[article][area][$eq]=ios&fields[article]=title'
    const { items, next } = await follow(scope)
    expect(items.map(({ data }) => data)).to.deep.equal([
      { id: items[0].data.id, documentId: ios, title: 'a' },
    ])
    await server.put(`/api/articles/${ios}`, { area: 'web' })
    await settled()
    expect(summary((await follow(`token=${next}`)).items)).to.deep.equal(['delete article en'])
  })

  it('syncs drafts with permission to read drafts', async () => {
    const id = await create('/api/articles', { title: 'a' })
    await server.put(`/api/articles/${id}?status=draft`, { title: 'b' })
    await settled()
    const { items, next } = await follow('types=article&status=draft')
    expect(items).to.have.lengthOf(1)
    expect(items[0]).to.deep.include({ status: 'draft' })
    expect(items[0].data.title).to.equal('b')
    await server.send('POST', `/api/articles/${id}/actions/unpublish`)
    await server.put(`/api/articles/${id}?status=draft`, { title: 'c' })
    await settled()
    expect(summary((await follow(`token=${next}`)).items)).to.deep.equal(['put article en c'])
  })

  it('names no other type in the 403 of a caller without a right, and hides which types exist', async () => {
    await server.send('POST', '/admin/api-tokens', { body: { name: 'none', type: 'custom' } })
    const list = (await server.send('GET', '/admin/api-tokens')).body.data
    const { id } = list.find(({ name }: Json) => name === 'none')
    const { accessKey: token } = (await server.send('POST', `/admin/api-tokens/${id}/regenerate`))
      .body.data
    const asked = [sync('types=tag', { token }), sync('types=missing', { token })]
    const [known, unknown] = await Promise.all(asked)
    expect([known?.status, unknown?.status]).to.deep.equal([403, 403])
    expect(known?.text).to.not.include('api::')
    expect(unknown?.body).to.deep.equal(known?.body)
  })

  it('sends a reset for a type that is no longer readable, and its rows after a new grant', async () => {
    await server.send('POST', '/admin/api-tokens', { body: { name: 'app', type: 'custom' } })
    const list = (await server.send('GET', '/admin/api-tokens')).body.data
    const { id } = list.find(({ name }: Json) => name === 'app')
    const { accessKey: token } = (await server.send('POST', `/admin/api-tokens/${id}/regenerate`))
      .body.data
    const permit = (...permissions: readonly string[]) =>
      server.send('PUT', `/admin/api-tokens/${id}`, { body: { permissions } })
    const both = ['api::tag.tag.find', 'api::tag.tag.sync']
    await create('/api/tags', { name: 'one' })
    await settled()
    expect((await sync('types=tag', { token })).status).to.equal(403)
    await permit('api::tag.tag.sync')
    expect((await sync('types=tag', { token })).status, 'without find').to.equal(403)
    await permit(...both, 'api::article.article.sync')
    expect((await sync('types=tag&status=draft', { token })).status).to.equal(200)
    const { items, next } = await follow('types=tag', { token })
    expect(summary(items)).to.deep.equal(['put tag - one'])
    await permit('api::article.article.sync')
    const lost = await follow(`token=${next}`, { token })
    expect(lost.items).to.deep.equal([{ op: 'reset', type: 'tag', reason: 'permission' }])
    expect((await follow(`token=${lost.next}`, { token })).items).to.deep.equal([])
    await permit(...both)
    expect(summary((await follow(`token=${lost.next}`, { token })).items)).to.deep.equal([
      'put tag - one',
    ])
    const forged = (await sync('types=article,tag')).body.next
    const refused = await follow(`token=${forged}`, { token })
    expect(refused.items[0]).to.deep.equal({ op: 'reset', type: 'article', reason: 'permission' })
    expect(refused.items.slice(1).every(({ type }) => type === 'tag')).to.equal(true)
  })

  it('sends a reset for a removed locale, and its rows after the locale is added again', async () => {
    await server.send('POST', '/admin/locales', { body: { code: 'de' } })
    const id = await create('/api/articles', { title: 'a' })
    await server.put(`/api/articles/${id}?locale=de`, { title: 'd' })
    await settled()
    const { next } = await follow('types=article&locale=*')
    await server.send('DELETE', '/admin/locales/de')
    await settled()
    const without = await follow(`token=${next}`)
    expect(without.items).to.deep.equal([
      { op: 'reset', type: 'article', reason: 'locale', locale: 'de' },
    ])
    await server.send('POST', '/admin/locales', { body: { code: 'de' } })
    await settled()
    expect(summary((await follow(`token=${without.next}`)).items)).to.include('put article de d')
    await server.send('DELETE', '/admin/locales/de')
  })

  it('waits until a row changes or the wait is over', async () => {
    const { next } = await follow('types=tag')
    const elapsedMs = startOwnClock()
    const waiting = sync(`token=${next}&wait=20`)
    await create('/api/articles', { title: 'of no interest' })
    await create('/api/tags', { name: 'news' })
    const { body } = await waiting
    expect(elapsedMs()).to.be.below(15_000)
    expect(summary(body.items)).to.deep.equal(['put tag - news'])
    const quiet = await sync(`token=${body.next}&wait=1`)
    expect(quiet.body).to.deep.include({ items: [], more: false })
  })

  it('responds without a query, and with 304, to an up-to-date client', async () => {
    await create('/api/tags', { name: 'one' })
    await settled()
    const { next } = await follow('types=tag', { token: null })
    const answer = await sync(`token=${next}`, { token: null })
    expect(answer.headers['cache-control']).to.equal('public, max-age=1')
    expect(answer.headers.vary).to.contain('Authorization')
    const commands: string[] = []
    server.onCommand(({ name, command }) => {
      if (command[name] === 'tag_versions') commands.push(name)
    })
    const etag = String(answer.headers.etag)
    const again = await sync(`token=${next}`, { token: null, headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).to.deep.equal([304, ''])
    expect((await sync(`token=${next}`)).body).to.deep.equal({ items: [], next, more: false })
    expect((await sync(`token=${next}`)).headers['cache-control']).to.equal('private, no-cache')
    expect(commands).to.deep.equal([])
  })

  it('streams the same items, one per line', async () => {
    await create('/api/tags', { name: 'one' })
    await settled()
    const { body } = await sync('types=tag')
    const { text, headers } = await sync('types=tag', {
      headers: { accept: 'application/x-ndjson' },
    })
    expect(headers['content-type']).to.contain('application/x-ndjson')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    expect(lines).to.deep.equal([...body.items, { next: body.next, more: body.more }])
  })

  it('chooses the format that a client prefers', async () => {
    const typeFor = async (accept: string) =>
      String((await sync('types=tag', { headers: { accept } })).headers['content-type']).split(
        ';',
      )[0]
    for (const [accept, type] of [
      ['application/json, application/x-ndjson', 'application/json'],
      ['application/x-ndjson, application/json', 'application/x-ndjson'],
      ['application/x-ndjson;q=0.5, application/json', 'application/json'],
      ['application/x-ndjson;q=0', 'application/json'],
      ['text/html, application/x-ndjson;q=0.1', 'application/x-ndjson'],
      ['*/*', 'application/json'],
    ] as const) {
      expect(await typeFor(accept), accept).to.equal(type)
    }
  })

  it('responds with 410 to an expired token and to a token of another log', async () => {
    await create('/api/tags', { name: 'one' })
    await settled()
    const { next } = await follow('types=tag')
    const heads = client.db(server.database).collection<{ readonly _id: string }>('quire_heads')
    const { floor } = (await heads.findOne({ _id: 'main' })) as Json
    await create('/api/tags', { name: 'two' })
    await settled()
    const set = (changes: object) =>
      heads.updateOne({ _id: 'main' }, { $set: changes, $inc: { version: 1 } })
    await set({ floor: 1_000_000 })
    const late = await sync(`token=${next}`)
    expect([late.status, late.body.error.name, late.body.error.details]).to.deep.equal([
      410,
      'SyncTokenExpiredError',
      { reason: 'retention' },
    ])
    expect(late.headers['error-code']).to.equal('sync_token_expired')
    await set({ floor, log: 'another' })
    expect((await sync(`token=${next}`)).body.error.details).to.deep.equal({ reason: 'log' })
    expect((await sync('types=tag')).status).to.equal(200)
  })

  const refused: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['an unknown type', 'types=nope'],
    ['users', 'types=user'],
    ['an unknown parameter', 'types=tag&sort=name'],
    ['a condition on a relation', 'types=tag&filters[tag][articles][title][$eq]=a'],
    ['a condition on a component', 'types=article&filters[article][parts][text][$eq]=a'],
    ['a private condition', 'types=article&filters[article][secret][$eq]=a'],
    ['a private field', 'types=article&fields[article]=secret'],
    ['fields of another type', 'types=tag&fields[article]=title'],
    ['a limit above 1000', 'types=tag&limit=1001'],
    ['none', 'types=tag&limit=0'],
    ['an unknown locale', 'types=article&locale=xx'],
    ['an unknown status', 'types=article&status=modified'],
    ['a wait without a token', 'types=tag&wait=1'],
    ['an invalid token', 'token=abc'],
    ['two tokens', 'token=a&token=b'],
    ['a token and a scope', 'token=abc&types=tag'],
  ]
  for (const [label, query] of refused) {
    it(`refuses ${label}`, async () => {
      const { status, body } = await sync(query)
      expect([status, body.error?.name]).to.deep.equal([400, 'ValidationError'])
    })
  }

  it('accepts no operator from a token', async () => {
    const forge = (...parts: readonly unknown[]): string =>
      Buffer.from(JSON.stringify(parts)).toString('base64url')
    const { body } = await sync('types=tag')
    const parts = JSON.parse(Buffer.from(body.next, 'base64url').toString()) as unknown[]
    const wrong: readonly (readonly unknown[])[] = [
      [...parts.slice(0, 5), [[{ $gt: '' }, 0, '']], []],
      [...parts.slice(0, 3), { $gt: 0 }, ...parts.slice(4)],
      [...parts.slice(0, 2), { $ne: '' }, ...parts.slice(3)],
      [1, { types: 'tag', filters: { tag: { name: { $where: 'x' } } } }, ...parts.slice(2)],
      [1, { types: 'user' }, ...parts.slice(2)],
      [...parts.slice(0, 6), [{ $gt: '' }]],
    ]
    for (const one of wrong) {
      const { status, text } = await sync(`token=${forge(...one)}`)
      expect(status, text).to.equal(400)
    }
  })
})
