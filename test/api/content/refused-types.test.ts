import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const WRITES_MEANWHILE = 100
const DRAFTS = { draftAndPublish: true }
const part = (value: object) => ({ info: { displayName: 'Part' }, attributes: { value } })
const repeated = (name: string) => ({ type: 'component', component: name, repeatable: true })

const things = (attributes: object, options: object = {}) => ({
  thing: declare('thing', { name: { type: 'string' }, ...attributes }, options),
})

/** A component in a component in a dynamic zone, and directly in the type. */
const nested = (value: object) => ({
  'components/shared/part': part(value),
  'components/shared/box': {
    info: { displayName: 'Box' },
    attributes: { parts: repeated('shared.part') },
  },
  ...things({
    zone: { type: 'dynamiczone', components: ['shared.box', 'shared.part'] },
    own: { type: 'component', component: 'shared.part' },
  }),
})

describe('stored values after a change of the type', () => {
  let releases: Releases

  beforeEach(() => {
    releases = openReleases('refused_types')
  })

  afterEach(() => releases.end())

  async function make(server: TestServer, data: object, query = ''): Promise<string> {
    const { status, text, body } = await server.post(`/api/things${query}`, data)
    expect(status, text).to.equal(201)
    return body.data.documentId
  }

  async function refusal(contentTypes: Readonly<Record<string, object>>): Promise<string> {
    try {
      await releases.start(contentTypes)
    } catch (error) {
      return String(error)
    }
    throw new Error('the server has started')
  }

  async function entries(server: TestServer, query = ''): Promise<readonly Json[]> {
    const { status, text, body } = await server.get(`/api/things?populate=*&sort=name&${query}`)
    expect(status, text).to.equal(200)
    return body.data
  }

  const STRING = things({ value: { type: 'string' } }, DRAFTS)

  it('refuses a start that would lose values, and counts them in all versions', async () => {
    const server = await releases.start(STRING)
    await make(server, { name: 'a', value: '12' })
    await make(server, { name: 'b', value: 'x' }, '?status=draft')
    await make(server, { name: 'c', value: null })
    const sentence = await refusal(things({ value: { type: 'integer' } }, DRAFTS))
    expect(sentence).to.match(
      /thing.*: attributes\.value\.type: stored values of type string that do not fit integer: 3; add "convert": "null"/,
    )
    const again = await releases.start(STRING)
    expect((await entries(again)).map(({ value }) => value)).to.deep.equal(['12', null])
  })

  it('counts and converts the values in the trash', async () => {
    const server = await releases.start(STRING)
    const kept = await make(server, { name: 'a', value: 'a@example.org' })
    const lost = await make(server, { name: 'b', value: 'nobody' })
    for (const id of [kept, lost]) await server.send('DELETE', `/api/things/${id}`)
    const email = (more: object) => things({ value: { type: 'email', ...more } }, DRAFTS)
    expect(await refusal(email({}))).to.match(/stored values of type string .* email: 2;/)
    const after = await releases.start(email({ convert: 'null' }))
    for (const [id, value] of [
      [kept, 'a@example.org'],
      [lost, null],
    ]) {
      const path = `/admin/trash/api::thing.thing/${id}/restore`
      const restored = await after.send('POST', path, { body: {} })
      expect(restored.status, restored.text).to.equal(200)
      const draft = await after.get(`/api/things/${id}?status=draft`)
      expect(draft.body.data.value).to.equal(value)
    }
  })

  it('checks that values are unique before it converts any', async () => {
    const attributes = (slug: string, amount: string) =>
      things({ slug: { type: slug }, amount: { type: amount, convert: 'null' } })
    const server = await releases.start(attributes('string', 'float'))
    await make(server, { name: 'a', slug: 'same', amount: 1.5 })
    await make(server, { name: 'b', slug: 'same', amount: 2 })
    expect(await refusal(attributes('uid', 'integer'))).to.match(/slug|unique/)
    const again = await releases.start(attributes('string', 'float'))
    const shown = (await entries(again)).map(({ slug, amount }) => [slug, amount])
    expect(shown).to.deep.equal([
      ['same', 1.5],
      ['same', 2],
    ])
  })

  it('rolls midnights back from date to datetime, without a time zone', async () => {
    const datetime = things({ value: { type: 'datetime' } })
    const date = things({ value: { type: 'date' } })
    const server = await releases.start(datetime)
    await make(server, { name: 'a', value: '2026-05-15T00:00:00.000Z' })
    const after = await releases.start(date)
    expect((await entries(after)).map(({ value }) => value)).to.deep.equal(['2026-05-15'])
    await make(after, { name: 'b', value: '2026-05-16' })
    const again = await releases.start(datetime)
    expect((await entries(again)).map(({ value }) => value)).to.deep.equal([
      '2026-05-15T00:00:00.000Z',
      '2026-05-16T00:00:00.000Z',
    ])
  })

  it('gives a type that fits no value a stored name of its own, so that a roll-back finds all', async () => {
    const server = await releases.start(STRING)
    await make(server, { name: 'a', value: '12' })
    const integer = things({ value: { type: 'integer', convert: 'null' } }, DRAFTS)
    const after = await releases.start(integer)
    const [entry] = await entries(after)
    expect(entry?.value).to.equal(null)
    const { documentId } = entry
    expect((await after.put(`/api/things/${documentId}`, { value: 5 })).status).to.equal(200)
    expect((await entries(after, 'filters[value]=5')).length).to.equal(1)
    const back = await releases.start(STRING)
    expect((await entries(back))[0]?.value).to.equal('12')
    expect((await back.put(`/api/things/${documentId}`, { value: '13' })).status).to.equal(200)
    const changed = things({ value: { type: 'text' }, more: { type: 'string' } }, DRAFTS)
    expect((await entries(await releases.start(changed)))[0]?.value).to.equal('13')
    expect((await entries(await releases.start(integer)))[0]?.value).to.equal(5)
  })

  it('refuses a roll-back over two changes of the type that would show values of another type', async () => {
    const typed = (type: string) => things({ value: { type } })
    await releases.start(typed('string'))
    await releases.start(typed('json'))
    const server = await releases.start(typed('blocks'))
    const value = [{ type: 'paragraph', children: [{ type: 'text', text: 'x' }] }]
    const documentId = await make(server, { name: 'a', value })
    expect(await refusal(typed('string'))).to.match(/of type blocks that do not fit string: 1;/)
    const again = await releases.start(typed('blocks'))
    expect((await entries(again))[0].value).to.deep.equal(value)
    await again.send('PUT', `/api/things/${documentId}`, { body: { data: { value: null } } })
    expect((await entries(await releases.start(typed('string'))))[0].value).to.equal(null)
  })

  it('rolls an owner of a relation back to an inverse side, and finds its targets later', async () => {
    const relation = { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing' }
    const other = { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' }
    const inverse = things({
      parent: { ...other, inversedBy: 'all' },
      all: { ...relation, mappedBy: 'parent' },
    })
    const owner = things({ parent: other, all: relation })
    await releases.start(inverse)
    const server = await releases.start(owner)
    const target = await make(server, { name: 'a' })
    await make(server, { name: 'b', all: [target] })
    const older = await releases.start(inverse)
    expect((await entries(older)).map(({ all }) => all)).to.deep.equal([[], []])
    const [, second] = await entries(await releases.start(owner))
    expect(second.all).to.have.length(1)
  })

  it('removes only the values that do not fit', async () => {
    const server = await releases.start(STRING)
    await make(server, { name: 'a', value: 'a@example.org' })
    const bad = await make(server, { name: 'b', value: 'nobody' })
    await make(server, { name: 'c' })
    expect(await refusal(things({ value: { type: 'email' } }, DRAFTS))).to.match(
      /values of type string that do not fit email: 2/,
    )
    const after = await releases.start(
      things({ value: { type: 'email', convert: 'null' } }, DRAFTS),
    )
    const shown = ['a@example.org', null, null]
    for (const status of ['draft', 'published']) {
      const all = await entries(after, `status=${status}`)
      expect(all.map(({ value }) => value)).to.deep.equal(shown)
    }
    const { status, text } = await after.put(`/api/things/${bad}`, { value: 'b@example.org' })
    expect(status, text).to.equal(200)
  })

  it('compares drafts with published versions again after values were removed', async () => {
    const server = await releases.start(STRING)
    const id = await make(server, { name: 'a', value: 'one' })
    await server.put(`/api/things/${id}?status=draft`, { value: 'two' })
    const after = await releases.start(
      things({ value: { type: 'email', convert: 'null' } }, DRAFTS),
    )
    await addAdministrator(after, 'Editor', ['editor'])
    const editor = await signIn(after, 'editor@example.org')
    const list = await editor.send('GET', '/admin/content/api::thing.thing?state=changed')
    expect(list.status, list.text).to.equal(200)
    expect(list.body.data).to.deep.equal([])
  })

  it('never shows the hash of a password', async () => {
    const secret = things({ value: { type: 'password' } }, DRAFTS)
    const server = await releases.start(secret)
    const id = await make(server, { name: 'a', value: 'correct horse' })
    const plain = things({ value: { type: 'string' } }, DRAFTS)
    expect(await refusal(plain)).to.match(/values of type password that do not fit string: 2/)
    const after = await releases.start(
      things({ value: { type: 'string', convert: 'null' } }, DRAFTS),
    )
    expect((await entries(after))[0]?.value).to.equal(null)
    await addAdministrator(after, 'Editor', ['editor'])
    const editor = await signIn(after, 'editor@example.org')
    const history = `/admin/history/api::thing.thing/${id}`
    const [version] = (await editor.send('GET', history)).body.data
    const past = await editor.send('GET', `${history}/${version.revision}`)
    expect(past.status, past.text).to.equal(200)
    expect(past.text).not.to.include('argon')
  })

  it('converts values in components at any depth', async () => {
    const server = await releases.start(nested({ type: 'float' }))
    const zone = [
      { __component: 'shared.box', parts: [{ value: 0.1 }, { value: null }, { value: 2 }] },
      { __component: 'shared.part', value: 0.3 },
    ]
    await make(server, { name: 'a', zone, own: { value: 0.7 } })
    await make(server, { name: 'b', zone: [], own: null })
    const after = await releases.start(nested({ type: 'decimal' }))
    const client = await MongoClient.connect(after.uri)
    const row = await client
      .db(releases.database)
      .collection('thing_versions')
      .findOne({ name: 'a' })
    await client.close()
    expect(JSON.stringify(row?.['zone'].concat(row['own'])).match(/numberDecimal/g)).to.have.length(
      4,
    )
    const found = await after.get('/api/things?filters[own][value]=0.7&populate[zone][populate]=*')
    expect(found.body.data[0].zone).to.have.length(2)
    expect(found.body.data[0].zone[0].parts.map(({ value }: Json) => value)).to.deep.equal([
      0.1,
      null,
      2,
    ])
    expect(await refusal(nested({ type: 'integer' }))).to.match(
      /part.*: attributes\.value\.type: stored values of type decimal that do not fit integer: 3/,
    )
  })

  describe('in the history and in the trash', () => {
    const one = {
      'components/shared/part': part({ type: 'string' }),
      ...things({ parts: { type: 'component', component: 'shared.part' } }, DRAFTS),
    }
    const many = { ...one, ...things({ parts: repeated('shared.part') }, DRAFTS) }
    const signedIn = async (server: TestServer): Promise<AdminClient> => {
      await addAdministrator(server, 'Editor', ['editor'])
      return signIn(server, 'editor@example.org')
    }

    it('have the form of the new type and can be restored', async () => {
      const server = await releases.start(one)
      const kept = await make(server, { name: 'kept', parts: { value: 'first' } })
      await server.put(`/api/things/${kept}`, { parts: { value: 'second' } })
      const gone = await make(server, { name: 'gone', parts: { value: 'deleted' } })
      expect((await server.delete(`/api/things/${gone}`)).status).to.equal(204)

      const after = await releases.start(many)
      const editor = await signedIn(after)
      const history = `/admin/history/api::thing.thing/${kept}`
      const versions = (await editor.send('GET', `${history}?status=draft`)).body.data
      const past = `${history}/${versions.at(-1).revision}`
      const shown = await editor.send('GET', past)
      expect(shown.body.data.content.parts).to.deep.equal([{ value: 'first' }])
      expect((await editor.send('POST', `${past}/restore`)).status).to.equal(200)
      const restored = await editor.send('POST', `/admin/trash/api::thing.thing/${gone}/restore`, {
        data: {},
      })
      expect(restored.status, restored.text).to.equal(200)
      const drafts = await entries(after, 'status=draft')
      expect(drafts.map(({ parts }) => parts.map((each: Json) => each.value))).to.deep.equal([
        ['deleted'],
        ['first'],
      ])
    })

    it('refuse a roll-back that would lose elements, and allow it otherwise', async () => {
      await releases.start(one)
      const server = await releases.start(many)
      const id = await make(server, { name: 'a', parts: [{ value: '1' }, { value: '2' }] })
      expect(await refusal(one)).to.match(
        /values of type component list that do not fit component: 2/,
      )
      const again = await releases.start(many)
      const { status } = await again.put(`/api/things/${id}`, { parts: [{ value: '1' }] })
      expect(status).to.equal(200)
      expect((await entries(await releases.start(one)))[0]?.parts.value).to.equal('1')
    })
  })

  it('keeps values unique', async () => {
    const unique = (type: string) => ({
      'components/shared/part': part({ type, unique: true }),
      ...things({
        value: { type, unique: true },
        part: { type: 'component', component: 'shared.part' },
      }),
    })
    const server = await releases.start(unique('integer'))
    await make(server, { name: 'a', value: 5, part: { value: 7 } })
    const after = await releases.start(unique('decimal'))
    for (const data of [{ value: '5.0' }, { part: { value: '7.0' } }]) {
      const { status, text } = await after.post('/api/things', { name: 'b', ...data })
      expect(status, text).to.equal(400)
      expect(text).to.include('unique')
    }
  })

  it('sends all rows to synced devices again', async () => {
    const server = await releases.start(things({ value: { type: 'integer' } }))
    await make(server, { name: 'a', value: 5 })
    await server.settled()
    const first = (await server.get('/api/_sync?types=thing')).body
    expect(first.items).to.have.length(1)
    const after = await releases.start(things({ value: { type: 'decimal' } }))
    const { body } = await after.get(`/api/_sync?token=${first.next}`)
    expect(body.items.map(({ op, data }: Json) => [op, data?.value])).to.deep.include(['put', 5])
  })

  it('waits until processes of an older release have stopped', async () => {
    const one = things({ value: { type: 'integer' } })
    const old = await releases.start(one)
    await make(old, { name: 'a', value: 5 })
    let isStarted = false
    const starting = serve('refused_types', {
      contentTypes: things({ value: { type: 'decimal' } }),
      environment: { MONGODB_DATABASE: releases.database },
    }).then((server) => {
      isStarted = true
      return server
    })
    const client = await MongoClient.connect(old.uri)
    const rows = client.db(releases.database).collection('thing_versions')
    // As long as several starts.
    for (let place = 0; place < WRITES_MEANWHILE; place += 1) {
      await make(old, { name: 'b', value: 6 })
    }
    const types = async () =>
      new Set((await rows.find({}).toArray()).map(({ value }) => typeof value))
    expect([...(await types())]).to.deep.equal(['number'])
    expect(isStarted).to.equal(false)
    await releases.stop()
    const server = await starting
    expect([...(await types())]).to.deep.equal(['object'])
    expect((await entries(server, 'filters[value]=6')).length).to.be.greaterThan(0)
    await client.close()
    await server.close()
  })
})
