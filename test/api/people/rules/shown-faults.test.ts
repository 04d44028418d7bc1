import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'

const UNI = 'api::uni.uni'
const UNIS = `/admin/content/${UNI}`
const HIDDEN = 'Attributes that you cannot see have faults'

const CONTENT_TYPES = {
  uni: declare(
    'uni',
    { title: { type: 'string', maxLength: 20 }, code: { type: 'string', unique: true } },
    { draftAndPublish: true },
  ),
}

/** `code` is hidden, but a new entry can have one. */
const RULES: readonly object[] = [
  ...['find', 'findOne', 'readDrafts'].map((verb) => ({
    action: `${UNI}.${verb}`,
    where: { title: { $ne: 'canary' } },
    fields: ['title'],
  })),
  { action: `${UNI}.create`, fields: ['title', 'code'] },
  { action: `${UNI}.update`, fields: ['title'] },
  { action: `${UNI}.delete`, where: { title: { $ne: 'canary' } } },
  { action: `${UNI}.publish`, where: { title: { $ne: 'canary' } } },
]

describe('faults of attributes that rules hide', () => {
  let server: TestServer
  let token: string
  let ann: AdminClient
  let mine: string
  let release: string

  const add = async (data: object, status: string): Promise<string> => {
    const answer = await server.post(`/api/unis?status=${status}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const visitor = (method: string, path: string, body?: object): Promise<Answer> =>
    server.send(method, path, { token, ...(body !== undefined && { body }) })

  before(async () => {
    server = await serve('rules_shown_faults', { contentTypes: CONTENT_TYPES })
    const whole = { name: 'Visitor', type: 'custom', rules: RULES }
    const made = await server.send('POST', '/admin/api-tokens', { body: whole })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
    const permissions = ['read', 'create', 'update', 'publish'].map((verb) => ({
      action: `admin::releases.${verb}`,
    }))
    const body = { type: 'ann', name: 'Ann', permissions, rules: RULES }
    const role = await server.send('POST', '/admin/administrator-roles', { body })
    expect(role.status, role.text).to.equal(201)
    await addAdministrator(server, 'Ann', ['ann'])
    ann = await signIn(server, 'ann@example.org')
    await add({ title: 'canary', code: 'HIDU' }, 'published')
    mine = await add({ title: 'mine', code: 'HIDU' }, 'draft')
    const named = await ann.send('POST', '/admin/releases', { data: { name: 'Spring' } })
    release = named.body.data.id
    const items = [{ uid: UNI, documentId: mine, action: 'publish' }]
    const path = `/admin/releases/${release}/items`
    expect((await ann.send('POST', path, { data: { items } })).status).to.equal(200)
  })
  after(() => server.close())

  const errorOf = ({ body }: Answer): Json => body.error
  const firstLine = ({ text }: Answer): Json => JSON.parse(text.split('\n')[0] ?? '').error
  const itemOf = ({ body }: Answer): Json => body.error.details.errors[0]

  interface Door {
    readonly send: () => Promise<Answer>
    readonly read: (answer: Answer) => Json
  }
  const DOORS: Readonly<Record<string, Door>> = {
    'a publication': {
      send: () => visitor('POST', `/api/unis/${mine}/actions/publish`),
      read: errorOf,
    },
    'an update': {
      send: () => visitor('PUT', `/api/unis/${mine}`, { data: { title: 'u' } }),
      read: errorOf,
    },
    'a line of a bulk write': {
      send: () => {
        const line = { op: 'upsert', type: 'uni', documentId: mine, data: { title: 'u' } }
        const headers = { 'content-type': 'application/x-ndjson' }
        return server.send('POST', '/api/_bulk', { token, headers, body: JSON.stringify(line) })
      },
      read: firstLine,
    },
    'a publication in the Studio': {
      send: () => ann.send('POST', `${UNIS}/${mine}/actions/publish`),
      read: errorOf,
    },
    'an update that publishes in the Studio': {
      send: () => ann.send('PUT', `${UNIS}/${mine}?status=published`, { data: { title: 'u' } }),
      read: errorOf,
    },
    'a release': {
      send: () => ann.send('POST', `/admin/releases/${release}/actions/publish`),
      read: itemOf,
    },
    'a check': {
      send: () => ann.send('POST', `${UNIS}/${mine}/check`),
      read: ({ body }) => body.data.faults[0],
    },
  }
  for (const [name, { send, read }] of Object.entries(DOORS)) {
    it(`stay out of the answer of ${name}`, async () => {
      const answer = await send()
      expect(answer.text).not.to.match(/HIDU|code"\]|"value"/)
      const { message, details } = read(answer)
      expect([message, details.errors], answer.text).to.deep.equal([HIDDEN, []])
    })
  }

  it('leave faults of visible and of given attributes in place', async () => {
    const pathsOf = async (data: object, id = ''): Promise<Json> => {
      const sent = await visitor(id === '' ? 'POST' : 'PUT', `/api/unis${id}`, { data })
      expect(sent.status, sent.text).to.equal(400)
      return sent.body.error.details.errors.map(({ path }: Json) => path)
    }
    const title = 'x'.repeat(30)
    expect(await pathsOf({ title }, `/${mine}`)).to.deep.equal([['title']])
    expect(await pathsOf({ title: 'other', code: 'HIDU' })).to.deep.equal([['code']])
  })

  it('stay out of the answer of a restore', async () => {
    const lost = await add({ title: 'lost', code: 'LOST' }, 'published')
    expect((await server.send('DELETE', `/api/unis/${lost}`)).status).to.equal(204)
    await add({ title: 'heir', code: 'LOST' }, 'published')
    const path = `/admin/trash/${UNI}/${lost}/restore`
    const whole = await ann.send('POST', path, { data: { from: 'both' } })
    expect(whole.text).not.to.include('LOST')
    expect([whole.status, errorOf(whole).message]).to.deep.equal([400, HIDDEN])
    const draft = await ann.send('POST', path)
    expect(draft.status, draft.text).to.equal(200)
    expect(draft.body.meta.taken).to.deep.equal([])
  })
})
