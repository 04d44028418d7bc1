import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const NOTE = 'api::note.note'

const CONTENT_TYPES = {
  tag: declare('tag', { name: { type: 'string' } }),
  note: declare('note', {
    title: { type: 'string' },
    team: { type: 'string' },
    tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
  }),
}

describe('the trash under rules', () => {
  let server: TestServer
  const clients: Record<string, AdminClient> = {}
  const deleted: Record<string, string> = {}

  before(async () => {
    server = await serve('rules_trash', { contentTypes: CONTENT_TYPES })
    const roles: readonly (readonly [string, object, object])[] = [
      ['own', { team: 'a' }, {}],
      ['narrow', { team: 'a' }, { fields: ['team'] }],
      ['related', { tag: { name: { $eq: 'red' } } }, {}],
    ]
    for (const [type, where, more] of roles) {
      const rules = ['find', 'findOne'].map((verb) => ({
        action: `${NOTE}.${verb}`,
        where,
        ...more,
      }))
      const permissions = ['create', 'delete'].map((verb) => ({ action: `${NOTE}.${verb}` }))
      const body = { type, name: type, permissions, rules }
      const made = await server.send('POST', '/admin/administrator-roles', { body })
      expect(made.status, made.text).to.equal(201)
      await addAdministrator(server, type, [type])
      clients[type] = await signIn(server, `${type}@example.org`)
    }
    const tag = (await server.post('/api/tags', { name: 'red' })).body.data.documentId
    for (const [title, team] of [
      ['canary', 'b'],
      ['open', 'a'],
      ['canary too', 'b'],
    ] as const) {
      const { documentId } = (await server.post('/api/notes', { title, team, tag })).body.data
      const gone = await server.send('DELETE', `/api/notes/${documentId}`)
      expect(gone.status, gone.text).to.equal(204)
      deleted[title] = documentId
    }
  })
  after(() => server.close())

  const trashOf = async (name: string, query = ''): Promise<Json> => {
    const answer = await clients[name]?.send('GET', `/admin/trash${query}`)
    expect(answer?.status, answer?.text).to.equal(200)
    expect(answer?.text).not.to.include('canary')
    return answer?.body
  }

  it('lists the deletions that match', async () => {
    const { data } = await trashOf('own')
    expect(data.map(({ documentId, title }: Json) => [documentId, title])).to.deep.equal([
      [deleted['open'], 'open'],
    ])
    const page = await trashOf('own', '?pagination[pageSize]=1')
    expect(page.data).to.have.length(1)
    expect(page.meta.pagination.nextCursor).to.equal(null)
  })

  it('hides titles outside of the fields', async () => {
    const { data } = await trashOf('narrow')
    expect(data.map(({ title }: Json) => title)).to.deep.equal([''])
  })

  it('lists nothing under a rule on related documents', async () => {
    expect((await trashOf('related')).data).to.deep.equal([])
  })

  it('restores and ends visible deletions only', async () => {
    const own = clients['own']
    const missing = 'a'.repeat(24)
    for (const [method, end] of [
      ['POST', '/restore'],
      ['DELETE', ''],
    ] as const) {
      const send = (documentId = '') =>
        own?.send(method, `/admin/trash/${NOTE}/${documentId}${end}`)
      const [hidden, other] = [await send(deleted['canary']), await send(missing)]
      expect([hidden?.status, hidden?.text]).to.deep.equal([404, other?.text])
    }
    const restored = await own?.send('POST', `/admin/trash/${NOTE}/${deleted['open']}/restore`)
    expect(restored?.status, restored?.text).to.equal(200)
    expect((await trashOf('own')).data).to.deep.equal([])
    const all = await server.get('/admin/trash')
    expect(all.body.data).to.have.length(2)
  })
})
