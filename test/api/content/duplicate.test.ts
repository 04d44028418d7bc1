import { expect } from 'chai'
import type { BeforeWriteEvent } from '../../../src/extensions/write-hook.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const SHARED = { pluginOptions: { i18n: { localized: false } } }

const relation = (kind: string, target: string, more: object = {}): object => {
  return { type: 'relation', relation: kind, target: `api::${target}.${target}`, ...more }
}

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, ...LOCALIZED },
      slug: { type: 'uid', targetField: 'title', required: true, ...LOCALIZED },
      code: { type: 'string', unique: true, ...SHARED },
      secret: { type: 'password', ...SHARED },
      note: { type: 'string', private: true, ...LOCALIZED },
      cover: { type: 'media', ...SHARED },
      parts: { type: 'component', component: 'shared.part', repeatable: true, ...LOCALIZED },
      zone: { type: 'dynamiczone', components: ['shared.part'], ...LOCALIZED },
      author: { ...relation('manyToOne', 'author', { inversedBy: 'articles' }), ...SHARED },
      readers: { ...relation('manyToMany', 'author'), ...SHARED },
      desk: { ...relation('oneToOne', 'desk', { inversedBy: 'article' }), ...SHARED },
    },
    { draftAndPublish: true, localized: true },
  ),
  author: declare('author', {
    name: { type: 'string' },
    code: { type: 'string', unique: true },
    hits: { type: 'integer', writable: false, default: 7 },
    handle: { type: 'uid' },
    articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
  }),
  desk: declare('desk', {
    name: { type: 'string' },
    article: relation('oneToOne', 'article', { mappedBy: 'desk' }),
  }),
  home: declare('home', { title: { type: 'string' } }, { kind: 'singleType' }),
  'components/shared/part': {
    attributes: {
      text: { type: 'string' },
      about: relation('oneToOne', 'author'),
    },
  },
}
const ARTICLE = '/admin/content/api::article.article'
const AUTHOR = '/admin/content/api::author.author'
const DESK = '/admin/content/api::desk.desk'
const HOME = '/admin/content/api::home.home'
const NONE = 'aaaaaaaaaaaaaaaaaaaaaaaa'

const events: BeforeWriteEvent[] = []

function beforeWrite(event: BeforeWriteEvent): BeforeWriteEvent['data'] | undefined {
  events.push(event)
  const { operation, data } = event
  return operation === 'create' ? { ...data, note: `hook ${String(data['title'])}` } : undefined
}

const EXTENSION = defineExtension({
  name: 'notes',
  contentTypes: { 'api::article.article': { beforeWrite } },
})

