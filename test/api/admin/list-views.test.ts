import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const ARTICLE = 'api::article.article'
const HOME = 'api::home.home'
const DOOR = `/admin/views/${ARTICLE}`
const NONE = 'aaaaaaaaaaaaaaaaaaaaaaaa'
const SEARCH = {
  q: 'whales',
  filters: [{ at: 'title', is: 'contains', to: 'blue' }],
  columns: ['updatedAt'],
}

describe('saved views of lists', () => {
  let server: TestServer
  let ada: AdminClient
  let ben: AdminClient
  let eve: AdminClient
  let out: AdminClient

  before(async () => {
    server = await serve('list_views', {
      contentTypes: {
        article: declare('article', { title: { type: 'string' } }),
        home: declare('home', { title: { type: 'string' } }, { kind: 'singleType' }),
      },
      environment: { RATE_LIMIT: 'off' },
    })
    await addRole(server, 'outsider', [`${HOME}.find`])
    const people: Record<string, AdminClient> = {}
    for (const [name, role] of [
      ['ada', 'administrator'],
      ['ben', 'editor'],
      ['eve', 'editor'],
      ['out', 'outsider'],
    ] as const) {
      await addAdministrator(server, name, [role])
      people[name] = await signIn(server, `${name}@example.org`)
    }
    ;({ ada, ben, eve, out } = people as Record<'ada' | 'ben' | 'eve' | 'out', AdminClient>)
  })
  after(() => server.close())
  afterEach(() => clear())

  const save = async (who: AdminClient, name: string, shared: boolean): Promise<Json> => {
    const answer = await who.send('POST', DOOR, { name, shared, search: SEARCH })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const viewsOf = async (who: AdminClient, door = DOOR): Promise<readonly Json[]> => {
    const answer = await who.send('GET', door)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const namesOf = async (who: AdminClient): Promise<readonly string[]> =>
    (await viewsOf(who)).map(({ name }) => name)

  async function clear(): Promise<void> {
    for (const who of [ada, ben, eve]) {
      for (const { id, own } of await viewsOf(who)) {
        if (own === true) await who.send('DELETE', `${DOOR}/${id}`)
      }
    }
  }

  it('shows own views to their creator, and shared ones to everybody who reads the type', async () => {
    await save(ben, 'Mine', false)
    const team = await save(ben, 'Blue whales', true)
    expect(team).to.deep.equal({
      id: team.id,
      name: 'Blue whales',
      shared: true,
      own: true,
      by: 'ben',
      search: SEARCH,
    })
    expect(await namesOf(ben)).to.deep.equal(['Blue whales', 'Mine'])
    expect(await viewsOf(eve)).to.deep.equal([{ ...team, own: false }])
    expect(await namesOf(ada)).to.deep.equal(['Blue whales'])
    expect(await viewsOf(ada, `/admin/views/${HOME}`)).to.deep.equal([])
  })

  it('sorts the views by name, and numbers in names by value', async () => {
    for (const name of ['Step 10', 'step 2', 'Änderungen', 'Zoo']) await save(ben, name, false)
    expect(await namesOf(ben)).to.deep.equal(['Änderungen', 'step 2', 'Step 10', 'Zoo'])
  })

  it('changes the given members only', async () => {
    const { id } = await save(ben, 'Mine', false)
    const send = (body: object): Promise<Answer> => ben.send('PUT', `${DOOR}/${id}`, body)
    const renamed = await send({ name: 'Renamed' })
    expect(renamed.body.data).to.deep.include({ name: 'Renamed', shared: false, search: SEARCH })
    const moved = await send({ search: { sort: 'title:asc' }, shared: true })
    expect(moved.body.data).to.deep.include({ name: 'Renamed', search: { sort: 'title:asc' } })
    expect((await send({})).body.data).to.deep.include({ name: 'Renamed', shared: true })
    expect(await namesOf(eve)).to.deep.equal(['Renamed'])
  })

  it('hides the private views of others, and lets only some people change shared ones', async () => {
    const mine = await save(ben, 'Mine', false)
    const team = await save(ben, 'Team', true)
    const change = { name: 'Taken' }
    for (const who of [ada, eve]) {
      expect((await who.send('PUT', `${DOOR}/${mine.id}`, change)).status).to.equal(404)
      expect((await who.send('DELETE', `${DOOR}/${mine.id}`)).status).to.equal(404)
    }
    expect((await eve.send('PUT', `${DOOR}/${team.id}`, change)).status).to.equal(403)
    expect((await eve.send('DELETE', `${DOOR}/${team.id}`)).status).to.equal(403)
    expect((await ada.send('PUT', `${DOOR}/${team.id}`, change)).status).to.equal(200)
    expect(await namesOf(ben)).to.deep.equal(['Mine', 'Taken'])
    expect((await ada.send('DELETE', `${DOOR}/${team.id}`)).status).to.equal(204)
    expect(await namesOf(eve)).to.deep.equal([])
  })

  it('refuses callers who do not read the type, unknown types and unknown views', async () => {
    const { id } = await save(ben, 'Team', true)
    const body = { name: 'x', shared: true, search: {} }
    for (const [method, path] of [
      ['GET', DOOR],
      ['POST', DOOR],
      ['PUT', `${DOOR}/${id}`],
      ['DELETE', `${DOOR}/${id}`],
    ] as const) {
      const sent = method === 'GET' || method === 'DELETE' ? undefined : body
      expect((await out.send(method, path, sent)).status, method).to.equal(403)
      const missing = path.replace(ARTICLE, 'api::none.none')
      expect((await ada.send(method, missing, sent)).status, method).to.equal(404)
      const file = path.replace(ARTICLE, 'plugin::upload.file')
      expect((await ada.send(method, file, sent)).status, method).to.equal(404)
    }
    expect((await server.send('GET', DOOR)).status).to.equal(404) // root has no views
    expect((await server.send('GET', DOOR, { token: null })).status).to.equal(401)
    for (const one of [NONE, '__proto__', `${id}x`]) {
      expect((await ben.send('PUT', `${DOOR}/${one}`, { name: 'x' })).status, one).to.equal(404)
      expect((await ben.send('DELETE', `${DOOR}/${one}`)).status, one).to.equal(404)
    }
    const elsewhere = `/admin/views/${HOME}/${id}`
    expect((await ben.send('DELETE', elsewhere)).status).to.equal(404)
  })

  it('refuses invalid views with the path of each fault', async () => {
    const good = { name: 'x', shared: false, search: {} }
    for (const [body, path] of [
      [{ ...good, name: '' }, 'name'],
      [{ ...good, name: '  ' }, 'name'],
      [{ ...good, name: 'a\nb' }, 'name'],
      [{ ...good, name: 'x'.repeat(81) }, 'name'],
      [{ ...good, name: { $gt: '' } }, 'name'],
      [{ name: 'x', shared: false }, 'search'],
      [{ ...good, search: 'q=1' }, 'search'],
      [{ ...good, search: [] }, 'search'],
      [{ ...good, shared: 'yes' }, 'shared'],
      [{ ...good, administrator: 'other' }, 'administrator'],
    ] as const) {
      const answer = await ben.send('POST', DOOR, body)
      expect(answer.status, path).to.equal(400)
      const { details } = answer.body.error
      expect((details.errors as readonly Json[])[0].path.join('.')).to.equal(path)
    }
    const large = await ben.send('POST', DOOR, { ...good, search: { q: 'ä'.repeat(4_100) } })
    expect(large.status).to.equal(400)
    expect(await namesOf(ben)).to.deep.equal([])
  })

  it('keeps any member of a search as it was given', async () => {
    const search = { $where: 'x', 'a.b': [1, { $ne: null }], text: 'ä\u2028' }
    const answer = await ben.send('POST', DOOR, { name: 'Odd', shared: false, search })
    expect(answer.status, answer.text).to.equal(201)
    expect((await viewsOf(ben))[0].search).to.deep.equal(search)
  })

  it('limits the views of a person', async () => {
    for (let made = 0; made < 50; made += 1) await save(ben, `View ${made}`, false)
    const answer = await ben.send('POST', DOOR, { name: 'x', shared: false, search: {} })
    expect(answer.status).to.equal(400)
    expect(answer.body.error.message).to.include('50 views')
    await save(eve, 'Own room', false)
  })

  it('removes the private views of a person with that person', async () => {
    const { id } = await addAdministrator(server, 'zoe', ['editor'])
    const zoe = await signIn(server, 'zoe@example.org')
    await save(zoe, 'Mine', false)
    const team = await save(zoe, 'Left behind', true)
    const before = await server.count('quire_admin_views')
    expect((await ada.send('DELETE', `/admin/administrators/${id}`)).status).to.equal(200)
    expect(await server.count('quire_admin_views')).to.equal(before - 1)
    expect(await viewsOf(eve)).to.deep.equal([{ ...team, own: false, by: null }])
    expect((await ada.send('DELETE', `${DOOR}/${team.id}`)).status).to.equal(204)
  })
})
