import { expect } from 'chai'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry, RULED_TYPES } from './rules-world.ts'

const CANARY = 'canaryword'

describe('rules of API tokens', () => {
  let server: TestServer
  let token: string
  let open: string
  let closed: string

  before(async () => {
    server = await serve('rules_programs', { contentTypes: RULED_TYPES })
    const noteOf = async (isOpen: boolean): Promise<string> =>
      (
        await addEntry(server, '/api/notes', {
          title: isOpen ? 'open' : CANARY,
          body: CANARY,
          isOpen,
        })
      ).documentId
    open = await noteOf(true)
    closed = await noteOf(false)
    const where = { isOpen: true }
    const fields = ['title', 'isOpen']
    const body = {
      name: 'reader',
      type: 'custom',
      rules: [
        { action: 'api::note.note.find', where, fields },
        { action: 'api::note.note.findOne', where, fields },
      ],
    }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
  })
  after(() => server.close())

  const call = async (name: string, args: object): Promise<Json> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    const answer = await server.send('POST', '/mcp', { body, token })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.text).not.to.include(CANARY)
    const { content, isError } = answer.body.result
    return { ...JSON.parse(content[0].text), isError }
  }

  it('hold for lists and entries of agents', async () => {
    const found = await call('find', { type: 'note' })
    expect(found.data.map(({ documentId }: Json) => documentId)).to.deep.equal([open])
    expect((await call('get', { type: 'note', documentId: open })).data.title).to.equal('open')
    const hidden = await call('get', { type: 'note', documentId: closed })
    expect(hidden.isError).to.equal(true)
    expect(hidden.error.status).to.equal(404)
  })

  it('are part of the descriptions for agents', async () => {
    const { types } = await call('describe', {})
    expect(types.map(({ type, may }: Json) => [type, may])).to.deep.equal([
      ['note', ['find', 'findOne']],
    ])
    const described = await call('describe', { type: 'note' })
    const { properties } = described.$defs['Note']
    expect(properties).to.include.keys('title', 'isOpen')
    expect(properties).not.to.have.any.keys('body', 'opensAt')
  })

  it('are part of the OpenAPI description', async () => {
    const { body, status } = await server.get('/api/openapi.json', { token })
    expect(status).to.equal(200)
    expect(Object.keys(body.paths)).to.include.members(['/api/notes', '/api/notes/{documentId}'])
    const { properties } = body.components.schemas['Note']
    expect(properties).to.include.keys('title', 'isOpen')
    expect(properties).not.to.have.any.keys('body', 'opensAt')
  })
})
