import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const vault = { type: 'relation', relation: 'manyToMany', target: 'api::vault.vault' }
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string' },
      vaults: vault,
      part: { type: 'component', component: 'shared.part' },
      zone: { type: 'dynamiczone', components: ['shared.part'] },
    },
    { draftAndPublish: true },
  ),
  vault: declare('vault', { name: { type: 'string' } }),
  'components/shared/part': { attributes: { text: { type: 'string' }, vaults: vault } },
}
const UID = 'api::article.article'

describe('/admin/history for an administrator without permission to see related entries', () => {
  let server: TestServer
  let somebody: AdminClient
  let id: string
  let documentId: string
  let earlier: string
  let later: string

  before(async () => {
    server = await serve('history_rights', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    await addRole(
      server,
      'writers',
      ['find', 'findOne', 'readDrafts', 'update'].map((verb) => `${UID}.${verb}`),
    )
    await addAdministrator(server, 'Wendy', ['writers'])
    somebody = await signIn(server, 'wendy@example.org')
    id = (await server.post('/api/vaults', { name: 'hidden' })).body.data.documentId
    const part = { text: 'one', vaults: [id] }
    const data = {
      title: 'One',
      vaults: [id],
      part,
      zone: [{ __component: 'shared.part', ...part }],
    }
    const path = `/api/articles?status=draft`
    documentId = (await server.post(path, data)).body.data.documentId
    const changed = { title: 'Two', vaults: [], part: { text: 'two' }, zone: [] }
    await server.put(`/api/articles/${documentId}?status=draft`, changed)
    const { body } = await somebody.send('GET', `/admin/history/${UID}/${documentId}`)
    ;[later, earlier] = body.data.map(({ revision }: Json) => revision)
  })
  after(() => server.close())

  const history = (rest: string): string => `/admin/history/${UID}/${documentId}/${rest}`

  it('omits the related entries, like all other responses', async () => {
    for (const path of [earlier, `diff?from=${earlier}&to=${later}`]) {
      const { status, text } = await somebody.send('GET', history(path))
      expect(status, text).to.equal(200)
      expect(text).to.include('One').and.not.include(id)
    }
    const { body } = await server.get(history(earlier))
    expect(body.data.content).to.deep.include({ vaults: [id] })
    expect(body.data.content.part).to.deep.equal({ text: 'one', vaults: [id] })
  })

  it('omits hidden relations from the changed attributes', async () => {
    const changedFor = async (client: Pick<TestServer, 'send'>): Promise<Json> => {
      const { body, text } = await client.send(
        'GET',
        `/admin/history/${UID}/${documentId}?changes=true`,
      )
      return body.data?.[0]?.changed ?? text
    }
    expect(await changedFor(somebody)).to.deep.equal(['title', 'part', 'zone'])
    expect(await changedFor(server)).to.deep.equal(['title', 'vaults', 'part', 'zone'])
  })

  it('restores a version without the related entries', async () => {
    const { status, text } = await somebody.send('POST', history(`${earlier}/restore`))
    expect(status, text).to.equal(200)
    const query = 'status=draft&populate[vaults]=true&populate[part][populate][vaults]=true'
    const { body, text: shown } = await server.get(`/api/articles/${documentId}?${query}`)
    expect(body.data, shown).to.be.an('object')
    expect(body.data).to.deep.include({ title: 'One', vaults: [] })
    expect(body.data.part).to.deep.include({ text: 'one', vaults: [] })
  })

  it('responds with 400 to a restore of the hidden relation', async () => {
    const answer = await somebody.send('POST', history(`${earlier}/restore`), {
      attributes: ['vaults'],
    })
    expect(answer.status, answer.text).to.equal(400)
  })
})
