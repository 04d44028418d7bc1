import { expect } from 'chai'
import { defineExtension } from '../../../src/extensions/extension.ts'
import { until } from '../../support/until.ts'
import { type Answer, type Json, serve, type Sent, type TestServer } from '../../support/server.ts'
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts'
import {
  added,
  ARTICLE,
  blocksWith,
  LINKED_TYPES,
  linksIn,
  linkTo,
  MEMO,
  NOTE,
  SECRET,
} from './linked-world.ts'

const PUBLIC: Sent = { token: null }
const NONE = 'aaaaaaaaaaaaaaaaaaaaaaaa'
const SOON = 20_000

describe('links to entries in blocks', () => {
  let server: TestServer
  let receiver: Receiver
  let commands: string[] = []
  const ids: Record<string, string> = {}
  const id = (name: string): string => ids[name] ?? ''

  before(async () => {
    receiver = await startReceiver()
    server = await serve('entry_links', {
      contentTypes: LINKED_TYPES,
      locales: ['de'],
      extensions: [defineExtension({ name: 'press' })],
      environment: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', CACHE_TAGS: 'surrogate-key' },
      permitted: [
        ...['page', 'menu', 'article', 'note'].flatMap((type) => [
          `api::${type}.${type}.find`,
          `api::${type}.${type}.findOne`,
        ]),
        'query::pages',
      ],
    })
    const rules = [{ action: `${MEMO}.find`, where: { isOpen: true } }]
    const role = (await server.get('/admin/roles/public')).body.data
    const body = { rules, permissions: role.permissions }
    expect((await server.send('PUT', '/admin/roles/public', { body })).status).to.equal(200)
    ids['article'] = await added(server, '/api/articles?status=published', { slug: 'a b/c' })
    await server.put(`/api/articles/${id('article')}?locale=de&status=published`, { slug: 'ä' })
    ids['unpublished'] = await added(server, '/api/articles?status=draft', { slug: 'canary-draft' })
    ids['unnamed'] = await added(server, '/api/articles?status=published', { title: 'No slug' })
    ids['note'] = await added(server, '/api/notes', { text: 'canary-note' })
    ids['secret'] = await added(server, '/api/secrets', { slug: 'canary-secret' })
    ids['open'] = await added(server, '/api/memos', { slug: 'open', isOpen: true })
    ids['closed'] = await added(server, '/api/memos', { slug: 'canary-closed', isOpen: false })
    ids['page'] = await added(server, '/api/pages?status=published', {
      title: 'page',
      body: blocksWith(...allLinks()),
      parts: [{ text: blocksWith(linkTo(ARTICLE, id('article'))) }],
      zone: [{ __component: 'shared.part', text: blocksWith(linkTo(SECRET, id('secret'))) }],
    })
    ids['menu'] = await added(server, '/api/menus', { name: 'menu', pages: [id('page')] })
    server.onCommand(({ name, command }) => commands.push(`${name} ${String(command[name])}`))
  })
  after(async () => {
    await server.close()
    receiver.close()
  })

  const allLinks = (): readonly object[] => [
    linkTo(ARTICLE, id('article'), 'https://sent.example.org'),
    linkTo(ARTICLE, id('unpublished')),
    linkTo(ARTICLE, id('unnamed')),
    linkTo(NOTE, id('note')),
    linkTo(SECRET, id('secret')),
    linkTo(MEMO, id('open')),
    linkTo(MEMO, id('closed')),
  ]
  const ok = (answer: Answer): Json => {
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return answer.body.data
  }
  const putBody = (sent: object, more: Sent = {}): Promise<Answer> =>
    server.put(`/api/pages/${id('page')}`, sent, more)

  const forRoot = (): Json => [
    ['/en/articles/a%20b%2Fc', id('article')],
    ['', null],
    ['', id('unnamed')],
    ['', id('note')],
    ['/secrets/canary-secret', id('secret')],
    ['https://example.org/memos/open', id('open')],
    ['https://example.org/memos/canary-closed', id('closed')],
  ]
  /** In drafts, with a reference to each entry. */
  const forEditors = (): Json => {
    const [first, , ...others] = forRoot()
    return [first, ['/en/articles/canary-draft', id('unpublished')], ...others]
  }
  const forPublic = (): Json => [
    ['/en/articles/a%20b%2Fc', id('article')],
    ['', null],
    ['', id('unnamed')],
    ['', id('note')],
    ['', null],
    ['https://example.org/memos/open', id('open')],
    ['', null],
  ]

  const doors: readonly (readonly [string, () => string, (data: Json) => Json])[] = [
    ['a list', () => '/api/pages', ([page]) => page.body],
    ['a list with fields', () => '/api/pages?fields=body', ([page]) => page.body],
    ['a list with populate', () => '/api/pages?populate=parts', ([page]) => page.body],
    ['an entry', () => `/api/pages/${id('page')}`, ({ body }) => body],
    ['a populated entry', () => '/api/menus?populate=pages', ([menu]) => menu.pages[0].body],
    ['a localization', () => `/api/pages/${id('page')}?populate=localizations`, ({ body }) => body],
    ['a named query', () => '/api/_q/pages', ([page]) => page.body],
  ]
  for (const [name, target, bodyOf] of doors) {
    it(`fills the links of ${name}`, async () => {
      expect(linksIn(bodyOf(ok(await server.get(target()))))).to.deep.equal(forRoot())
      const answer = await server.get(target(), PUBLIC)
      expect(linksIn(bodyOf(ok(answer)))).to.deep.equal(forPublic())
      expect(answer.text).not.to.include('canary')
      expect(answer.text).not.to.include(id('secret')).and.not.to.include(id('closed'))
    })
  }

  it('fills the links of components and dynamic zones', async () => {
    const target = `/api/pages/${id('page')}?populate=*`
    const root = ok(await server.get(target))
    expect(linksIn(root.parts)).to.deep.equal([['/en/articles/a%20b%2Fc', id('article')]])
    expect(linksIn(root.zone)).to.deep.equal([['/secrets/canary-secret', id('secret')]])
    const answer = await server.get(target, PUBLIC)
    expect(linksIn(ok(answer).zone)).to.deep.equal([['', null]])
    expect(answer.text).not.to.include('canary')
  })

  it('fills the links of the previous response format', async () => {
    const headers = { 'strapi-response-format': 'v4' }
    const [page] = ok(await server.get('/api/pages', { headers }))
    expect(linksIn(page.attributes.body)).to.deep.equal(forRoot())
  })

  it('fills the links of MCP', async () => {
    const params = { name: 'find', arguments: { type: 'page' } }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await server.send('POST', '/mcp', { body })
    const text = answer.body.result.content[0].text
    expect(linksIn(JSON.parse(text).data[0].body)).to.deep.equal(forEditors())
  })

  it('fills the links of the Studio and of extensions', async () => {
    const studio = ok(await server.get(`/admin/content/api::page.page/${id('page')}`))
    expect(linksIn(studio.body)).to.deep.equal(forEditors())
    const { pages } = server.contentFor('press') as unknown as Json
    const page = await pages.findOne(id('page'), {}, { as: 'system' })
    expect(linksIn(page.body)).to.deep.equal(forRoot())
  })

  it('fills the links of webhooks', async () => {
    const hook = { name: 'site', url: receiver.url, events: ['entry.update'] }
    await server.settled() // a new webhook receives commits without a number
    expect((await server.send('POST', '/admin/webhooks', { body: hook })).status).to.equal(201)
    const { body } = ok(await server.get(`/api/pages/${id('page')}?status=draft`))
    ok(await putBody({ title: 'page', body }))
    await until(() => receiver.received.length > 0, SOON)
    const [message] = receiver.received
    expect(linksIn(message?.body.entry.body)[0]).to.deep.equal([
      '/en/articles/a%20b%2Fc',
      id('article'),
    ])
  })

  it('keeps references without URLs in sync', async () => {
    const answer = await server.get('/api/_sync?types=page')
    expect(linksIn(answer.body.changes ?? answer.body)[0]).to.deep.equal(['', id('article')])
    expect(answer.text).not.to.include('canary')
  })

  it('selects the version of the target by locale and status', async () => {
    const path = `/api/pages/${id('page')}`
    const body = blocksWith(linkTo(ARTICLE, id('article')), linkTo(ARTICLE, id('unpublished')))
    ok(await server.put(`${path}?locale=de`, { body }))
    const german = ok(await server.get(`${path}?locale=de&status=draft`))
    expect(linksIn(german.body)).to.deep.equal([
      ['/de/articles/%C3%A4', id('article')],
      ['', id('unpublished')],
    ])
    const draft = ok(await server.get(`${path}?status=draft`))
    expect(linksIn(draft.body)[1]).to.deep.equal(['/en/articles/canary-draft', id('unpublished')])
    const chain = ok(await server.get(`${path}?locale=de&fallbackLocale=en&status=draft`))
    expect(linksIn(chain.body)[1]).to.deep.equal(['/en/articles/canary-draft', id('unpublished')])
    const { text } = await server.get(`${path}?locale=de`, PUBLIC)
    expect(text).not.to.include('canary')
    expect((await server.delete(`${path}?locale=de`)).status).to.equal(204)
  })

  it('reads the targets of a response with one command per type', async () => {
    commands = []
    ok(await server.get('/api/pages?populate=parts,zone&pagination[withCount]=false'))
    const finds = commands.filter((name) => name.endsWith('_versions'))
    expect(finds.sort()).to.deep.equal([
      'find article_versions',
      'find memo_versions',
      'find note_versions',
      'find page_versions',
      'find secret_versions',
    ])
  })

  it('reads nothing more for responses without links', async () => {
    const plain = [{ type: 'paragraph', children: [{ type: 'text', text: 'plain' }] }]
    const other = await added(server, '/api/pages?status=published', { body: plain })
    commands = []
    const target = `/api/pages?filters[documentId]=${other}&pagination[withCount]=false`
    expect(ok(await server.get(target))[0].body).to.deep.equal(plain)
    expect(commands.filter((name) => name.endsWith('_versions'))).to.deep.equal([
      'find page_versions',
    ])
    expect((await server.delete(`/api/pages/${other}`)).status).to.equal(204)
  })

  it('counts the targets as types of the response', async () => {
    const first = await server.get(`/api/pages/${id('page')}`, PUBLIC)
    expect(first.headers['surrogate-key']).to.include(ARTICLE).and.to.include(MEMO)
    expect(first.headers['surrogate-key']).not.to.include(SECRET)
    expect(first.headers['cache-control']).to.match(/^public/)
    const path = `/api/articles/${id('article')}`
    ok(await server.put(`${path}?status=published`, { slug: 'renamed' }))
    await server.settled()
    const second = await server.get(`/api/pages/${id('page')}`, PUBLIC)
    expect(linksIn(second.body.data.body)[0]).to.deep.equal(['/en/articles/renamed', id('article')])
    expect(second.headers.etag).not.to.equal(first.headers.etag)
    ok(await server.put(`${path}?status=published`, { slug: 'a b/c' }))
  })

  it('shows the links that a role with a personal rule sees to private caches only', async () => {
    const role = (await server.get('/admin/roles/public')).body.data
    const rules = [{ action: `${MEMO}.find`, where: { createdAt: { $lte: '$now' }, isOpen: true } }]
    const change = (given: object): Promise<Answer> =>
      server.send('PUT', '/admin/roles/public', {
        body: { permissions: role.permissions, rules: given },
      })
    expect((await change(rules)).status).to.equal(200)
    const answer = await server.get(`/api/pages/${id('page')}?fields=body`, PUBLIC)
    expect(answer.headers['cache-control']).to.equal('private, no-cache')
    expect((await change(role.rules)).status).to.equal(200)
  })

  const refused: readonly (readonly [string, () => object, readonly (string | number)[]])[] = [
    ['no object', () => ({ ...linkTo(NOTE, NONE), entry: 'x' }), ['entry']],
    [
      'an unknown member',
      () => ({ ...linkTo(NOTE, NONE), entry: { type: NOTE, documentId: id('note'), slug: 'x' } }),
      ['entry', 'slug'],
    ],
    ['a malformed type', () => linkTo('note', id('note')), ['entry', 'type']],
    ['a malformed documentId', () => linkTo(NOTE, '../x'), ['entry', 'documentId']],
    ['a missing type', () => linkTo('api::nope.nope', id('note')), ['entry']],
    ['users', () => linkTo('plugin::users-permissions.user', NONE), ['entry', 'type']],
    ['a missing entry', () => linkTo(NOTE, NONE), ['entry']],
    ['an entry of another type', () => linkTo(NOTE, id('article')), ['entry']],
  ]
  for (const [name, link, at] of refused) {
    it(`refuses a link with ${name}`, async () => {
      const answer = await putBody({ body: blocksWith(link()) })
      expect(answer.status, answer.text).to.equal(400)
      const path = ['body', 0, 'children', 1, ...at].map(String)
      expect(answer.body.error.details.errors[0].path.map(String)).to.deep.equal(path)
    })
  }

  it('refuses hidden targets like missing ones, and keeps those that the document has', async () => {
    const permissions = ['page', 'article', 'note', 'memo'].flatMap((type) =>
      ['find', 'findOne', 'update', 'create'].map((verb) => `api::${type}.${type}.${verb}`),
    )
    const body = { name: 'writer', type: 'custom', permissions }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    const token = ok(made).accessKey
    const another = await added(server, '/api/secrets', { slug: 'canary-other' })
    const sent = (documentId: string): Promise<Answer> =>
      putBody({ body: blocksWith(...allLinks(), linkTo(SECRET, documentId)) }, { token })
    const [hidden, missing] = [await sent(another), await sent(NONE)]
    expect([hidden.status, missing.status]).to.deep.equal([400, 400])
    expect(hidden.text.replaceAll(another, NONE)).to.equal(missing.text)
    expect((await putBody({ body: blocksWith(...allLinks()) }, { token })).status).to.equal(200)
  })

  it('accepts targets of earlier lines of a bulk request', async () => {
    const note = 'b'.repeat(24)
    const lines = [
      { op: 'upsert', type: 'note', documentId: note, data: { text: 'first' } },
      {
        op: 'upsert',
        type: 'page',
        documentId: 'c'.repeat(24),
        data: { body: blocksWith(linkTo(NOTE, note)) },
      },
      {
        op: 'upsert',
        type: 'page',
        documentId: 'd'.repeat(24),
        data: { body: blocksWith(linkTo(ARTICLE, id('article'))) },
      },
      {
        op: 'upsert',
        type: 'page',
        documentId: 'e'.repeat(24),
        data: { body: blocksWith(linkTo(NOTE, NONE)) },
      },
    ]
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    const headers = { 'content-type': 'application/x-ndjson' }
    const { text } = await server.send('POST', '/api/_bulk', { body, headers })
    const results = text.trim().split('\n')
    const statuses = results.map((line): Json => JSON.parse(line).status)
    expect(statuses.slice(0, 4), text).to.deep.equal([201, 201, 201, 400])
  })

  it('fills the links again after the target is restored from the trash', async () => {
    const documentId = await added(server, '/api/notes', { text: 'soon deleted' })
    const page = await added(server, '/api/pages', { body: blocksWith(linkTo(NOTE, documentId)) })
    const shown = async (): Promise<unknown> =>
      linksIn(ok(await server.get(`/api/pages/${page}?status=published`)).body)
    ok(await server.send('POST', `/api/pages/${page}/actions/publish`))
    expect(await shown()).to.deep.equal([['', documentId]])
    expect((await server.delete(`/api/notes/${documentId}`)).status).to.equal(204)
    expect(await shown()).to.deep.equal([['', null]])
    const { body } = ok(await server.get(`/api/pages/${page}?status=draft`))
    expect(linksIn(body)).to.deep.equal([['', documentId]])
    ok(await server.put(`/api/pages/${page}`, { body }))
    const sent = { body: { data: {} } }
    ok(await server.send('POST', `/admin/trash/${NOTE}/${documentId}/restore`, sent))
    expect(await shown()).to.deep.equal([['', documentId]])
  })

  it('stores no URL, and refuses more than 500 links in a value', async () => {
    const many = Array.from({ length: 501 }, () => linkTo(NOTE, id('note')))
    const answer = await putBody({ body: blocksWith(...many) })
    expect(answer.status).to.equal(400)
    expect(answer.body.error.message).to.include('at most 500')
    expect((await putBody({ body: blocksWith(...many.slice(1)) })).status).to.equal(200)
    expect((await putBody({ body: blocksWith(...allLinks()) })).status).to.equal(200)
  })
})
