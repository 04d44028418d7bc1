import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { png } from '../../media/sample-images.ts'

const ARTICLE = 'api::article.article'
const NOTE = 'api::note.note'
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string' },
      gallery: { type: 'media', multiple: true },
      film: { type: 'media', allowedTypes: ['videos'] },
      cover: { type: 'media', allowedTypes: ['images'] },
    },
    { draftAndPublish: true },
  ),
  note: declare('note', { text: { type: 'string' }, cover: { type: 'media' } }),
}

const stepsOf = (data: Json): readonly string[] =>
  data.steps.map(({ step, done }: Json) => `${step} ${done ? 'done' : 'open'}`)

describe('the data of the home screen', () => {
  let server: TestServer
  let ada: AdminClient
  let bob: AdminClient

  before(async () => {
    server = await serve('home', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    await addAdministrator(server, 'Ada', ['administrator'])
    await addAdministrator(server, 'Bob', ['editor'])
    ada = await signIn(server, 'ada@example.org')
    bob = await signIn(server, 'bob@example.org')
  })
  after(() => server.close())

  const home = async (of: AdminClient): Promise<Json> => {
    const answer = await of.send('GET', '/admin/recent')
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const create = async (by: AdminClient, uid: string, data: object): Promise<Json> => {
    const answer = await by.send('POST', `/admin/content/${uid}`, { data })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const upload = async (name: string, size: number): Promise<Json> => {
    const files = [{ name, content: await png(size, size), type: 'image/png' }]
    const answer = await server.send('POST', '/admin/files', {
      headers: MULTIPART,
      body: multipart({ files }),
    })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data[0]
  }

  it('offers first steps by permission, and shows which are done', async () => {
    expect(stepsOf(await home(ada))).to.deep.equal(['entry open', 'publish open', 'app open'])
    expect(stepsOf(await home(bob))).to.deep.equal(['entry open', 'publish open', 'media open'])
    const { documentId } = await create(bob, ARTICLE, { title: 'First' })
    expect(stepsOf(await home(bob))).to.deep.equal(['entry done', 'publish open', 'media open'])
    const publish = `/admin/content/${ARTICLE}/${documentId}/actions/publish`
    expect((await bob.send('POST', publish)).status).to.equal(200)
    await upload('a.png', 20)
    expect((await home(bob)).steps).to.deep.equal([])
    expect(stepsOf(await home(ada))).to.deep.equal(['entry open', 'publish open', 'app open'])
    const token = { name: 'app', type: 'read-only' }
    expect((await ada.send('POST', '/admin/api-tokens', token)).status).to.equal(201)
    expect(stepsOf(await home(ada))).to.deep.equal(['entry open', 'publish open', 'app done'])
  })

  it('hides the steps of the administrator who puts them away', async () => {
    const preference = '/admin/me/preferences/firstSteps'
    await ada.send('PUT', preference, { value: 'away' })
    expect((await home(ada)).steps).to.deep.equal([])
    await ada.send('PUT', preference, { value: null })
    expect((await home(ada)).steps).to.have.length(3)
  })

  it('names the last editor, and shows a thumbnail of the first single image', async () => {
    const [cover, other] = [await upload('cover.png', 400), await upload('other.png', 400)]
    const article = await create(bob, ARTICLE, {
      title: 'With a picture',
      cover: cover.id,
      gallery: [other.id],
    })
    const imported = await server.post('/api/articles?status=draft', { title: 'Imported' })
    const { differing } = await home(ada)
    const found = (id: string): Json => differing.find(({ documentId }: Json) => documentId === id)
    expect(found(article.documentId)).to.include({
      title: 'With a picture',
      by: 'Bob',
      picture: cover.formats.thumbnail.url,
    })
    expect(found(imported.body.data.documentId)).to.include({ by: null, picture: null })
    const { mine } = await home(bob)
    expect(mine[0]).to.include({ by: 'Bob', picture: cover.formats.thumbnail.url })
  })

  it('shows no picture under a rule, which may hide it', async () => {
    const small = await upload('small.png', 20)
    const rules = [{ action: `${NOTE}.find`, fields: ['text'] }]
    const role = { type: 'ruled', name: 'Ruled', permissions: [], rules }
    expect(
      (await server.send('POST', '/admin/administrator-roles', { body: role })).status,
    ).to.equal(201)
    await addRole(server, 'writers', [`${NOTE}.create`, `${NOTE}.update`])
    await addAdministrator(server, 'Rita', ['ruled', 'writers'])
    const rita = await signIn(server, 'rita@example.org')
    const { documentId } = await create(bob, NOTE, { text: 'a', cover: small.id })
    const path = `/admin/content/${NOTE}/${documentId}`
    expect((await rita.send('PUT', path, { data: { text: 'b' } })).status).to.equal(200)
    const [own] = (await home(rita)).mine
    expect(own).to.include({ documentId, title: 'b', picture: null })
    const [seen] = (await home(bob)).mine
    expect(seen).to.include({ documentId, picture: small.url })
  })

  it('lists webhooks that their receiver turned off, to administrators who may read them', async () => {
    expect((await home(ada)).webhooks).to.deep.equal([])
    const hook = { name: 'site', url: 'https://example.org/hook', events: ['entry.publish'] }
    const { id } = (await ada.send('POST', '/admin/webhooks', hook)).body.data
    expect((await home(ada)).webhooks).to.deep.equal([])
    const client = await MongoClient.connect(server.uri)
    const rows = client.db(server.database).collection<Json>('quire_webhooks')
    await rows.updateOne({ _id: id }, { $set: { disabledAt: new Date(), disabledBecause: 'gone' } })
    await client.close()
    const { name, url } = hook
    expect((await home(ada)).webhooks).to.deep.equal([{ id, name, url, missed: null }])
    expect((await home(bob)).webhooks).to.deep.equal([])
  })
})
