import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { defineExtension } from '../../../src/extensions/extension.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { Device, permitPushes, pushed } from '../../support/push-world.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import {
  added,
  ARTICLE,
  blocksWith,
  EXTENDED_TYPES,
  linksIn,
  linkTo,
  MEMO,
  NOTE,
  SECRET,
} from './linked-world.ts'

const PAGE = 'api::page.page'
const PAGE_ACTIONS = ['find', 'findOne', 'create', 'update', 'readDrafts', 'publish'].map(
  (verb) => `${PAGE}.${verb}`,
)
const TYPES = {
  ...EXTENDED_TYPES,
  page: pushed(EXTENDED_TYPES['page'] ?? {}, { draftAndPublish: true, blocks: 'extended' }),
}
const WITHOUT_SECRETS = Object.fromEntries(
  Object.entries(TYPES).filter(([name]) => name !== 'secret'),
)
const EMPTY = { type: 'link', url: '', children: [{ type: 'text', text: 'more' }] }

function named(type: string, documentId: string, text: string): object {
  return { ...linkTo(type, documentId), children: [{ type: 'text', text }] }
}

describe('links to hidden entries', () => {
  let server: TestServer
  let later: TestServer
  let client: MongoClient
  let writer: AdminClient
  let guarded: AdminClient
  const ids: Record<string, string> = {}
  const id = (name: string): string => ids[name] ?? ''
  const hooked: Json[] = []

  before(async () => {
    server = await serve('hidden_links', {
      contentTypes: TYPES,
      locales: ['de'],
      permitted: ['find', 'findOne', 'sync'].map((verb) => `${PAGE}.${verb}`),
    })
    client = await MongoClient.connect(server.uri)
    ids['open'] = await added(server, '/api/memos', { slug: 'open', isOpen: true })
    ids['closed'] = await added(server, '/api/memos', { slug: 'closed', isOpen: false })
    ids['other'] = await added(server, '/api/memos', { slug: 'other', isOpen: false })
    ids['note'] = await added(server, '/api/notes', { text: 'note' })
    ids['secret'] = await added(server, '/api/secrets', { slug: 'secret' })
    ids['draft'] = await added(server, '/api/articles?status=draft', { slug: 'draft' })
    const rule = { action: `${MEMO}.find`, where: { isOpen: true } }
    const own = { action: `${PAGE}.update`, where: { title: 'own' } }
    const others = PAGE_ACTIONS.filter((action) => action !== own.action)
    for (const [type, permissions, rules] of [
      ['writer', PAGE_ACTIONS, [rule]],
      ['guarded', others, [rule, own]],
    ] as const) {
      const role = { type, name: type, permissions: permissions.map((action) => ({ action })) }
      const body = { ...role, rules }
      expect((await server.send('POST', '/admin/administrator-roles', { body })).status).to.equal(
        201,
      )
      await addAdministrator(server, type, [type])
    }
    writer = await signIn(server, 'writer@example.org')
    guarded = await signIn(server, 'guarded@example.org')
    later = await serve('hidden_links_later', {
      contentTypes: WITHOUT_SECRETS,
      locales: ['de'],
      environment: { MONGODB_DATABASE: server.database },
      extensions: [
        defineExtension({
          name: 'watch',
          contentTypes: { [PAGE]: { beforeWrite: ({ data }) => void hooked.push(data) } },
        }),
      ],
    })
  })
  after(async () => {
    await client.close()
    await later.close()
    await server.close()
  })

  const ok = (answer: Answer): Json => {
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return answer.body.data
  }
  const allLinks = (): readonly object[] => [
    named(MEMO, id('open'), 'open'),
    named(MEMO, id('closed'), 'closed'),
    named(MEMO, id('other'), 'other'),
    named(NOTE, id('note'), 'note'),
    named(SECRET, id('secret'), 'secret'),
  ]
  const newPage = (...links: readonly object[]): Promise<string> =>
    added(server, '/api/pages?status=published', {
      title: 'page',
      body: blocksWith(...(links.length === 0 ? allLinks() : links)),
    })
  const own = (page: string): string => `/admin/content/${PAGE}/${page}`
  const targets = async (page: string, name = 'body', status = 'draft'): Promise<Json> => {
    const rows = client.db(server.database).collection('page_versions')
    const row = await rows.findOne({ documentId: page, status, locale: 'en' })
    return linksIn(row?.[name]).map(([, documentId]) => documentId)
  }
  const expected = (): readonly string[] =>
    ['open', 'closed', 'other', 'note', 'secret'].map((name) => id(name))
  const read = async (page: string): Promise<Json> => ok(await writer.send('GET', own(page))).body

  it('stay when an administrator under a rule saves the text that it reads', async () => {
    const page = await newPage()
    const body = await read(page)
    expect(linksIn(body).map(([, target]) => target)).to.deep.equal([
      id('open'),
      null,
      null,
      null,
      null,
    ])
    body.push({ type: 'paragraph', children: [{ type: 'text', text: 'New' }] })
    const answer = await writer.send('PUT', own(page), { data: { body } })
    expect(linksIn(ok(answer).body)).to.deep.equal(linksIn(body))
    expect(answer.text).not.to.include(id('closed')).and.not.to.include(SECRET)
    expect(await targets(page)).to.deep.equal(expected())
  })

  it('stay when their paragraphs are moved, repeated or removed', async () => {
    const links = allLinks()
    const body = links.flatMap((link, index) => [
      { type: 'paragraph', children: [{ type: 'text', text: `${index} ` }, link] },
    ])
    const page = await added(server, '/api/pages', { body })
    const [open, closed, other, note, secret] = await read(page)
    const sent = { data: { body: [secret, open, other, closed, closed, note] } }
    ok(await writer.send('PUT', own(page), sent))
    const order = ['secret', 'open', 'other', 'closed', 'closed', 'note'].map((name) => id(name))
    expect(await targets(page)).to.deep.equal(order)
    ok(await writer.send('PUT', own(page), { data: { body: [secret, other] } }))
    expect(await targets(page)).to.deep.equal([id('secret'), id('other')])
  })

  it('stay with their rows when rows of a table are moved, and are refused in repeated rows', async () => {
    const cell = (child: object): object => ({ type: 'table-cell', children: [child] })
    const names = ['closed', 'note', 'secret']
    const types = [MEMO, NOTE, SECRET]
    const rows = names.map((name, index) => {
      const link = named(types[index] ?? '', id(name), 'Details')
      return { type: 'table-row', children: [cell({ type: 'text', text: name }), cell(link)] }
    })
    const page = await added(server, '/api/pages', { body: [{ type: 'table', children: rows }] })
    const [{ children }] = await read(page)
    const save = (...sent: readonly Json[]): Promise<Answer> =>
      writer.send('PUT', own(page), { data: { body: [{ type: 'table', children: sent }] } })
    ok(await save(children[2], children[0], children[1]))
    const moved = [id('secret'), id('closed'), id('note')]
    expect(await targets(page)).to.deep.equal(moved)
    expect((await save(children[0], children[0], children[1])).status).to.equal(400)
    expect(await targets(page)).to.deep.equal(moved)
  })

  it('stay when their words change', async () => {
    const page = await newPage()
    const body = await read(page)
    body[0].children[2].children[0].text = 'renamed'
    ok(await writer.send('PUT', own(page), { data: { body } }))
    expect(await targets(page)).to.deep.equal(expected())
  })

  it('stay in components and dynamic zones', async () => {
    const text = blocksWith(named(MEMO, id('closed'), 'closed'))
    const zone = [{ __component: 'shared.part', text: blocksWith(...allLinks()) }]
    const page = await added(server, '/api/pages', { parts: [{ text }, { text }], zone })
    const entry = ok(await writer.send('GET', `${own(page)}?populate=*`))
    const data = { parts: entry.parts.toReversed(), zone: entry.zone }
    ok(await writer.send('PUT', own(page), { data }))
    expect(await targets(page, 'parts')).to.deep.equal([id('closed'), id('closed')])
    expect(await targets(page, 'zone')).to.deep.equal(expected())
  })

  it('stay when root saves a published text with links to drafts', async () => {
    const links = [named(ARTICLE, id('draft'), 'draft'), named(NOTE, id('note'), 'note')]
    const page = await newPage(...links)
    const { body, title } = ok(await server.get(`/api/pages/${page}`))
    expect(linksIn(body)[0]).to.deep.equal(['', null])
    ok(await server.put(`/api/pages/${page}`, { body, title }))
    for (const status of ['draft', 'published']) {
      expect(await targets(page, 'body', status)).to.deep.equal([id('draft'), id('note')])
    }
  })

  it('stay when their type is gone, and hooks see their targets', async () => {
    const page = await newPage()
    const path = `/api/pages/${page}?status=draft`
    const { body } = ok(await later.get(path))
    expect(linksIn(body)[4]).to.deep.equal(['', null])
    ok(await later.put(path, { body }))
    expect(await targets(page)).to.deep.equal(expected())
    expect(hooked.length).to.be.greaterThan(0)
    expect(linksIn(hooked.at(-1)?.body)[4]).to.deep.equal(['', id('secret')])
  })

  it('stay in bulk requests, with hooks and without', async () => {
    const headers = { 'content-type': 'application/x-ndjson' }
    for (const on of [server, later]) {
      for (const query of ['', '?atomic=true']) {
        const page = await newPage(named(ARTICLE, id('draft'), 'draft'))
        const { body } = ok(await on.get(`/api/pages/${page}`))
        expect(linksIn(body)).to.deep.equal([['', null]])
        const line = { op: 'upsert', type: 'page', documentId: page, data: { title: 'b', body } }
        const sent = { body: JSON.stringify(line), headers }
        const { text } = await on.send('POST', `/api/_bulk${query}`, sent)
        expect(text).to.include('"status":200')
        expect(await targets(page)).to.deep.equal([id('draft')])
      }
    }
  })

  it('are refused in other entries, with the reason', async () => {
    const page = await newPage()
    const other = await newPage(named(NOTE, id('note'), 'other'))
    const body = await read(page)
    const answer = await writer.send('PUT', own(other), { data: { body } })
    expect(answer.status).to.equal(400)
    const [error] = answer.body.error.details.errors
    expect(error.path.map(String)).to.deep.equal(['body', '0', 'children', '2', 'url'])
    expect(error.message).to.match(/^Please specify a valid link\. A link to a hidden entry/)
    expect((await server.post('/api/pages', { body })).status).to.equal(400)
    expect((await server.put(`/api/pages/${page}?locale=de`, { body })).status).to.equal(400)
  })

  it('are refused if a visible link with the same words is meant', async () => {
    const page = await newPage(linkTo(NOTE, id('note')))
    const sent = await server.put(`/api/pages/${page}`, { body: blocksWith(EMPTY) })
    expect(sent.status).to.equal(400)
    expect(sent.text).to.include('Please specify a valid link.')
  })

  it('reveal no words to callers that may not update the entry', async () => {
    const page = await newPage()
    const body = await read(page)
    const right = await guarded.send('PUT', own(page), { data: { body } })
    const wrong = await guarded.send('PUT', own(page), { data: { body: blocksWith(EMPTY) } })
    expect([right.status, wrong.status]).to.deep.equal([403, 403])
    expect(right.text).to.equal(wrong.text)
    await server.put(`/api/pages/${page}`, { title: 'own' })
    ok(await guarded.send('PUT', own(page), { data: { body } }))
    expect(await targets(page)).to.deep.equal(expected())
  })

  it('show no target in sync rows, as relations to their types are omitted', async () => {
    const page = await newPage()
    const rows = async (sent = {}): Promise<Json> => {
      const { body } = await server.get('/api/_sync?types=page&limit=1000', sent)
      return body.items.find(({ documentId }: Json) => documentId === page).data
    }
    const none = [null, null, null, null, null]
    const shown = linksIn((await rows({ token: null })).body).map(([, target]) => target)
    expect(shown).to.deep.equal(none)
    expect(linksIn((await rows()).body).map(([, target]) => target)).to.deep.equal(expected())
  })

  it('are sent again to devices when the caller may find their type', async () => {
    const page = await newPage()
    const first = (await server.get('/api/_sync?types=page&limit=1000', { token: null })).body
    const role = ok(await server.get('/admin/roles/public'))
    const permissions = [...role.permissions, `${NOTE}.find`]
    ok(await server.send('PUT', '/admin/roles/public', { body: { permissions } }))
    const next = (await server.get(`/api/_sync?token=${first.next}`, { token: null })).body
    expect(next.items[0]).to.deep.equal({ op: 'reset', type: 'page', reason: 'schema' })
    const again = next.items.find(({ documentId }: Json) => documentId === page)
    expect(linksIn(again.data.body)[3]).to.deep.equal(['', id('note')])
    ok(await server.send('PUT', '/admin/roles/public', { body: { permissions: role.permissions } }))
  })

  it('show no target in the history, and come back when it is restored', async () => {
    const page = await newPage(named(NOTE, id('note'), 'note'), named(MEMO, id('open'), 'open'))
    const path = `/admin/history/${PAGE}/${page}`
    const [{ revision }] = ok(await writer.send('GET', path))
    const past = await writer.send('GET', `${path}/${revision}`)
    expect(linksIn(ok(past).content.body)).to.deep.equal([
      ['', null],
      ['', null],
    ])
    expect(past.text).not.to.include(id('note')).and.not.to.include(NOTE)
    expect(linksIn(ok(await server.get(`${path}/${revision}`)).content.body)[0]).to.deep.equal([
      '',
      id('note'),
    ])
    ok(await writer.send('PUT', own(page), { data: { body: [] } }))
    ok(await writer.send('POST', `${path}/${revision}/restore`))
    expect(await targets(page)).to.deep.equal([id('note'), id('open')])
  })

  it('stay in pushes of devices', async () => {
    const page = await newPage()
    await permitPushes(server, [...PAGE_ACTIONS, `${PAGE}.sync`, `${PAGE}.push`])
    const device = await Device.of(server, 'anna', 'draft')
    const sent = { token: device.member.token }
    const { items } = (await server.get('/api/_sync?types=page&status=draft&limit=1000', sent)).body
    const row = items.find(({ documentId }: Json) => documentId === page)
    const seen = { body: row.data.body }
    const body = [...seen.body, ...blocksWith()]
    const line = { op: 'update', type: 'page', documentId: page, base: row.revision, seen }
    const [outcome] = await device.push({ ...line, patch: { body: { set: body } } })
    expect(outcome, JSON.stringify(outcome)).to.include({ outcome: 'applied' })
    expect(await targets(page)).to.deep.equal(expected())
    const stale = { ...line, seen: { body: [] }, base: 'x' }
    const [conflict] = await device.push({ ...stale, patch: { body: { set: blocksWith() } } })
    expect(conflict.outcome).to.equal('conflict')
    expect(linksIn(conflict.theirs.body).map(([, target]) => target)).to.deep.equal(
      expected().map(() => null),
    )
    expect(JSON.stringify(conflict)).not.to.include(NOTE)
  })
})
