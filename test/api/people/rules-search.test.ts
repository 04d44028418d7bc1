import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry, addMember, type Member, setRules } from './rules-world.ts'

const NOTE = declare(
  'note',
  {
    title: { type: 'string' },
    body: { type: 'text' },
    owner: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
  },
  { search: { title: 2, body: 1 } },
)

const PAGE = declare(
  'page',
  { title: { type: 'string' }, secret: { type: 'text' } },
  { draftAndPublish: true, search: { title: 2, secret: 1 } },
)

const MEMO = declare('memo', { title: { type: 'string' } }, { search: { title: 1 } })

describe('search under rules', () => {
  let server: TestServer
  let ann: Member

  before(async () => {
    const contentTypes = {
      note: NOTE,
      page: PAGE,
      memo: MEMO,
      'queries/find-pages': {
        type: 'page',
        rules: 'caller',
        parameters: { text: { type: 'string', required: true } },
        rank: { query: { $param: 'text' } },
      },
    }
    server = await serve('rules_search', { contentTypes })
    ann = await addMember(server, 'ann')
    const bob = await addMember(server, 'bob')
    const notes = [
      { title: 'shared word', body: 'of ann', owner: ann.documentId },
      { title: 'canary', body: 'shared canary', owner: bob.documentId },
    ]
    for (const note of notes) await addEntry(server, '/api/notes', note)
    await addEntry(server, '/api/pages', { title: 'Open', secret: 'canary' })
    await addEntry(server, '/api/pages', { title: 'Open too', secret: 'nothing' })
    await addEntry(server, '/api/memos', { title: 'canary' })
    await setRules(
      server,
      'authenticated',
      [
        { action: 'api::note.note.find', where: { owner: '$user' } },
        { action: 'api::page.page.find', fields: ['title'] },
      ],
      ['query::find-pages'],
    )
    await server.indexed()
  })

  after(() => server.close())

  const asAnn = (path: string) => server.get(`/api/${path}`, { token: ann.token })

  it('finds the entries of the rule only', async () => {
    const { body } = await asAnn('notes?search=shared')
    expect(body.data.map(({ title }: Json) => title)).to.deep.equal(['shared word'])
    expect(body.meta.pagination.total).to.equal(1)
    expect(body.meta.search).to.deep.equal({ terms: ['shared'] })
  })

  const NOTHING = [
    'notes?search=canary',
    'notes?search=cana',
    'pages?search=canary',
    'pages?search=cana',
    '_q/find-pages?text=canary',
  ]
  for (const path of NOTHING) {
    it(`shows nothing of hidden values: ${path}`, async () => {
      const { status, body } = await asAnn(path)
      expect(status).to.equal(200)
      expect(body.data).to.deep.equal([])
      expect(body.meta.pagination.total).to.equal(0)
    })
  }

  it('ranks by visible attributes in named queries', async () => {
    const { body } = await asAnn('_q/find-pages?text=open')
    expect(body.data.map(({ title }: Json) => title)).to.have.members(['Open', 'Open too'])
    expect(JSON.stringify(body)).to.not.include('canary')
  })

  it('highlights entries of the rule only', async () => {
    const { body } = await asAnn('notes?search[query]=shared&search[highlights]=title,body')
    expect(body.meta.search.highlights).to.deep.equal([{ title: ['', 'shared', ' word'] }])
    expect(JSON.stringify(body)).to.not.include('canary')
  })

  it('corrects words by visible attributes only, and not under a condition', async () => {
    for (const path of [
      'notes?search=canarx',
      'pages?search=canarx',
      '_q/find-pages?text=canarx',
    ]) {
      const { body } = await asAnn(path)
      expect([body.data, body.meta.search]).to.deep.equal([[], { terms: ['canarx'] }])
    }
    const corrected = { canarx: 'canary' }
    for (const path of [
      'notes?search=canarx',
      'pages?search=canarx',
      '_q/find-pages?text=canarx',
    ]) {
      const { body } = await server.get(`/api/${path}`)
      expect(body.meta.search).to.deep.equal({ terms: ['canary'], corrected })
      expect(body.data).to.have.lengthOf(1)
    }
    expect((await asAnn('notes?search=sharde')).body.data).to.deep.equal([])
    const { body } = await asAnn('pages?search=oopen')
    expect(body.meta.search.corrected).to.deep.equal({ oopen: 'open' })
  })

  it('finds by visible attributes', async () => {
    const { body } = await asAnn('pages?search=open&fields=title')
    expect(body.data.map(({ title }: Json) => title)).to.have.members(['Open', 'Open too'])
  })

  it('refuses hidden attributes like unknown ones', async () => {
    for (const name of ['secret', 'absent']) {
      for (const member of ['fields', 'highlights']) {
        const path = `pages?search[query]=a&search[${member}]=${name}`
        const { status, body } = await asAnn(path)
        expect(status).to.equal(400)
        expect(body.error.message).to.equal(`search[${member}]: ${name} is not searched`)
      }
    }
  })

  it('refuses types and drafts without a permission', async () => {
    expect((await asAnn('memos?search=canary')).status).to.equal(403)
    expect((await asAnn('pages?search=open&status=draft')).status).to.equal(403)
  })
})
