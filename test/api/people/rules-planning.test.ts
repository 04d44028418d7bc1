import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const PAGE = 'api::page.page'

const CONTENT_TYPES = {
  page: declare(
    'page',
    {
      title: { type: 'string' },
      body: { type: 'string', required: true },
      team: { type: 'string' },
    },
    { draftAndPublish: true },
  ),
}

describe('plans and overviews under rules', () => {
  let server: TestServer
  let ann: AdminClient
  let bea: AdminClient
  let open: string
  let hidden: string
  let release: string

  const addPage = async (title: string, team: string): Promise<string> => {
    const answer = await server.post('/api/pages?status=draft', { title, team })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }

  const read = async (client: AdminClient, path: string): Promise<Json> => {
    const answer = await client.send('GET', path)
    expect(answer.status, `${path} ${answer.text}`).to.equal(200)
    expect(answer.text).not.to.include('canary')
    return answer.body.data
  }

  before(async () => {
    server = await serve('rules_planning', { contentTypes: CONTENT_TYPES })
    const reading = (fields: object): readonly object[] =>
      ['find', 'findOne', 'readDrafts'].map((verb) => ({
        action: `${PAGE}.${verb}`,
        where: { team: 'a' },
        ...fields,
      }))
    const actions = [
      `${PAGE}.publish`,
      ...['read', 'create', 'update'].map((verb) => `admin::releases.${verb}`),
    ]
    const permissions = actions.map((action) => ({ action }))
    const roles = [
      { type: 'ann', name: 'Ann', permissions, rules: reading({}) },
      { type: 'bea', name: 'Bea', permissions, rules: reading({ fields: ['team'] }) },
    ]
    for (const body of roles) {
      const made = await server.send('POST', '/admin/administrator-roles', { body })
      expect(made.status, made.text).to.equal(201)
    }
    await addAdministrator(server, 'Ann', ['ann'])
    await addAdministrator(server, 'Bea', ['bea'])
    ann = await signIn(server, 'ann@example.org')
    bea = await signIn(server, 'bea@example.org')
    open = await addPage('open page', 'a')
    hidden = await addPage('canary', 'b')
    const named = { body: { data: { name: 'Spring' } } }
    release = (await server.send('POST', '/admin/releases', named)).body.data.id
    const items = [open, hidden].map((documentId) => ({ uid: PAGE, documentId, action: 'publish' }))
    await server.send('POST', `/admin/releases/${release}/items`, { body: { data: { items } } })
    for (const [index, documentId] of [hidden, hidden, open, hidden].entries()) {
      const at = new Date(Date.now() + 3_600_000 * (index + 1)).toISOString()
      const path = `/api/pages/${documentId}/actions/publish`
      const answer = await server.send('POST', path, { body: { data: { at } } })
      expect(answer.status, answer.text).to.equal(202)
    }
  })
  after(() => server.close())

  it('count and list the visible entries', async () => {
    expect(await read(ann, '/admin/counts')).to.deep.equal({ [PAGE]: 1 })
    const { differing } = await read(ann, '/admin/recent')
    expect(
      differing.map(({ documentId, title, state }: Json) => [documentId, title, state]),
    ).to.deep.equal([[open, 'open page', 'draft']])
    const others = await read(bea, '/admin/recent')
    expect(others.differing.map(({ title }: Json) => title)).to.deep.equal([''])
  })

  it('note the presence in visible entries only', async () => {
    const statusOf = async (documentId: string): Promise<number> =>
      (await ann.send('PUT', '/admin/presence', { uid: PAGE, documentId })).status
    expect(await statusOf(open)).to.equal(200)
    expect(await statusOf(hidden)).to.equal(404)
    expect(await statusOf('a'.repeat(24))).to.equal(404)
  })

  it('list the schedules of visible entries, also on pages', async () => {
    const all = await read(ann, '/admin/schedules')
    expect(all.map(({ documentId, title }: Json) => [documentId, title])).to.deep.equal([
      [open, 'open page'],
    ])
    const { body, text } = await ann.send('GET', '/admin/schedules?pagination[pageSize]=1')
    expect(body.data).to.have.length(1)
    expect(body.meta.pagination.nextCursor).to.equal(null)
    expect(text).not.to.include(hidden)
    expect((await read(bea, '/admin/schedules')).map(({ title }: Json) => title)).to.deep.equal([
      '',
    ])
  })

  it('schedule no hidden entry', async () => {
    const body = { data: { at: new Date(Date.now() + 3_600_000) } }
    const answerOf = async (documentId: string) =>
      ann.send('POST', `/admin/content/${PAGE}/${documentId}/actions/publish`, body)
    const [one, other] = [await answerOf(hidden), await answerOf('a'.repeat(24))]
    expect([one.status, one.text]).to.deep.equal([404, other.text])
    expect((await answerOf(open)).status).to.equal(202)
  })

  it('show no title and no faults of hidden entries in releases', async () => {
    const path = `/admin/releases/${release}`
    const { items } = await read(ann, path)
    expect(items.map(({ title, state }: Json) => [title, state])).to.deep.equal([
      ['open page', 'draft'],
      ['', null],
    ])
    const faultsOf = async (client: AdminClient): Promise<readonly string[]> => {
      const { body, text, status } = await client.send('POST', `${path}/check`)
      expect(status, text).to.equal(200)
      expect(text).not.to.include('canary')
      return body.data.faults.map(({ documentId }: Json) => documentId)
    }
    expect(await faultsOf(ann)).to.deep.equal([open])
    expect(await faultsOf(bea)).to.deep.equal([open])
  })

  it('take visible entries into a release only', async () => {
    const add = async (documentId: string): Promise<number> => {
      const items = [{ uid: PAGE, documentId, action: 'unpublish' }]
      const path = `/admin/releases/${release}/items`
      return (await ann.send('POST', path, { data: { items } })).status
    }
    expect(await add(open)).to.equal(200)
    expect(await add(hidden)).to.equal(404)
    expect(await add('a'.repeat(24))).to.equal(404)
  })
})