describe('POST /admin/content/:uid/:documentId/duplicate', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('duplicate', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr', 'de'],
      extensions: [EXTENSION],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await editor.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 204])
    return answer.body
  }
  const make = async (target: string, data: object): Promise<Json> =>
    (await ok('POST', target, { data })).data
  const duplicate = (target: string): Promise<Json> => ok('POST', `${target}/duplicate`)
  const read = async (documentId: string, locale = 'en'): Promise<Json> =>
    (await ok('GET', `${ARTICLE}/${documentId}?locale=${locale}&populate=*`)).data

  let made = 0
  async function makeArticle() {
    made += 1
    const code = `code ${made}`
    const author = (await make(AUTHOR, { name: 'Ada' })).documentId
    const reader = (await make(AUTHOR, { name: 'Grace' })).documentId
    const desk = (await make(DESK, { name: 'Home' })).documentId
    const { documentId } = await make(ARTICLE, {
      title: 'A day out',
      code,
      secret: 'not for copies',
      parts: [{ text: 'first', about: author }, { text: 'second' }],
      zone: [{ __component: 'shared.part', text: 'third', about: author }],
      author,
      readers: [reader, author],
      desk,
    })
    await ok('PUT', `${ARTICLE}/${documentId}?locale=fr`, {
      data: { title: 'Une sortie', parts: [{ text: 'premier' }] },
    })
    return { documentId, author, reader, desk, code }
  }

  it('copies all locales, components and relations into a draft with uids of its own', async () => {
    const { documentId, author, reader, desk, code } = await makeArticle()
    await ok('PUT', `${ARTICLE}/${documentId}?locale=fr`, { data: { slug: 'une-sortie' } })
    await ok('POST', `${ARTICLE}/${documentId}/actions/publish?locale=*`)
    const { data, meta } = await duplicate(`${ARTICLE}/${documentId}`)
    expect(data.locales).to.deep.equal(['en', 'fr'])
    expect(data.documentId).to.not.equal(documentId)
    expect(meta.leftOut).to.have.deep.members([
      { path: ['secret'], why: 'password' },
      { path: ['desk'], why: 'taken' },
    ])
    const copy = await read(data.documentId)
    expect(copy).to.deep.include({ title: 'A day out', slug: copy.slug, code })
    expect(copy.parts.map(({ text }: Json) => text)).to.deep.equal(['first', 'second'])
    expect(copy.zone.map(({ text }: Json) => text)).to.deep.equal(['third'])
    expect(copy.author.documentId).to.equal(author)
    expect(copy.readers.map((one: Json) => one.documentId)).to.deep.equal([reader, author])
    expect([copy.desk, copy.publishedAt]).to.deep.equal([null, null])
    const french = await read(data.documentId, 'fr')
    expect(french).to.deep.include({ title: 'Une sortie', slug: 'une-sortie-1', code })
    expect(french.parts.map(({ text }: Json) => text)).to.deep.equal(['premier'])
    const original = await read(documentId)
    expect(original.desk.documentId).to.equal(desk)
    expect(original.parts.map(({ id }: Json) => id)).to.not.have.members(
      copy.parts.map(({ id }: Json) => id),
    )
    const published = await editor.send('GET', `${ARTICLE}/${data.documentId}?status=published`)
    expect(published.status).to.equal(404)
  })

  it('copies the draft of a changed entry, and numbers the uids of each copy', async () => {
    const { documentId } = await makeArticle()
    await ok('POST', `${ARTICLE}/${documentId}/actions/publish`)
    await ok('PUT', `${ARTICLE}/${documentId}`, { data: { title: 'A week out', slug: 'week' } })
    const slugs: string[] = []
    for (let copies = 0; copies < 2; copies += 1) {
      const { data } = await duplicate(`${ARTICLE}/${documentId}`)
      const copy = await read(data.documentId)
      expect(copy.title).to.equal('A week out')
      slugs.push(copy.slug)
    }
    expect(slugs).to.deep.equal(['a-week-out', 'a-week-out-1'])
  })

  it('creates all locales or none', async () => {
    const { documentId } = await makeArticle()
    const before = (await ok('GET', ARTICLE)).meta.pagination.total
    const copies = await Promise.all(
      Array.from({ length: 4 }, () => duplicate(`${ARTICLE}/${documentId}`)),
    )
    for (const { data } of copies) {
      const { data: locales } = await ok('GET', `${ARTICLE}/${data.documentId}/locales`)
      expect(locales.map(({ locale }: Json) => locale)).to.deep.equal(['en', 'fr'])
    }
    const uids = await Promise.all(
      copies.map(async ({ data }) => (await read(data.documentId)).slug),
    )
    expect(new Set(uids)).to.have.property('size', 4)
    expect((await ok('GET', ARTICLE)).meta.pagination.total).to.equal(before + 4)
  })

  it('runs the hooks of extensions for each locale, as for a creation', async () => {
    const { documentId } = await makeArticle()
    events.length = 0
    const { data } = await duplicate(`${ARTICLE}/${documentId}`)
    const called = events.map(({ operation, locale }) => `${operation} ${locale ?? ''}`)
    expect(called).to.have.members(['create en', 'create fr'])
    expect((await read(data.documentId)).note).to.equal('hook A day out')
    expect((await read(data.documentId, 'fr')).note).to.equal('hook Une sortie')
  })

  it('leaves out unique values of a type without drafts', async () => {
    const made = await make(AUTHOR, { name: 'Ada', code: 'a', handle: 'ada' })
    const { data, meta } = await duplicate(`${AUTHOR}/${made.documentId}`)
    expect(meta.leftOut).to.have.deep.members([
      { path: ['code'], why: 'unique' },
      { path: ['hits'], why: 'readOnly' },
    ])
    const copy = (await ok('GET', `${AUTHOR}/${data.documentId}`)).data
    expect(copy).to.deep.include({ name: 'Ada', code: null, hits: 7, handle: 'ada-1' })
    expect(data.locales).to.deep.equal([])
  })

  it('leaves out references to deleted entries', async () => {
    const { documentId, author, reader } = await makeArticle()
    await ok('DELETE', `${AUTHOR}/${author}`)
    const { data } = await duplicate(`${ARTICLE}/${documentId}`)
    const copy = await read(data.documentId)
    expect(copy.author).to.equal(null)
    expect(copy.readers.map((one: Json) => one.documentId)).to.deep.equal([reader])
  })

  it('copies the languages that the caller reads and creates', async () => {
    const { documentId } = await makeArticle()
    const verbs = ['find', 'findOne', 'readDrafts', 'create'].map(
      (verb) => `api::article.article.${verb}`,
    )
    await addRole(
      server,
      'french',
      verbs.map((action) => ({ action, locales: ['fr'] })),
    )
    await addAdministrator(server, 'Fanny', ['french'])
    const fanny = await signIn(server, 'fanny@example.org')
    const answer = await fanny.send('POST', `${ARTICLE}/${documentId}/duplicate`)
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.body.data.locales).to.deep.equal(['fr'])
    expect(answer.body.meta.leftOut).to.deep.include({ path: ['author'], why: 'unreadable' })
    const { data } = await ok('GET', `${ARTICLE}/${answer.body.data.documentId}/locales`)
    expect(data.map(({ locale }: Json) => locale)).to.deep.equal(['fr'])
  })

  it('hides drafts from callers without readDrafts', async () => {
    const { documentId } = await makeArticle()
    const verbs = ['find', 'findOne', 'create'].map((verb) => `api::article.article.${verb}`)
    await addRole(server, 'blind', verbs)
    await addAdministrator(server, 'Bo', ['blind'])
    const bo = await signIn(server, 'bo@example.org')
    const path = `${ARTICLE}/${documentId}/duplicate`
    expect((await bo.send('POST', path)).status).to.equal(404)
  })

  const refused = [
    ['a missing entry', `${ARTICLE}/${NONE}/duplicate`, undefined, 404],
    ['a malformed documentId', `${ARTICLE}/x/duplicate`, undefined, 404],
    ['a single type', `${HOME}/${NONE}/duplicate`, undefined, 404],
    ['an unknown type', `/admin/content/api::none.none/${NONE}/duplicate`, undefined, 404],
    ['a payload', `${ARTICLE}/${NONE}/duplicate`, { data: { title: 'x' } }, 400],
  ] as const
  for (const [name, target, body, status] of refused) {
    it(`responds with ${status} for ${name}`, async () => {
      expect((await editor.send('POST', target, body)).status).to.equal(status)
    })
  }
})
