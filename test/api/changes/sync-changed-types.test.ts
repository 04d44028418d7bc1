import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

interface Declared {
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Adds the type `note`. */
  readonly note?: boolean
}

const own = (localized: boolean) => (localized ? { pluginOptions: { i18n: { localized } } } : {})
const typesOf = ({ draftAndPublish, localized, note = false }: Declared) => ({
  post: declare(
    'post',
    { title: { type: 'string', ...own(localized) } },
    { draftAndPublish, localized },
  ),
  ...(note && { note: declare('note', { title: { type: 'string' } }) }),
})

/** A copy as described in docs/sync.md. */
interface Copy {
  readonly rows: ReadonlyMap<string, Json>
  readonly next: string
}

describe('copies of a type with a changed declaration', () => {
  const opened: TestServer[] = []
  let client: MongoClient

  afterEach(async () => {
    await client.close()
    for (const server of opened.splice(0).toReversed()) await server.close()
  })

  async function open(declared: Declared): Promise<TestServer> {
    const [first] = opened
    const server = await serve('sync_types', {
      contentTypes: typesOf(declared),
      ...(first === undefined
        ? { locales: ['fr'] }
        : { environment: { MONGODB_DATABASE: first.database } }),
    })
    if (first === undefined) client = await MongoClient.connect(server.uri)
    opened.push(server)
    return server
  }

  async function follow(server: TestServer, query: string, copy?: Copy): Promise<Copy> {
    await server.settled()
    const rows = new Map(copy?.rows)
    for (let asked = copy === undefined ? query : `token=${copy.next}`; ;) {
      const { status, body, text } = await server.get(`/api/_sync?${asked}`)
      expect(status, text).to.equal(200)
      for (const item of body.items) apply(rows, item)
      asked = `token=${body.next}`
      if (!body.more) return { rows, next: body.next }
    }
  }

  async function create(server: TestServer, title: string, query = ''): Promise<string> {
    const { status, body, text } = await server.post(`/api/posts${query}`, { title })
    expect(status, text).to.equal(201)
    return body.data.documentId
  }

  async function put(server: TestServer, target: string, title: string): Promise<void> {
    const { status, text } = await server.put(`/api/posts/${target}`, { title })
    expect(status, text).to.equal(200)
  }

  async function expectFresh(server: TestServer, query: string, copy: Copy): Promise<void> {
    const fresh = await follow(server, query)
    expect([...copy.rows]).to.have.deep.members([...fresh.rows])
  }

  it('drops the drafts when draft & publish is turned off', async () => {
    const before = await open({ draftAndPublish: true, localized: false })
    const shown = await create(before, 'published')
    await create(before, 'never published', '?status=draft')
    const copy = await follow(before, 'types=post')
    await put(before, `${shown}?status=draft`, 'secret')
    await create(before, 'secret', '?status=draft')
    const after = await open({ draftAndPublish: false, localized: false })
    const followed = await follow(after, 'types=post', copy)
    expect([...followed.rows.values()].map(({ data }) => data.title)).to.deep.equal(['published'])
    await expectFresh(after, 'types=post', followed)
  })

  it('keeps published entries without a draft when draft & publish is turned off', async () => {
    const before = await open({ draftAndPublish: true, localized: false })
    const shown = await create(before, 'published')
    const copy = await follow(before, 'types=post')
    await put(before, `${shown}?status=draft`, 'secret')
    await before.settled()
    await client.db(before.database).collection('post_versions').deleteMany({ status: 'draft' })
    const after = await open({ draftAndPublish: false, localized: false })
    await expectFresh(after, 'types=post', await follow(after, 'types=post', copy))
  })

  it('drops the locales that a type no longer has', async () => {
    const before = await open({ draftAndPublish: false, localized: true })
    const shown = await create(before, 'one')
    const copy = await follow(before, 'types=post&locale=*')
    await put(before, `${shown}?locale=fr`, 'un')
    const after = await open({ draftAndPublish: false, localized: false })
    await expectFresh(
      after,
      'types=post&locale=*',
      await follow(after, 'types=post&locale=*', copy),
    )
  })

  it('receives the drafts that a start creates', async () => {
    const before = await open({ draftAndPublish: true, localized: false })
    const shown = await create(before, 'one')
    const copy = await follow(before, 'types=post&status=draft')
    const between = await open({ draftAndPublish: false, localized: false })
    await put(between, shown, 'two')
    await create(between, 'three')
    const after = await open({ draftAndPublish: true, localized: false })
    const followed = await follow(after, 'types=post&status=draft', copy)
    await expectFresh(after, 'types=post&status=draft', followed)
  })

  it('restores a type that an older process did not know', async () => {
    const plain = { draftAndPublish: false, localized: false }
    const newer = await open({ ...plain, note: true })
    await create(newer, 'post')
    expect((await newer.post('/api/notes', { title: 'note' })).status).to.equal(201)
    const query = 'types=note,post&fields[note]=title'
    const copy = await follow(newer, query)
    expect(copy.rows.size).to.equal(2)
    const older = await open(plain)
    const without = await follow(older, query, copy)
    expect([...without.rows.values()].map(({ type }) => type)).to.deep.equal(['post'])
    await create(older, 'another')
    const same = await follow(older, query, without)
    expect(same.rows.size).to.equal(2)
    await expectFresh(newer, query, await follow(newer, query, same))
  })
})

function apply(rows: Map<string, Json>, item: Json): void {
  const key = `${item.documentId} ${item.locale}`
  if (item.op === 'put') rows.set(key, item)
  else if (item.op === 'delete') rows.delete(key)
  else {
    for (const [held, { type, locale }] of rows) {
      if (type !== item.type) continue
      if (item.locale === undefined || item.locale === locale) rows.delete(held)
    }
  }
}
