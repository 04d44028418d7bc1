import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const NOTE = declare('note', { title: { type: 'string' } })

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://quire.example.org' }

describe('declarations in development', () => {
  let server: TestServer
  let developer: AdminClient
  before(async () => {
    server = await serve('declarations', {
      contentTypes: { note: NOTE, 'queries/feed': { type: 'note', fields: ['title'] } },
      editableTypes: true,
      environment: { RATE_LIMIT: 'off' },
    })
    await addRole(server, 'developer', ['admin::declarations.read', 'admin::declarations.update'])
    await addAdministrator(server, 'Ada', ['developer'])
    developer = await signIn(server, 'ada@example.org')
  })
  after(() => server.close())

  const put = (declarations: object) =>
    developer.send('PUT', '/admin/declarations', { declarations })

  it('reads and changes declarations with the permission', async () => {
    const { body, headers } = await developer.send('GET', '/admin/declarations')
    expect(headers['etag']).to.equal(`"${body.data.revision}"`)
    expect(body.data.running).to.equal(body.data.revision)
    expect(body.data.files).to.deep.equal([
      { uid: 'api::note.note', kind: 'contentType', content: NOTE },
    ])
    const answer = await put({ 'shared.link': { attributes: { url: { type: 'string' } } } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.data.files.length).to.equal(2)
    expect(answer.body.data.running).to.equal(body.data.revision)
    const [file = ''] = readdirSync(join(server.contentTypesDir, 'components/shared'))
    expect(file).to.equal('link.json')
    expect(server.takeLog().map(({ msg }) => msg)).to.deep.equal([
      'Declarations were changed in the Studio',
    ])
  })

  it('changes declarations only at the revision of If-Match', async () => {
    const send = (ifMatch: string) =>
      server.send('PUT', '/admin/declarations', {
        headers: { 'if-match': ifMatch },
        body: { declarations: { 'shared.other': { attributes: {} } } },
      })
    const refused = await send('"0000"')
    expect(refused.status).to.equal(412)
    expect(refused.headers['error-code']).to.equal('precondition_failed')
    const { headers } = await server.get('/admin/declarations')
    expect((await send(headers['etag'] ?? '')).status).to.equal(200)
    expect((await send('nonsense')).status).to.equal(400)
  })

  it('refuses declarations that would fail a start, including named queries', async () => {
    const { status, body } = await put({
      'api::note.note': declare('note', { heading: { type: 'string' } }),
    })
    expect(status).to.equal(400)
    const [fault] = body.error.details.errors
    expect(fault.message).to.match(/queries.feed\.json: fields.*title/)
    expect(fault).to.deep.include({
      path: ['feed', 'fields'],
      code: 'declare.query',
      params: { name: 'feed', place: 'fields' },
    })
    const text = readFileSync(join(server.contentTypesDir, 'note.json'), 'utf8')
    expect(JSON.parse(text)).to.deep.equal(NOTE)
  })

  it('refuses malformed declarations', async () => {
    const wrong: readonly unknown[] = [
      {},
      { declarations: {} },
      { declarations: [] },
      { declarations: { 'shared.link': 'text' } },
      { declarations: { 'shared.link': [] } },
      { declarations: { 'shared.../../x': {} } },
      { declarations: { 'api::none.none': null } },
      { declarations: { 'api::user.user': { attributes: {}, kind: 'sometype' } } },
      { declarations: { 'shared.link': { attributes: {} } }, more: 1 },
      '{"declarations":{"__proto__":{"attributes":{}}}}',
      '{"declarations":{"shared.link":{"attributes":{"__proto__":{"type":"string"}}}}}',
      { declarations: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`s.c${n}`, {}])) },
    ]
    for (const body of wrong) {
      const answer = await developer.send('PUT', '/admin/declarations', body)
      expect(answer.status, JSON.stringify(body)).to.equal(400)
    }
  })

  it('refuses changes without the permission and from other sites', async () => {
    await addRole(server, 'reader', ['admin::declarations.read'])
    await addAdministrator(server, 'Bob', ['reader'])
    const reader = await signIn(server, 'bob@example.org')
    expect((await reader.send('GET', '/admin/declarations')).status).to.equal(200)
    const body = { declarations: { 'shared.bad': { attributes: {} } } }
    expect((await reader.send('PUT', '/admin/declarations', body)).status).to.equal(403)
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://a.test' }]) {
      const answer = await server.send('PUT', '/admin/declarations', {
        token: null,
        headers: { cookie: developer.cookie, ...headers },
        body,
      })
      expect(answer.status).to.equal(403)
      expect(answer.headers['error-code']).to.equal('cross_site')
    }
    expect(readdirSync(join(server.contentTypesDir, 'components/shared'))).not.to.include(
      'bad.json',
    )
  })

  it('refuses a type that would lose stored values, and says how many', async () => {
    expect((await server.post('/api/notes', { title: 'Moon' })).status).to.equal(201)
    const note = declare('note', { title: { type: 'integer' } })
    const { status, body } = await put({ 'api::note.note': note })
    expect(status).to.equal(400)
    expect(body.error.details.errors[0]).to.deep.include({
      path: ['api::note.note', 'attributes', 'title', 'type'],
      code: 'declare.convertLoses',
      params: { amount: '1', kind: 'string', type: 'integer' },
    })
    const removing = declare('note', { title: { type: 'string' }, more: { type: 'integer' } })
    expect((await put({ 'api::note.note': removing })).status).to.equal(200)
    server.takeLog()
  })

  it('plans renamed values without writing, and refuses names of other values', async () => {
    const states = (values: readonly string[], from?: object): object => ({
      'api::note.note': declare('note', {
        title: { type: 'string' },
        state: { type: 'enumeration', enum: values, ...(from !== undefined && { from }) },
      }),
    })
    const plan = (declarations: object) =>
      developer.send('POST', '/admin/declarations/plan', { declarations })
    const read = (): string => readFileSync(join(server.contentTypesDir, 'note.json'), 'utf8')
    const before = read()
    const added = await plan(states(['open', 'done']))
    expect(added.status, added.text).to.equal(200)
    expect(added.body.data.retyped).to.deep.equal([])
    const wider = declare('note', { title: { type: 'text' } })
    const { retyped } = (await plan({ 'api::note.note': wider })).body.data
    expect(retyped).to.have.length(1)
    expect(retyped[0]).to.include({ uid: 'api::note.note', name: 'title', to: 'text', values: 1 })
    const lossy = await plan({
      'api::note.note': declare('note', { title: { type: 'integer' } }),
    })
    expect(lossy.status).to.equal(400)
    expect(lossy.body.error.details.errors[0].code).to.equal('declare.convertLoses')
    expect(read()).to.equal(before)
    const reader = await signIn(server, 'bob@example.org')
    const refused = await reader.send('POST', '/admin/declarations/plan', { declarations: {} })
    expect(refused.status).to.equal(403)
    expect((await plan({ 'shared.link': 'text' })).status).to.equal(400)
    const stale = await server.send('POST', '/admin/declarations/plan', {
      headers: { 'if-match': '"0000"' },
      body: { declarations: states(['open']) },
    })
    expect(stale.status).to.equal(412)
  })

  it('reports editable types to the Studio', async () => {
    const { data } = (await server.get('/admin/start', { token: null })).body
    expect(data.editableTypes).to.equal(true)
  })

  for (const [label, options] of [
    ['a server without editable types', {}],
    [
      'a production server, even with editable types',
      { editableTypes: true, environment: PRODUCTION },
    ],
  ] as const) {
    it(`has no routes on ${label}`, async () => {
      const other = await serve('declarations_closed', { contentTypes: { note: NOTE }, ...options })
      try {
        const found = other.routes.filter(({ path }) => path.startsWith('/admin/declarations'))
        expect(found).to.deep.equal([])
        for (const [method, path] of [
          ['GET', '/admin/declarations'],
          ['PUT', '/admin/declarations'],
          ['POST', '/admin/declarations/plan'],
        ] as const) {
          const answer = await other.send(method, path, { body: { declarations: {} } })
          expect(answer.status, path).to.equal(404)
        }
        const { data } = (await other.get('/admin/start', { token: null })).body
        expect(data.editableTypes).to.equal(false)
      } finally {
        await other.close()
      }
    })
  }
})
