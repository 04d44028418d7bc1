import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare, type Json, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const THING = 'api::thing.thing'

/** The world of a release, whose values are `state`. */
function world(state: readonly string[], more: object = {}) {
  const value = { type: 'enumeration', enum: state, ...more }
  return {
    'components/shared/part': { info: { displayName: 'Part' }, attributes: { state: value } },
    thing: declare(
      'thing',
      {
        name: { type: 'string' },
        state: { ...value, index: true },
        parts: { type: 'component', component: 'shared.part', repeatable: true },
      },
      { draftAndPublish: true, search: { name: 1, state: 1 } },
    ),
  }
}

const BEFORE = world(['open', 'zebra'])
const AFTER = world(['zebra', 'ajar'], { from: { open: 'ajar' } })

describe('a renamed value of an enumeration', () => {
  let releases: Releases

  beforeEach(() => {
    releases = openReleases('renamed_values')
  })

  afterEach(() => releases.end())

  async function make(server: TestServer, data: object, query = '?status=published') {
    const { status, text, body } = await server.post(`/api/things${query}`, data)
    expect(status, text).to.equal(201)
    return body.data.documentId as string
  }

  async function names(server: TestServer, query: string): Promise<readonly string[]> {
    const { status, text, body } = await server.get(`/api/things?sort=name&${query}`)
    expect(status, text).to.equal(200)
    return body.data.map(({ name }: Json) => name)
  }

  async function refusal(contentTypes: Readonly<Record<string, object>>): Promise<string> {
    try {
      await releases.start(contentTypes)
    } catch (error) {
      return String(error)
    }
    throw new Error('the server has started')
  }

  async function signedIn(server: TestServer): Promise<AdminClient> {
    await addAdministrator(server, 'Editor', ['editor'])
    return signIn(server, 'editor@example.org')
  }

  it('is shown, filtered and sorted everywhere, also by its older name', async () => {
    const first = await releases.start(BEFORE)
    await make(first, { name: 'a', state: 'open', parts: [{ state: 'open' }, { state: 'zebra' }] })
    await make(first, { name: 'b', state: 'zebra' })
    await make(first, { name: 'c', state: 'open' }, '?status=draft')
    const server = await releases.start(AFTER)
    for (const status of ['draft', 'published']) {
      const { body } = await server.get(`/api/things?populate=parts&sort=name&status=${status}`)
      expect(body.data.map(({ state }: Json) => state).slice(0, 2)).to.deep.equal(['ajar', 'zebra'])
      expect(body.data[0].parts.map(({ state }: Json) => state)).to.deep.equal(['ajar', 'zebra'])
    }
    for (const value of ['ajar', 'open']) {
      for (const filter of [`=${value}`, `[$in][0]=${value}`, `[$eqi]=${value.toUpperCase()}`]) {
        if (filter.includes('OPEN')) continue // the older name has its own case
        expect(await names(server, `filters[state]${filter}`)).to.deep.equal(['a'])
      }
      expect(await names(server, `filters[state][$eqi]=${value}`)).to.deep.equal(['a'])
      expect(await names(server, `filters[state][$ne]=${value}`)).to.deep.equal(['b'])
      expect(await names(server, `filters[parts][state]=${value}`)).to.deep.equal(['a'])
    }
    expect(await names(server, 'filters[state][$startsWith]=aj')).to.deep.equal(['a'])
    const sorted = await server.get('/api/things?sort=state')
    expect(sorted.body.data.map(({ name }: Json) => name)).to.deep.equal(['a', 'b'])
    expect(server.takeLog()).to.deep.equal([])
  })

  it('is found by the full-text search and counted by its facets', async () => {
    const first = await releases.start(BEFORE)
    await make(first, { name: 'granite', state: 'open' })
    const found = async (server: TestServer, query: string): Promise<Json> => {
      const { body } = await server.get(`/api/things?search[query]=${query}&search[facets]=state`)
      return body
    }
    await until(async () => (await found(first, 'open')).data.length === 1, 20_000)
    const server = await releases.start(AFTER)
    await until(async () => (await found(server, 'ajar')).data?.length === 1, 20_000)
    expect((await found(server, 'open')).data).to.deep.equal([])
    const { meta } = await found(server, 'granite')
    expect(JSON.stringify(meta)).to.include('ajar').and.not.include('open')
  })

  it('is written by its older name, such as by an installed app', async () => {
    await releases.start(BEFORE)
    await releases.start(AFTER)
    const server = await releases.start(world(['zebra', 'ajar']))
    const id = await make(server, { name: 'a', state: 'open' })
    expect((await server.get(`/api/things/${id}`)).body.data.state).to.equal('ajar')
    const refused = await server.post('/api/things?status=published', { name: 'b', state: 'shut' })
    expect(refused.status).to.equal(400)
    expect(refused.text).to.include('zebra').and.not.include('open')
  })

  it('is meant by rules and stamps that name the older one', async () => {
    const first = await releases.start(BEFORE)
    const rules = [
      { action: `${THING}.find`, where: { state: { $ne: 'open' } } },
      { action: `${THING}.create`, set: { state: 'open' } },
      { action: `${THING}.publish` },
    ]
    const body = { name: 'outside', type: 'custom', rules }
    const token = await first.send('POST', '/admin/api-tokens', { body })
    expect(token.status, token.text).to.equal(201)
    await make(first, { name: 'a', state: 'open' })
    await make(first, { name: 'b', state: 'zebra' })
    const server = await releases.start(AFTER)
    const sent = { token: token.body.data.accessKey }
    const list = await server.get('/api/things', sent)
    expect(
      list.body.data?.map(({ name }: Json) => name),
      list.text,
    ).to.deep.equal(['b'])
    const made = await server.post('/api/things?status=published', { name: 'c' }, sent)
    expect(made.status, made.text).to.equal(201)
    expect(await names(server, 'filters[state]=ajar')).to.deep.equal(['a', 'c'])
  })

  it('has its current name in the history and in the trash', async () => {
    const first = await releases.start(BEFORE)
    const id = await make(first, { name: 'a', state: 'open' })
    await first.put(`/api/things/${id}`, { state: 'zebra' })
    const gone = await make(first, { name: 'gone', state: 'open' })
    expect((await first.delete(`/api/things/${gone}`)).status).to.equal(204)
    const server = await releases.start(AFTER)
    const editor = await signedIn(server)
    const history = `/admin/history/${THING}/${id}`
    const versions = (await editor.send('GET', `${history}?status=draft`)).body.data
    const past = `${history}/${versions.at(-1).revision}`
    expect((await editor.send('GET', past)).body.data.content.state).to.equal('ajar')
    expect((await editor.send('POST', `${past}/restore`)).status).to.equal(200)
    const path = `/admin/trash/${THING}/${gone}/restore`
    expect((await editor.send('POST', path, { data: {} })).status).to.equal(200)
    const drafts = await server.get('/api/things?status=draft&sort=name')
    expect(drafts.body.data.map(({ state }: Json) => state)).to.deep.equal(['ajar', 'ajar'])
  })

  it('has its older name again after a roll-back', async () => {
    const first = await releases.start(BEFORE)
    await make(first, { name: 'a', state: 'open' })
    const second = await releases.start(AFTER)
    await make(second, { name: 'b', state: 'ajar' })
    const back = await releases.start(BEFORE)
    expect(await names(back, 'filters[state]=open')).to.deep.equal(['a', 'b'])
    expect(await names(back, 'filters[state]=ajar')).to.deep.equal(['a', 'b'])
    const third = await releases.start(
      world(['zebra', 'wide'], { from: { open: 'wide', ajar: 'wide' } }),
    )
    expect(await names(third, 'filters[state]=wide')).to.deep.equal(['a', 'b'])
  })

  it('is sent to synced devices, and so is the removal of a value', async () => {
    const first = await releases.start(BEFORE)
    await make(first, { name: 'a', state: 'open' })
    await first.settled()
    let token = (await first.get('/api/_sync?types=thing')).body.next
    for (const [types, state] of [
      [AFTER, 'ajar'],
      [world(['zebra'], { convert: 'null' }), null],
    ] as const) {
      const server = await releases.start(types)
      const { body } = await server.get(`/api/_sync?token=${token}`)
      expect(body.items.map(({ op, data }: Json) => [op, data?.state])).to.deep.include([
        'put',
        state,
      ])
      token = body.next
    }
  })

  it('is refused without "from", with the number of values', async () => {
    const first = await releases.start(BEFORE)
    await make(first, { name: 'a', state: 'open', parts: [{ state: 'open' }] })
    await make(first, { name: 'b', state: 'zebra' })
    expect(await refusal(world(['zebra', 'ajar']))).to.match(
      /thing.*: attributes\.state\.enum: stored values of type enumeration \(open\) that do not fit enumeration \(ajar\): 2; add "from": \{ "old": "new" \}/,
    )
    expect(await refusal(world(['zebra'], { from: { open: 'zebra' } }))).to.match(
      /attributes\.state\.from: zebra is or was another value/,
    )
    const more = await releases.start(world(['shut', 'zebra', 'open']))
    expect(await names(more, 'filters[state]=open')).to.deep.equal(['a'])
  })

  it('may go when no entry has it, or with "convert": "null"', async () => {
    const first = await releases.start(BEFORE)
    await make(first, { name: 'b', state: 'zebra' })
    const fewer = await releases.start(world(['zebra']))
    expect(await names(fewer, 'filters[state]=zebra')).to.deep.equal(['b'])
    const none = await releases.start(world(['other'], { convert: 'null' }))
    for (const status of ['draft', 'published']) {
      const { body } = await none.get(`/api/things?status=${status}`)
      expect(body.data.map(({ state }: Json) => state)).to.deep.equal([null])
    }
  })

  it('is kept if a stored rule refuses the release that removes it', async () => {
    const first = await releases.start(BEFORE)
    const id = await make(first, { name: 'a', state: 'open' })
    const rules = [{ action: `${THING}.create`, set: { state: 'open' } }]
    const token = { name: 'robot', type: 'custom', permissions: [], rules }
    const { status, text } = await first.send('POST', '/admin/api-tokens', { body: token })
    expect(status, text).to.equal(201)
    const lossy = world(['zebra'], { convert: 'null' })
    expect(await refusal(lossy))
      .to.include('API token robot')
      .and.include('state')
    const again = await releases.start(BEFORE)
    for (const asked of ['draft', 'published']) {
      const { body } = await again.get(`/api/things/${id}?status=${asked}`)
      expect(body.data.state, asked).to.equal('open')
    }
  })
})
