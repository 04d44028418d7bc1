import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const USER = 'plugin::users-permissions.user'
const NOTE = 'api::note.note'
const LIST = 'api::list.list'

const CONTENT_TYPES = {
  note: declare(
    'note',
    {
      title: { type: 'string' },
      body: { type: 'string' },
      secret: { type: 'string' },
      shared: { type: 'boolean' },
      owner: { type: 'relation', relation: 'manyToOne', target: USER },
      list: { type: 'relation', relation: 'manyToOne', target: LIST, inversedBy: 'notes' },
    },
    { draftAndPublish: true },
  ),
  list: declare('list', {
    title: { type: 'string' },
    owner: { type: 'relation', relation: 'manyToOne', target: USER },
    notes: { type: 'relation', relation: 'oneToMany', target: NOTE, mappedBy: 'list' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
  }),
  tag: declare('tag', {
    title: { type: 'string' },
    isOpen: { type: 'boolean' },
    note: { type: 'relation', relation: 'oneToOne', target: NOTE },
  }),
}

const OWN = { owner: '$user' }

/** Users see and write their own notes and lists, and see notes that others share. */
const RULES = [
  ...['find', 'findOne', 'readDrafts'].map((verb) => ({
    action: `${NOTE}.${verb}`,
    where: { $or: [OWN, { shared: true }] },
  })),
  { action: `${NOTE}.create`, where: OWN, set: OWN },
  {
    action: `${NOTE}.update`,
    where: OWN,
    set: OWN,
    fields: ['title', 'body', 'shared', 'list'],
  },
  { action: `${NOTE}.delete`, where: OWN },
  { action: `${NOTE}.publish`, where: OWN },
  ...['find', 'findOne', 'create', 'update', 'delete'].map((verb) => ({
    action: `${LIST}.${verb}`,
    where: OWN,
    ...(verb === 'create' && { set: OWN }),
  })),
  { action: 'api::tag.tag.find', where: { isOpen: true } },
  { action: 'api::tag.tag.create', where: { isOpen: true } },
]

describe('writes under rules', () => {
  let server: TestServer
  const users = new Map<string, { readonly jwt: string; readonly documentId: string }>()

  before(async () => {
    server = await serve('owner_rules', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    const role = await server.send('PUT', '/admin/roles/authenticated', {
      body: { permissions: [], rules: RULES },
    })
    expect(role.status, role.text).to.equal(200)
    for (const username of ['una', 'udo']) {
      const { body } = await server.send('POST', '/api/auth/local/register', {
        token: null,
        body: { username, email: `${username}@example.org`, password: 'correct horse battery' },
      })
      users.set(username, { jwt: body.jwt, documentId: body.user.documentId })
    }
  })
  after(() => server.close())

  const idOf = (name: string): string => users.get(name)?.documentId ?? ''
  const as = (name: string, method: string, target: string, data?: object): Promise<Answer> =>
    server.send(method, target, {
      token: users.get(name)?.jwt ?? null,
      ...(data !== undefined && { body: { data } }),
    })
  const done = ({ status, text, body }: Answer): Json => {
    expect(status, text).to.be.oneOf([200, 201, 204])
    return body?.data
  }
  const noteOf = async (owner: string, data: object = {}, status = 'draft'): Promise<string> => {
    const target = `/api/notes?status=${status}`
    const given = { title: 'before', owner: idOf(owner), ...data }
    return done(await server.post(target, given)).documentId
  }
  const stored = async (documentId: string, status = 'draft'): Promise<Json> => {
    const target = `/api/notes/${documentId}?status=${status}&populate=*`
    return (await server.get(target)).body.data
  }
  const ownerOf = async (documentId: string, status = 'draft'): Promise<string> =>
    (await stored(documentId, status)).owner.documentId

  it('sets the owner of a new entry', async () => {
    const made = done(await as('una', 'POST', '/api/notes?status=draft', { title: 'a' }))
    expect(made.title).to.equal('a')
    expect(await ownerOf(made.documentId)).to.equal(idOf('una'))
  })

  it('refuses values that the server sets, and names them', async () => {
    for (const owner of [idOf('udo'), idOf('una'), { set: [idOf('udo')] }, null]) {
      const { status, body } = await as('una', 'POST', '/api/notes', { title: 'a', owner })
      expect([status, body.error.details]).to.deep.equal([403, { key: 'owner', path: 'owner' }])
    }
  })

  it('refuses attributes that the permission does not list, and names them', async () => {
    const documentId = await noteOf('una')
    const target = `/api/notes/${documentId}?status=draft`
    const { status, body } = await as('una', 'PUT', target, { title: 'b', secret: 's' })
    expect([status, body.error.details]).to.deep.equal([403, { key: 'secret', path: 'secret' }])
    expect((await stored(documentId)).title).to.equal('before')
    expect(done(await as('una', 'PUT', target, { title: 'b' })).title).to.equal('b')
  })

  interface Door {
    readonly door: string
    readonly send: (name: string, documentId: string) => Promise<Answer>
    /** The response for a document that does not exist. */
    readonly missing: number
  }
  const DOORS: readonly Door[] = [
    {
      door: 'PUT as draft',
      missing: 404,
      send: (name, id) => as(name, 'PUT', `/api/notes/${id}?status=draft`, { title: 'after' }),
    },
    {
      door: 'PUT as published',
      missing: 404,
      send: (name, id) => as(name, 'PUT', `/api/notes/${id}?status=published`, { title: 'after' }),
    },
    {
      door: 'DELETE',
      missing: 204,
      send: (name, id) => as(name, 'DELETE', `/api/notes/${id}`),
    },
    ...['publish', 'unpublish', 'discard'].map((action) => ({
      door: action,
      missing: 404,
      send: (name: string, id: string) => as(name, 'POST', `/api/notes/${id}/actions/${action}`),
    })),
  ]
  const MISSING = 'abcdefghijklmnopqrstuvwx'

  for (const { door, send, missing } of DOORS) {
    it(`allows the owner only: ${door}`, async () => {
      const prepare = async (data: object): Promise<string> => {
        const documentId = await noteOf('una', data, 'published')
        await server.put(`/api/notes/${documentId}?status=draft`, { title: 'changed' })
        return documentId
      }
      const versions = (id: string): Promise<readonly Json[]> =>
        Promise.all([stored(id, 'draft'), stored(id, 'published')])
      const nothing = await send('udo', MISSING)
      expect(nothing.status).to.equal(missing)
      const hidden = await prepare({})
      const before = await versions(hidden)
      const refused = await send('udo', hidden)
      expect([refused.status, refused.text]).to.deep.equal([nothing.status, nothing.text])
      expect(await versions(hidden)).to.deep.equal(before)
      const shared = await prepare({ shared: true })
      const visible = await versions(shared)
      await server.put(`/api/notes/${shared}?status=draft`, { title: 'changed', shared: true })
      const forbidden = await send('udo', shared)
      expect(forbidden.status, forbidden.text).to.equal(403)
      expect((await versions(shared))[1]).to.deep.equal(visible[1])
      const allowed = await send('una', hidden)
      expect(allowed.status, allowed.text).to.be.oneOf([200, 204])
      expect(await versions(hidden)).not.to.deep.equal(before)
    })
  }

  it('hides revisions of hidden entries from conditional writes', async () => {
    const documentId = await noteOf('una')
    for (const method of ['PUT', 'DELETE']) {
      const sent = async (id: string): Promise<unknown> => {
        const { status, headers, body } = await server.send(
          method,
          `/api/notes/${id}?status=draft`.replace(method === 'DELETE' ? /\?.*/ : /$^/, ''),
          {
            token: users.get('udo')?.jwt ?? null,
            headers: { 'if-match': '"0123456789abcdef"' },
            ...(method === 'PUT' && { body: { data: { title: 'x' } } }),
          },
        )
        return [status, headers['etag'], body]
      }
      expect(await sent(documentId)).to.deep.equal(await sent(MISSING))
    }
  })

  it('refuses to move an entry to another owner, and to write one that was moved', async () => {
    const permissions = [`${USER}.find`]
    done(await server.send('PUT', '/admin/roles/authenticated', { body: { permissions } }))
    const list = done(await as('una', 'POST', '/api/lists', { title: 'una' })).documentId
    const target = `/api/lists/${list}`
    const moved = await as('una', 'PUT', target, { owner: idOf('udo'), title: 'moved' })
    expect([moved.status, moved.body.error.name]).to.deep.equal([403, 'ForbiddenError'])
    expect((await server.get(target)).body.data.title).to.equal('una')
    done(await as('una', 'PUT', target, { owner: idOf('una'), title: 'kept' }))
    done(await server.put(target, { owner: idOf('udo') }))
    expect((await as('una', 'PUT', target, { title: 'late' })).status).to.equal(404)
    done(await server.send('PUT', '/admin/roles/authenticated', { body: { permissions: [] } }))
  })

  it('refuses to take over entries of others through a relation', async () => {
    const list = done(await as('una', 'POST', '/api/lists', { title: 'una' })).documentId
    const own = await noteOf('una')
    const [hidden, shared] = [await noteOf('udo'), await noteOf('udo', { shared: true })]
    const target = `/api/lists/${list}`
    done(await as('una', 'PUT', target, { notes: [own] }))
    const missing = await as('una', 'PUT', target, { notes: [MISSING] })
    const refused = await as('una', 'PUT', target, { notes: [own, hidden] })
    expect([refused.status, refused.text.replaceAll(hidden, MISSING)]).to.deep.equal([
      400,
      missing.text,
    ])
    const forbidden = await as('una', 'PUT', target, { notes: [own, shared] })
    expect([forbidden.status, forbidden.body.error.name]).to.deep.equal([403, 'ForbiddenError'])
    for (const documentId of [hidden, shared]) {
      expect((await stored(documentId)).list).to.equal(null)
    }
    const created = await as('una', 'POST', '/api/lists', { title: 'b', notes: [shared] })
    expect(created.status).to.equal(403)
    expect((await stored(own)).list.documentId).to.equal(list)
  })

  it('keeps hidden targets of a replaced list behind the new ones', async () => {
    const tag = async (isOpen: boolean): Promise<string> =>
      done(await server.post('/api/tags', { title: 't', isOpen })).documentId
    const [a, b, c, d] = [await tag(true), await tag(false), await tag(true), await tag(false)]
    const list = done(await as('una', 'POST', '/api/lists', { title: 'una', tags: [a] })).documentId
    const target = `/api/lists/${list}`
    done(await server.put(target, { tags: [a, b, c, d] }))
    done(await as('una', 'PUT', target, { tags: [c] }))
    const tags = async (): Promise<readonly string[]> =>
      (await server.get(`${target}?populate=tags`)).body.data.tags.map(
        ({ documentId }: Json) => documentId,
      )
    expect(await tags()).to.deep.equal([c, b, d])
    done(await as('una', 'PUT', target, { tags: { disconnect: [b, c], connect: [a] } }))
    expect(await tags()).to.deep.equal([b, d, a])
    expect((await as('una', 'PUT', target, { tags: [b] })).status).to.equal(400)
  })

  it('answers with the documentId only if the caller cannot read the entry', async () => {
    const { status, body } = await as('una', 'POST', '/api/tags', { title: 't', isOpen: true })
    expect(status).to.equal(201)
    expect(Object.keys(body.data)).to.deep.equal(['documentId'])
    const refused = await as('una', 'POST', '/api/tags', { title: 't', isOpen: false })
    expect(refused.status).to.equal(403)
  })

  it('asks the read rule again when a creation is replayed', async () => {
    const send = (): Promise<Answer> =>
      server.send('POST', '/api/notes?status=draft', {
        token: users.get('una')?.jwt ?? null,
        headers: { 'idempotency-key': 'replayed' },
        body: { data: { title: 'mine' } },
      })
    const first = await send()
    expect(first.status).to.equal(201)
    expect((await send()).body.data.title).to.equal('mine')
    const { documentId } = first.body.data
    done(await server.put(`/api/notes/${documentId}?status=draft`, { owner: idOf('udo') }))
    const replayed = await send()
    expect([replayed.status, replayed.body.data]).to.deep.equal([201, { documentId }])
  })

  it('decides on the stored row if its owner changes during the request', async () => {
    const results: number[] = []
    for (let round = 0; round < 8; round += 1) {
      const documentId = await noteOf('una')
      const target = `/api/notes/${documentId}?status=draft`
      const [written] = await Promise.all([
        as('una', 'PUT', target, { title: `by una ${round}` }),
        server.put(target, { owner: idOf('udo'), title: 'by udo' }),
      ])
      results.push(written.status)
      expect(written.status, written.text).to.be.oneOf([200, 403, 404])
      // Una's write stamps its owner, so it may only come first.
      expect(await ownerOf(documentId)).to.equal(idOf('udo'))
      expect((await stored(documentId)).title).to.equal('by udo')
    }
    expect(results).to.have.lengthOf(8)
  })

  it('refuses keys of anonymous creations under rules', async () => {
    const rules = [{ action: 'api::tag.tag.create', where: { isOpen: true } }]
    done(await server.send('PUT', '/admin/roles/public', { body: { permissions: [], rules } }))
    const send = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
      server.send('POST', '/api/tags', {
        token: null,
        headers,
        body: { data: { title: 't', isOpen: true } },
      })
    expect((await send({ 'idempotency-key': 'anonymous' })).status).to.equal(400)
    expect((await send({})).status).to.equal(201)
  })

  it('refuses to change entries through a relation without the permission to update them', async () => {
    const body = { name: 'lists', type: 'custom', permissions: [`${LIST}.create`, `${NOTE}.find`] }
    const { accessKey: token } = done(await server.send('POST', '/admin/api-tokens', { body }))
    const note = await noteOf('una')
    const sent = { token, body: { data: { title: 'token', notes: [note] } } }
    const refused = await server.send('POST', '/api/lists', sent)
    expect(refused.status, refused.text).to.equal(403)
    expect((await stored(note)).list).to.equal(null)
    const alone = { token, body: { data: { title: 'token' } } }
    expect((await server.send('POST', '/api/lists', alone)).status).to.equal(201)
  })

  it('refuses to write an attribute that a role sets through its inverse', async () => {
    const stamping = { action: `${NOTE}.update`, where: OWN, set: { list: null } }
    const role = (rules: readonly object[]): Promise<Answer> =>
      server.send('PUT', '/admin/roles/authenticated', { body: { permissions: [], rules } })
    const body = { name: 'full', type: 'full-access' }
    const { accessKey: token } = done(await server.send('POST', '/admin/api-tokens', { body }))
    const note = await noteOf('una')
    const send = (): Promise<Answer> =>
      server.send('POST', '/api/lists', { token, body: { data: { title: 't', notes: [note] } } })
    done(await role([stamping]))
    expect((await send()).status).to.equal(403)
    done(await role(RULES))
    expect((await send()).status).to.equal(201)
  })

  it('plans publications of own entries only', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const plan = async (owner: string): Promise<Answer> =>
      as('una', 'POST', `/api/notes/${await noteOf(owner)}/actions/publish`, { at })
    expect((await plan('una')).status).to.equal(202)
    expect((await plan('udo')).status).to.equal(404)
  })
})
