import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry, RULED_TYPES } from './rules-world.ts'

const LIST = '/admin/content/api::note.note'

describe('rules of administrators', () => {
  let server: TestServer
  let ann: AdminClient
  let both: AdminClient
  let open: string
  let closed: string

  const addRuledRole = async (type: string, rules: readonly object[]): Promise<void> => {
    const body = { type, name: type, permissions: [], rules }
    const answer = await server.send('POST', '/admin/administrator-roles', { body })
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.body.data.rules).to.deep.equal(rules)
  }

  before(async () => {
    server = await serve('rules_admins', { contentTypes: RULED_TYPES })
    const noteOf = async (data: object): Promise<string> =>
      (await addEntry(server, '/api/notes', data)).documentId
    open = await noteOf({ title: 'open', body: 'body-text', isOpen: true })
    closed = await noteOf({ title: 'canary', body: 'canary', isOpen: false })
    const rulesOf = (where: object, fields: readonly string[]) =>
      ['find', 'findOne'].map((verb) => ({ action: `api::note.note.${verb}`, where, fields }))
    await addRuledRole('openers', rulesOf({ isOpen: true }, ['title', 'isOpen']))
    await addRuledRole('closers', rulesOf({ isOpen: false }, ['title', 'body']))
    await addAdministrator(server, 'Ann', ['openers'])
    await addAdministrator(server, 'Both', ['openers', 'closers'])
    ann = await signIn(server, 'ann@example.org')
    both = await signIn(server, 'both@example.org')
  })
  after(() => server.close())

  it('hold for lists and entries of the Studio', async () => {
    const list = await ann.send('GET', LIST)
    expect(list.status, list.text).to.equal(200)
    expect(list.text).not.to.include('canary')
    expect(list.body.data.map(({ documentId }: Json) => documentId)).to.deep.equal([open])
    expect(list.body.data[0]).to.include({ title: 'open' }).and.not.have.property('body')
    const one = await ann.send('GET', `${LIST}/${open}`)
    expect(one.status, one.text).to.equal(200)
    expect(one.body.data).not.to.have.property('body')
    const hidden = await ann.send('GET', `${LIST}/${closed}`)
    const missing = await ann.send('GET', `${LIST}/${'a'.repeat(24)}`)
    expect([hidden.status, hidden.text]).to.deep.equal([404, missing.text])
  })

  it('join the conditions of several roles and show only their common fields', async () => {
    const { body } = await both.send('GET', `${LIST}?sort=id`)
    expect(body.data.map(({ title }: Json) => title)).to.deep.equal(['open', 'canary'])
    for (const note of body.data) expect(note).not.to.have.any.keys('body', 'isOpen')
  })

  it('stop the start if they no longer fit, and name the role and the action', async () => {
    const { 'src/api/note/content-types/note/schema': note, ...others } = RULED_TYPES
    const { attributes, ...type } = note as { readonly attributes: Record<string, object> }
    const { isOpen, ...rest } = attributes
    expect(isOpen).to.be.an('object')
    const contentTypes = {
      ...others,
      'src/api/note/content-types/note/schema': { ...type, attributes: rest },
    }
    const environment = { MONGODB_DATABASE: server.database }
    const stopped = await serve('rules_admins', { contentTypes, environment }).then(
      (started) => started.close(),
      (error: unknown) => error,
    )
    expect(stopped).to.be.instanceOf(Error)
    expect(stopped)
      .to.have.property('message')
      .include('administrator role openers, api::note.note.find, where')
  })

  it('refuse all doors that do not apply rules', async () => {
    for (const [method, path, body] of [
      ['GET', `${LIST}/${open}/usages`],
      ['GET', `${LIST}/${closed}/locales`],
      ['GET', `${LIST}/${open}/history`],
      ['GET', '/admin/trash'],
      ['PUT', `${LIST}/${open}`, { data: { title: 'x' } }],
      ['DELETE', `${LIST}/${open}`],
      ['POST', LIST, { data: { title: 'x' } }],
    ] as const) {
      const answer = await ann.send(method, path, body)
      const isEmpty = answer.status === 200 && answer.body.data.length === 0
      expect(isEmpty || [403, 404].includes(answer.status), `${path} ${answer.text}`).to.equal(true)
    }
  })
})
