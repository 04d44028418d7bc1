import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../../support/admin-client.ts'
import { sendSoon } from '../../../support/plan-ahead.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const UNI = 'api::uni.uni'
const HIDDEN = 'Attributes that you cannot see have faults'

const CONTENT_TYPES = {
  uni: declare(
    'uni',
    { title: { type: 'string' }, code: { type: 'string', unique: true } },
    { draftAndPublish: true },
  ),
}

const RULES: readonly object[] = ['find', 'findOne', 'readDrafts', 'publish'].map((verb) => ({
  action: `${UNI}.${verb}`,
  where: { title: { $ne: 'canary' } },
  ...(verb !== 'publish' && { fields: ['title'] }),
}))

describe('failures of plans under rules', () => {
  let server: TestServer
  let ann: AdminClient
  let mute: AdminClient
  let planned: string
  let release: string

  const added = async (data: object, status: string): Promise<string> => {
    const answer = await server.post(`/api/unis?status=${status}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const failed = (): Promise<Answer> => server.send('GET', '/admin/schedules')
  const addReader = async (name: string, role: object): Promise<AdminClient> => {
    const body = { type: name, name, ...role }
    const made = await server.send('POST', '/admin/administrator-roles', { body })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, name, [name])
    return signIn(server, `${name}@example.org`)
  }

  before(async () => {
    server = await serve('rules_planned_failures', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    const releases = { action: 'admin::releases.read' }
    ann = await addReader('ann', { permissions: [releases], rules: RULES })
    mute = await addReader('mute', { permissions: [releases, { action: `${UNI}.publish` }] })
    await added({ title: 'first', code: 'HIDU' }, 'published')
    const mine = await added({ title: 'mine', code: 'HIDU' }, 'draft')
    const canary = await added({ title: 'canary', code: 'HIDU' }, 'draft')
    const named = await server.send('POST', '/admin/releases', {
      body: { data: { name: 'Spring' } },
    })
    release = named.body.data.id
    const items = [mine, canary].map((documentId) => ({ uid: UNI, documentId, action: 'publish' }))
    await server.send('POST', `/admin/releases/${release}/items`, { body: { data: { items } } })
    const paths = [`/api/unis/${mine}`, `/admin/releases/${release}`]
    for (const path of paths) {
      const answer = await sendSoon((at) =>
        server.send('POST', `${path}/actions/publish`, { body: { data: { at } } }),
      )
      expect(answer.status, answer.text).to.be.oneOf([200, 202])
    }
    await until(
      async () => (await failed()).body.data.every(({ state }: Json) => state === 'failed'),
      10_000,
    )
    planned = (await failed()).body.data.find(({ kind }: Json) => kind === 'document').id
  })
  after(() => server.close())

  const ofKind = ({ body }: Answer, kind: string): Json =>
    body.data.find((row: Json) => row.kind === kind).failure

  it('are shown as they are without a rule', async () => {
    const answer = await failed()
    expect(ofKind(answer, 'document').details.errors[0]).to.include({ value: 'HIDU' })
    expect(ofKind(answer, 'release').details.errors).to.have.length(2)
    expect(ofKind(answer, 'release').message).to.equal('2 documents cannot be released')
  })

  it('are listed without faults of hidden attributes and of hidden items', async () => {
    const answer = await ann.send('GET', '/admin/schedules')
    expect(answer.text).not.to.match(/HIDU|code"\]|"value"|canary/)
    const { message, details } = ofKind(answer, 'document')
    expect([message, details.errors]).to.deep.equal([HIDDEN, []])
    const items = ofKind(answer, 'release').details.errors
    expect(items.map((item: Json) => [item.message, item.details.errors])).to.deep.equal([
      [HIDDEN, []],
    ])
  })

  for (const [name, path] of [
    ['a list of releases', () => '/admin/releases'],
    ['a release', () => `/admin/releases/${release}`],
  ] as const) {
    it(`stay out of ${name}`, async () => {
      const answer = await ann.send('GET', path())
      expect(answer.text).to.include('release_faults')
      expect(answer.text).not.to.match(/HIDU|code"\]|"value"|canary/)
      expect((await mute.send('GET', path())).text).not.to.match(/HIDU|code"\]|"value"|canary/)
    })
  }

  it('are cut in checks, which name the visible items', async () => {
    const answer = await ann.send('POST', `/admin/releases/${release}/check`)
    expect(answer.text).not.to.match(/HIDU|code"\]|"value"|canary/)
    expect(answer.body.data.faults.map(({ message }: Json) => message)).to.deep.equal([HIDDEN])
    const unread = await mute.send('POST', `/admin/releases/${release}/check`)
    expect(unread.body.data.faults).to.deep.equal([])
  })

  it('are cut after a retry', async () => {
    for (const client of [ann, mute]) {
      const answer = await client.send('POST', `/admin/schedules/${planned}/actions/retry`)
      expect(answer.status, answer.text).to.equal(202)
      expect(answer.text).not.to.match(/HIDU|code"\]|"value"/)
      await until(
        async () => (await failed()).body.data.every(({ state }: Json) => state === 'failed'),
        10_000,
      )
    }
  })
})
