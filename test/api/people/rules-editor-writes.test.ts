import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry, RULED_TYPES } from './rules-world.ts'

const NOTE = 'api::note.note'
const PAGE = 'api::page.page'
const NOTES = `/admin/content/${NOTE}`
const PAGES = `/admin/content/${PAGE}`
const MISSING = 'a'.repeat(24)

describe('writes of administrators under rules', () => {
  let server: TestServer
  let ann: AdminClient
  let open: string
  let closed: string

  const rule = (uid: string, verb: string, where: object, more: object = {}): object => ({
    action: `${uid}.${verb}`,
    where,
    ...more,
  })

  const stored = async (path: string): Promise<Json> => {
    const { status, body } = await server.get(path)
    return status === 404 ? null : body.data
  }

  before(async () => {
    server = await serve('rules_editor_writes', { contentTypes: RULED_TYPES })
    const own = { createdBy: '$user' }
    const started = { title: { $startsWith: 'own' } }
    const rules = [
      rule(NOTE, 'find', { isOpen: true }),
      rule(NOTE, 'findOne', { isOpen: true }),
      rule(NOTE, 'create', {}, { fields: ['title'], set: { isOpen: true } }),
      rule(NOTE, 'update', { title: { $ne: 'fixed' } }, { fields: ['title'] }),
      rule(NOTE, 'delete', { title: { $ne: 'fixed' } }),
      ...['find', 'findOne', 'readDrafts'].map((verb) => rule(PAGE, verb, {})),
      ...['create', 'publish', 'delete'].map((verb) => rule(PAGE, verb, started)),
      rule(PAGE, 'update', own),
    ]
    const body = { type: 'authors', name: 'Authors', permissions: [], rules }
    const made = await server.send('POST', '/admin/administrator-roles', { body })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Ann', ['authors'])
    ann = await signIn(server, 'ann@example.org')
    const idOf = async (data: object): Promise<string> =>
      (await addEntry(server, '/api/notes', data)).documentId
    open = await idOf({ title: 'open', body: 'body-text', isOpen: true })
    closed = await idOf({ title: 'canary', isOpen: false })
  })
  after(() => server.close())

  const expectLikeMissing = (hidden: Answer, missing: Answer): void => {
    expect([hidden.status, hidden.text]).to.deep.equal([missing.status, missing.text])
    expect(hidden.text).not.to.include('canary')
  }

  it('names the ruled actions of the session', async () => {
    const { body } = await ann.send('GET', '/admin/session')
    expect(body.data.ruled).to.include.members([`${NOTE}.update`, `${PAGE}.publish`])
    expect(body.data.permissions).to.deep.equal([])
    expect(body.data.conditional).to.include.members([`${NOTE}.find`, `${PAGE}.publish`])
    expect(body.data.conditional).to.not.include.members([`${PAGE}.find`])
  })

  it('names the conditional actions, which decide about the filter by state', async () => {
    const conditions = { nobody: {}, drafts: { readDrafts: true }, all: { find: true } }
    for (const [name, conditional] of Object.entries(conditions)) {
      const rules = ['find', 'findOne', 'readDrafts'].map((verb) =>
        rule(PAGE, verb, Object.hasOwn(conditional, verb) ? { title: { $startsWith: 'own' } } : {}),
      )
      const body = { type: name, name, permissions: [], rules }
      expect((await server.send('POST', '/admin/administrator-roles', { body })).status).to.equal(
        201,
      )
      await addAdministrator(server, `Of${name}`, [name])
      const editor = await signIn(server, `of${name}@example.org`)
      const session = (await editor.send('GET', '/admin/session')).body.data
      const found = Object.keys(conditional).map((verb) => `${PAGE}.${verb}`)
      expect(session.conditional).to.deep.equal(found)
      const { status } = await editor.send('GET', `${PAGES}?state=draft`)
      expect(status, name).to.equal(found.length === 0 ? 200 : 400)
    }
  })

  it('creates with the values of the server, and refuses other attributes by name', async () => {
    const made = await ann.send('POST', NOTES, { data: { title: 'mine' } })
    expect(made.status, made.text).to.equal(201)
    expect(await stored(`/api/notes/${made.body.data.documentId}`)).to.include({ isOpen: true })
    for (const name of ['body', 'isOpen']) {
      const refused = await ann.send('POST', NOTES, { data: { title: 'mine', [name]: null } })
      expect(refused.status, refused.text).to.equal(403)
      expect(refused.body.error.details).to.include({ key: name })
    }
  })

  it('updates visible entries, and treats hidden ones as missing', async () => {
    const changed = await ann.send('PUT', `${NOTES}/${open}`, { data: { title: 'changed' } })
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.body.data).to.include({ title: 'changed' })
    expect(changed.body.meta.locales).to.have.length(1)
    const beyond = await ann.send('PUT', `${NOTES}/${open}`, { data: { body: 'x' } })
    expect(beyond.status, beyond.text).to.equal(403)
    const after = await ann.send('PUT', `${NOTES}/${open}`, { data: { title: 'fixed' } })
    expect(after.status, after.text).to.equal(403)
    const body = { data: { title: 'x' } }
    expectLikeMissing(
      await ann.send('PUT', `${NOTES}/${closed}`, body),
      await ann.send('PUT', `${NOTES}/${MISSING}`, body),
    )
    expect(await stored(`/api/notes/${closed}`)).to.include({ title: 'canary' })
    expect(await stored(`/api/notes/${open}`)).to.include({ title: 'changed' })
  })

  it('deletes permitted entries only, one by one and in bulk', async () => {
    const idOf = async (title: string): Promise<string> =>
      (await addEntry(server, '/api/notes', { title, isOpen: true })).documentId
    const [gone, fixed, last] = [await idOf('gone'), await idOf('fixed'), await idOf('last')]
    expect((await ann.send('DELETE', `${NOTES}/${gone}`)).status).to.equal(204)
    expect((await ann.send('DELETE', `${NOTES}/${fixed}`)).status).to.equal(403)
    expect((await ann.send('DELETE', `${NOTES}/${closed}`)).status).to.equal(204)
    const documentIds = [fixed, closed, last, MISSING]
    const bulk = await ann.send('POST', `${NOTES}/bulk`, { action: 'delete', documentIds })
    expect(bulk.status, bulk.text).to.equal(200)
    expect(bulk.body.data.map(({ status }: Json) => status)).to.deep.equal([403, 200, 200, 200])
    expect(bulk.text).not.to.include('canary')
    for (const kept of [fixed, closed])
      expect(await stored(`/api/notes/${kept}`)).to.be.an('object')
    for (const lost of [gone, last]) expect(await stored(`/api/notes/${lost}`)).to.equal(null)
  })

  it('publishes, unpublishes and discards under the rules of publish and update', async () => {
    const create = (title: string) => ann.send('POST', PAGES, { data: { title } })
    const refused = await create('foreign')
    expect(refused.status, refused.text).to.equal(403)
    const made = await create('own page')
    expect(made.status, made.text).to.equal(201)
    const { documentId } = made.body.data
    const page = `${PAGES}/${documentId}`
    const act = (name: string): Promise<Answer> => ann.send('POST', `${page}/actions/${name}`)
    expect((await act('publish')).status).to.equal(200)
    const direct = await ann.send('PUT', `${page}?status=published`, { data: { title: 'own' } })
    expect(direct.status, direct.text).to.equal(200)
    const taken = { data: { title: 'foreign' } }
    expect((await ann.send('PUT', `${page}?status=published`, taken)).status).to.equal(403)
    const update = await ann.send('PUT', page, { data: { title: 'renamed' } })
    expect(update.status, update.text).to.equal(200)
    const publish = await act('publish')
    expect(publish.status, publish.text).to.equal(403)
    expect((await act('discard')).status).to.equal(200)
    expect((await act('unpublish')).status).to.equal(200)
    expect(await stored(`/api/pages/${documentId}`)).to.equal(null)
    const at = new Date(Date.now() + 3_600_000)
    const later = await ann.send('POST', `${page}/actions/publish`, { data: { at } })
    expect(later.status, later.text).to.equal(202)
  })

  it('publishes and discards permitted entries in bulk', async () => {
    const foreign = await server.post('/api/pages', { title: 'foreign canary' })
    const path = `/api/pages/${foreign.body.data.documentId}?status=draft`
    await server.send('PUT', path, { body: { data: { title: 'foreign' } } })
    const own = await ann.send('POST', PAGES, { data: { title: 'own two' } })
    const documentIds = [foreign.body.data.documentId, own.body.data.documentId]
    const bulk = async (action: string): Promise<readonly number[]> => {
      const answer = await ann.send('POST', `${PAGES}/bulk`, { action, documentIds })
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.data.map(({ status }: Json) => status)
    }
    expect(await bulk('publish')).to.deep.equal([403, 200])
    expect(await bulk('discard')).to.deep.equal([403, 200])
    expect(await bulk('unpublish')).to.deep.equal([403, 200])
  })

  it('shows the states of visible versions, and no usages', async () => {
    const states = await ann.send('GET', `${NOTES}/${open}/locales`)
    expect([states.status, states.body.data.length]).to.deep.equal([200, 1])
    expectLikeMissing(
      await ann.send('GET', `${NOTES}/${closed}/locales`),
      await ann.send('GET', `${NOTES}/${MISSING}/locales`),
    )
    await addEntry(server, '/api/comments', { text: 'canary', note: open })
    const usages = await ann.send('GET', `${NOTES}/${open}/usages`)
    expect([usages.status, usages.body.data]).to.deep.equal([200, []])
  })
})
