import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const NOTE = 'api::note.note'
const PAGE = 'api::page.page'
const CONTENT = `/admin/content/${NOTE}`
const localized = { pluginOptions: { i18n: { localized: true } } }
const PASSWORD = 'correct horse battery'

describe('authors in lists of editors', () => {
  let server: TestServer
  let ada: AdminClient
  let ids: Readonly<Record<string, string>>

  before(async () => {
    const tag = { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' }
    server = await serve('author-lists', {
      contentTypes: {
        note: declare('note', { title: { type: 'string' }, tag }, { draftAndPublish: true }),
        tag: declare('tag', { name: { type: 'string' } }),
        page: declare(
          'page',
          { title: { type: 'string', ...localized }, open: { type: 'boolean', ...localized } },
          { draftAndPublish: true, localized: true },
        ),
      },
      locales: ['fr', 'de'],
      environment: { RATE_LIMIT: 'off' },
    })
    const rules = ['find', 'readDrafts'].flatMap((verb) => [
      { action: `${NOTE}.${verb}`, where: { title: 'Shown' } },
      { action: `${PAGE}.${verb}`, where: { open: true } },
    ])
    const role = { type: 'ruled', name: 'Ruled', permissions: [], rules }
    await server.send('POST', '/admin/administrator-roles', { body: role })
    await addRole(server, 'reader', [`${NOTE}.find`, `${NOTE}.readDrafts`])
    await addRole(server, 'published', [`${NOTE}.find`])
    const people: Record<string, string> = {}
    for (const [name, type] of [
      ['Ada', 'administrator'],
      ['Ben', 'administrator'],
      ['Gone', 'administrator'],
      ['Reader', 'reader'],
      ['Ruled', 'ruled'],
      ['Published', 'published'],
    ] as const) {
      people[name] = (await addAdministrator(server, name, [type])).id
    }
    ids = people
    ada = await as('ada')
  })
  after(() => server.close())

  const as = (name: string): Promise<AdminClient> => signIn(server, `${name}@example.org`)
  const create = async (title: string, of = ada): Promise<string> => {
    const answer = await of.send('POST', CONTENT, { data: { title } })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const list = async (query: string, of = ada): Promise<Json> => {
    const answer = await of.send('GET', `${CONTENT}?sort=id:asc&pagination[pageSize]=100&${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const titlesIn = ({ data }: Json): string[] => data.map(({ title }: Json) => title)
  const empty = async (): Promise<void> => {
    for (const { documentId } of (await list('')).data) {
      await ada.send('DELETE', `${CONTENT}/${documentId}`)
    }
  }
  afterEach(empty)

  it('show names of administrators, API tokens and end users, and none of removed ones', async () => {
    const mine = await create('Mine')
    const ben = await as('ben')
    await ben.send('PUT', `${CONTENT}/${mine}`, { data: { title: 'Mine, by Ben' } })
    const gone = await create('Gone', await as('gone'))
    await server.send('DELETE', `/admin/administrators/${ids['Gone']}`)
    const { body } = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'Importer', type: 'full-access' },
    })
    const byToken = await server.send('POST', '/api/notes?status=draft', {
      body: { data: { title: 'Imported' } },
      token: body.data.accessKey,
    })
    expect(byToken.status, byToken.text).to.equal(201)
    const may = { permissions: ['create', 'find', 'readDrafts'].map((verb) => `${NOTE}.${verb}`) }
    await server.send('PUT', '/admin/roles/authenticated', { body: may })
    const registered = await server.send('POST', '/api/auth/local/register', {
      token: null,
      body: { username: 'walt', email: 'walt@example.org', password: PASSWORD },
    })
    expect(registered.status, registered.text).to.equal(200)
    const user = await server.send('POST', '/api/notes?status=draft', {
      body: { data: { title: 'By a user' } },
      token: registered.body.jwt,
    })
    const byRoot = await server.post('/api/notes?status=draft', { title: 'By root' })
    const { authors } = (await list('authors=true')).meta
    const person = (name: string): object => ({ kind: 'administrator', id: ids[name], name })
    expect(authors[mine]).to.deep.equal({ createdBy: person('Ada'), updatedBy: person('Ben') })
    const removed = { ...person('Gone'), name: null }
    expect(authors[gone]).to.deep.equal({ createdBy: removed, updatedBy: removed })
    const token = { kind: 'apiToken', id: body.data.id, name: 'Importer' }
    expect(authors[byToken.body.data.documentId].createdBy).to.deep.equal(token)
    expect(authors[byRoot.body.data.documentId].createdBy).to.equal(null)
    expect(user.status, user.text).to.equal(201)
    const userAuthor = async (of: AdminClient): Promise<Json> =>
      (await list('authors=true', of)).meta.authors[user.body.data.documentId].createdBy
    expect(await userAuthor(ada)).to.include({ kind: 'user', name: 'walt' })
    expect(await userAuthor(await as('reader'))).to.include({ kind: 'user', name: null })
    await server.send('DELETE', `/admin/api-tokens/${body.data.id}`)
    const later = (await list('authors=true')).meta.authors
    expect(later[byToken.body.data.documentId].createdBy).to.deep.equal({ ...token, name: null })
    expect((await list('')).meta).to.not.have.property('authors')
  })

  it('run the same number of commands for one entry as for many', async () => {
    const commandsFor = async (query: string): Promise<number> => {
      let least = Infinity
      for (let round = 0; round < 5; round += 1) {
        const { headers } = await ada.send('GET', `${CONTENT}?${query}`)
        least = Math.min(
          least,
          Number(/desc="(\d+) command/.exec(String(headers['server-timing']))?.[1]),
        )
      }
      return least
    }
    await create('First')
    const [plain, one] = [await commandsFor(''), await commandsFor('authors=true')]
    expect(one).to.equal(plain + 1)
    const ben = await as('ben')
    for (let at = 0; at < 10; at += 1) await create(`Note ${at}`, at % 2 === 0 ? ben : ada)
    expect(await commandsFor('authors=true')).to.equal(one)
  })

  it('filter by the creator and the last writer', async () => {
    const ben = await as('ben')
    const mine = await create('Mine')
    await create('His', ben)
    await ben.send('PUT', `${CONTENT}/${mine}`, { data: { title: 'Mine, by Ben' } })
    const by = async (query: string): Promise<string[]> => titlesIn(await list(query))
    expect(await by(`filters[createdBy][$eq]=${ids['Ada']}`)).to.deep.equal(['Mine, by Ben'])
    expect(await by(`filters[updatedBy][$eq]=${ids['Ada']}`)).to.deep.equal([])
    const any = `filters[$or][0][createdBy]=${ids['Ada']}&filters[$or][1][title]=His`
    expect(await by(any)).to.deep.equal(['Mine, by Ben', 'His'])
    await server.post('/api/notes?status=draft', { title: 'By root' })
    expect(await by('filters[createdBy][$null]=true')).to.deep.equal(['By root'])
  })

  it('compare no authors elsewhere', async () => {
    await create('Shown')
    const filter = `createdBy][$eq]=${ids['Ada']}`
    for (const target of [
      `/api/notes?filters[${filter}`,
      `${CONTENT}?filters[tag][${filter}`,
      `${CONTENT}?filters[createdBy][name][$eq]=Ada`,
      `${CONTENT}?sort=createdBy`,
      `${CONTENT}?authors=some`,
    ]) {
      const answer = await ada.send('GET', target)
      const { status } = target.startsWith('/api') ? await server.get(target) : answer
      expect(status, target).to.equal(400)
    }
    expect((await server.get('/api/notes?authors=true&status=draft')).text).to.not.include('Ada')
  })

  it('show no more under rules', async () => {
    const shown = await create('Shown')
    await create('Hidden')
    const ruled = await as('ruled')
    const found = await list(`authors=true&filters[createdBy][$eq]=${ids['Ada']}`, ruled)
    expect(titlesIn(found)).to.deep.equal(['Shown'])
    expect(Object.keys(found.meta.authors)).to.deep.equal([shown])
  })

  it('show authors of visible versions only, also in lists without the locale', async () => {
    const pages = `/admin/content/${PAGE}`
    const made = await ada.send('POST', pages, { data: { title: 'Page', open: true } })
    const { documentId } = made.body.data
    const path = `${pages}/${documentId}?locale=fr`
    const hidden = await ada.send('PUT', path, { data: { title: 'Page', open: false } })
    expect(hidden.status, hidden.text).to.equal(200)
    const ruled = await as('ruled')
    const keysFor = async (of: AdminClient, locales: string): Promise<readonly string[]> => {
      const { body } = await of.send('GET', `${pages}?fields=title&authors=true&${locales}`)
      return Object.keys(body.meta.authors).toSorted()
    }
    const [en, fr] = [`${documentId}:en`, `${documentId}:fr`]
    for (const locales of ['locale=fr&fallbackLocale=en', 'locale=en&fallbackLocale=fr']) {
      expect(await keysFor(ruled, locales), locales).to.deep.equal([en])
    }
    expect(await keysFor(ruled, 'locale=*')).to.deep.equal([en])
    expect(await keysFor(ada, 'locale=*'), 'no German version').to.deep.equal([en, fr])
  })

  it('list the administrators who read the type', async () => {
    const { data } = (await ada.send('GET', `${CONTENT}/people`)).body
    const names = data.map(({ name }: Json) => name)
    expect(names).to.include.members(['Ada', 'Ben', 'Reader', 'Ruled']).and.not.include('Published')
    expect((await (await as('reader')).send('GET', `${CONTENT}/people`)).status).to.equal(200)
    expect((await (await as('published')).send('GET', `${CONTENT}/people`)).status).to.equal(403)
    expect((await ada.send('GET', '/admin/content/api::none.none/people')).status).to.equal(404)
  })
})
