import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'

const UNI = 'api::uni.uni'
const UNIS = `/admin/content/${UNI}`
const LINK = 'api::link.link'

const CONTENT_TYPES = {
  uni: declare(
    'uni',
    { title: { type: 'string' }, code: { type: 'string' } },
    { draftAndPublish: true },
  ),
  link: declare(
    'link',
    { to: { type: 'relation', relation: 'manyToOne', target: UNI } },
    { draftAndPublish: true },
  ),
}

/** A published `canary` is hidden, also if its draft has another title. `code` is hidden from drafts. */
const RULES: readonly object[] = [
  ...['find', 'findOne', 'readDrafts'].map((verb) => ({
    action: `${UNI}.${verb}`,
    where: { title: { $ne: 'canary' } },
    fields: ['title'],
  })),
  { action: `${UNI}.create` },
]

describe('hidden versions and attributes of visible entries', () => {
  let server: TestServer
  let token: string
  let ann: AdminClient
  let canary: string
  let draft: string

  const add = async (data: object, status: string): Promise<string> => {
    const answer = await server.post(`/api/unis?status=${status}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }

  before(async () => {
    server = await serve('rules_hidden_versions', { contentTypes: CONTENT_TYPES })
    const reads = ['find', 'findOne', 'readDrafts'].map((verb) => `${LINK}.${verb}`)
    const whole = { name: 'Visitor', type: 'custom', permissions: reads, rules: RULES }
    const made = await server.send('POST', '/admin/api-tokens', { body: whole })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
    const permissions = reads.map((action) => ({ action }))
    const body = { type: 'ann', name: 'Ann', permissions, rules: RULES }
    const role = await server.send('POST', '/admin/administrator-roles', { body })
    expect(role.status, role.text).to.equal(201)
    await addAdministrator(server, 'Ann', ['ann'])
    ann = await signIn(server, 'ann@example.org')
    canary = await add({ title: 'canary', code: 'secret' }, 'published')
    await server.put(`/api/unis/${canary}?status=draft`, { title: 'other' })
    draft = await add({ title: 'mine' }, 'draft')
  })
  after(() => server.close())

  const errorOf = ({ status, body }: Answer): Json => [status, body.error?.message]
  const REASON = `a rule can hide the other version of an entry of ${UNI}`

  for (const filter of ['has-published-version', 'modified', 'never-published', 'unmodified']) {
    it(`decide no publication filter: ${filter}`, async () => {
      const refused = [400, `publicationFilter: ${REASON}`]
      const query = `status=draft&publicationFilter=${filter}`
      const get = (path: string): Promise<Answer> => server.send('GET', path, { token })
      expect(errorOf(await get(`/api/unis?${query}`))).to.deep.equal(refused)
      expect(errorOf(await get(`/api/links?${query}&populate=to`))).to.deep.equal(refused)
      expect(errorOf(await get(`/api/links/${canary}?${query}&populate=to`))).to.deep.equal(refused)
      expect((await get(`/api/links?${query}`)).status).to.equal(200)
      expect((await server.get(`/api/unis?${query}`)).status).to.equal(200)
    })
  }

  it('decide no older form of the filter', async () => {
    const path = '/api/unis?status=draft&hasPublishedVersion=true'
    const answer = await server.send('GET', path, { token })
    expect(errorOf(answer)).to.deep.equal([400, `hasPublishedVersion: ${REASON}`])
  })

  it('decide no filter by state in the Studio, and have the state of visible versions', async () => {
    for (const state of ['draft', 'changed', 'published']) {
      const answer = await ann.send('GET', `${UNIS}?status=draft&state=${state}`)
      expect(errorOf(answer)).to.deep.equal([400, `state: ${REASON}`])
    }
    const listed = await ann.send('GET', `${UNIS}?status=draft`)
    expect(listed.body.meta.states).to.deep.equal({ [canary]: 'draft', [draft]: 'draft' })
    const links = await ann.send('GET', `/admin/content/${LINK}?status=draft&state=changed`)
    expect(links.status, links.text).to.equal(200)
  })

  it('are left out of duplicates, whether they have a value or not', async () => {
    for (const documentId of [canary, draft]) {
      const answer = await ann.send('POST', `${UNIS}/${documentId}/duplicate`)
      expect(answer.status, answer.text).to.equal(201)
      expect(answer.body.meta.leftOut).to.deep.equal([{ path: ['code'], why: 'unreadable' }])
    }
  })
})
