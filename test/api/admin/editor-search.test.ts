import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

const CONTENT_TYPES = {
  page: declare(
    'page',
    {
      title: { type: 'string', ...LOCALIZED },
      body: { type: 'text', ...LOCALIZED },
      code: { type: 'string', ...LOCALIZED },
      part: { type: 'component', component: 'shared.part', ...LOCALIZED },
      notes: { type: 'text', private: true, ...LOCALIZED },
      team: { type: 'string' },
    },
    {
      draftAndPublish: true,
      localized: true,
      search: { title: 4, body: 1, code: 1, part: 1 },
    },
  ),
  memo: declare('memo', { name: { type: 'string' } }),
  label: declare(
    'label',
    { title: { type: 'string' }, word: { type: 'string' } },
    { search: { word: 1 } },
  ),
  'components/shared/part': {
    attributes: { text: { type: 'text' }, secret: { type: 'text', private: true } },
  },
}
const PAGE = 'api::page.page'
const PAGES = `/admin/content/${PAGE}`

/** Ann sees pages of team a, without `code`. */
const RULES = ['find', 'findOne', 'readDrafts'].map((verb) => ({
  action: `${PAGE}.${verb}`,
  where: { team: 'a' },
  fields: ['title', 'body', 'team'],
}))

describe('search for editors', () => {
  let server: TestServer
  let editor: AdminClient
  let ann: AdminClient

  before(async () => {
    server = await serve('editor_search', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['de'],
    })
    const body = { type: 'team', name: 'Team', permissions: [], rules: RULES }
    const made = await server.send('POST', '/admin/administrator-roles', { body })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Editor', ['editor'])
    await addAdministrator(server, 'Ann', ['team'])
    editor = await signIn(server, 'editor@example.org')
    ann = await signIn(server, 'ann@example.org')
    await write({ title: 'Red mountain', body: 'a walk', team: 'a' })
    await write({ title: 'Blue mountain', body: 'a red boat', code: 'zebra', team: 'a' })
    await write({ title: 'Canary mountain', body: 'canary', code: 'canary', team: 'b' })
    await write({ title: 'Quiet', part: { text: 'guitar', secret: 'walrus' }, notes: 'otter' })
    await write({ title: 'Roter Berg', team: 'a' }, 'de')
    await server.indexed({ withDrafts: true })
  })
  after(() => server.close())

  const write = async (data: object, locale = 'en'): Promise<string> => {
    const answer = await server.post(`/api/pages?status=draft&locale=${locale}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const search = async (client: AdminClient, query: string): Promise<Json> => {
    const { status, text, body } = await client.send('GET', `${PAGES}?${query}`)
    expect(status, text).to.equal(200)
    return body
  }
  const titles = async (client: AdminClient, query: string): Promise<readonly string[]> =>
    (await search(client, query)).data.map(({ title }: Json) => title)

  it('orders drafts by relevance, with their states', async () => {
    const { data, meta } = await search(editor, 'search=red')
    expect(data.map(({ title }: Json) => title)).to.deep.equal(['Red mountain', 'Blue mountain'])
    expect(meta.search).to.deep.equal({ terms: ['red'] })
    expect(meta.states).to.deep.equal(
      Object.fromEntries(data.map(({ documentId }: Json) => [documentId, 'draft'])),
    )
  })

  it('finds all words with match, and one of them without', async () => {
    expect(await titles(editor, 'search[query]=red+boat&search[match]=all')).to.deep.equal([
      'Blue mountain',
    ])
    expect(await titles(editor, 'search[query]=red+boat')).to.have.members([
      'Red mountain',
      'Blue mountain',
    ])
    expect(await titles(editor, 'search[query]=red+absent&search[match]=all')).to.deep.equal([])
    const refused = await editor.send('GET', `${PAGES}?search[query]=red&search[match]=some`)
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      400,
      'search[match]: expected any or all',
    ])
  })

  it('searches several locales in their languages', async () => {
    const query = 'search=berg&locale[]=en&locale[]=de'
    expect(await titles(editor, query)).to.deep.equal(['Roter Berg'])
  })

  it('shares the index with readers, which has no private members', async () => {
    expect(await titles(editor, 'search=guitar')).to.deep.equal(['Quiet'])
    expect(await titles(editor, 'search=walrus')).to.deep.equal([])
    expect(await titles(editor, 'search=otter')).to.deep.equal([])
  })

  it('shows an editor under a rule no hidden entries and words', async () => {
    const { data, meta } = await search(ann, 'search=mountain')
    expect(data.map(({ title }: Json) => title)).to.have.members(['Red mountain', 'Blue mountain'])
    expect(meta.pagination.total).to.equal(2)
    for (const text of ['canary', 'cana', 'zebra', 'zebr']) {
      const found = await search(ann, `search=${text}`)
      expect([found.data, found.meta.pagination.total], text).to.deep.equal([[], 0])
    }
    expect(await titles(editor, 'search=zebra')).to.deep.equal(['Blue mountain'])
  })

  it('finds a draft at once, by its newest words, and only where the rule permits', async () => {
    const documentId = await write({ title: 'Fresh heron', code: 'canary', team: 'a' })
    const hidden = await write({ title: 'Fresh canary', team: 'b' })
    for (const client of [editor, ann]) {
      expect(await titles(client, 'search=heron')).to.deep.equal(['Fresh heron'])
    }
    expect(await titles(ann, 'search=fresh')).to.deep.equal(['Fresh heron'])
    expect(await titles(ann, 'search=canary')).to.deep.equal([])
    const changed = await server.put(`/api/pages/${documentId}?status=draft&locale=en`, {
      title: 'Fresh stork',
    })
    expect(changed.status, changed.text).to.equal(200)
    expect(await titles(editor, 'search=heron')).to.deep.equal([])
    expect(await titles(editor, 'search=stork')).to.deep.equal(['Fresh stork'])
    expect((await server.delete(`/api/pages/${hidden}`)).status).to.equal(204)
    const both = 'search[query]=fresh+canary&search[match]=all'
    expect(await titles(editor, both)).to.deep.equal(['Fresh stork'])
    expect(await titles(ann, both)).to.deep.equal([])
  })

  it('names the types whose titles it searches', async () => {
    const { data } = (await editor.send('GET', '/admin/content-types')).body
    const searched = data.map(({ uid, searched: is }: Json) => [uid, is])
    expect(Object.fromEntries(searched)).to.deep.equal({
      'api::page.page': true,
      'api::memo.memo': false,
      'api::label.label': false,
    })
    const { data: page } = (await editor.send('GET', `/admin/content-types/${PAGE}`)).body
    expect(page.searched).to.equal(true)
    const refused = await editor.send('GET', '/admin/content/api::memo.memo?search=a')
    expect(refused.status).to.equal(400)
  })
})
