import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { testUri } from '../../support/test-database.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const ARTICLE = 'api::article.article'
const ARTICLES = `/admin/content/${ARTICLE}`

describe('lists of entries in one state', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('entry_states', {
      contentTypes: {
        article: declare(
          'article',
          {
            title: { type: 'string', ...LOCALIZED },
            notes: { type: 'text', private: true, ...LOCALIZED },
            seo: { type: 'component', component: 'shared.seo', ...LOCALIZED },
            related: { type: 'relation', relation: 'manyToMany', target: ARTICLE },
          },
          { draftAndPublish: true, localized: true },
        ),
        tag: declare('tag', { name: { type: 'string' } }),
        'components/shared/seo': { attributes: { words: { type: 'string' } } },
      },
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const create = async (data: object, query = ''): Promise<Json> => {
    const answer = await editor.send('POST', `${ARTICLES}${query}`, { data })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }

  it('lists the entries in a state, combined with filters, order, pages and count', async () => {
    const sameTitle = { title: 'State', notes: 'kept' }
    const made = [
      await create({ title: 'State' }),
      await create(sameTitle, '?status=published'),
      await create({ ...sameTitle, seo: { words: 'a' } }, '?status=published'),
      await create({ title: 'State' }, '?status=published'),
      await create({ title: 'State', notes: 'other' }),
    ]
    const [, same, component, withdrawn] = made.map(({ documentId }) => documentId)
    await editor.send('PUT', `${ARTICLES}/${component}?populate=seo`, {
      data: { seo: { words: 'b' } },
    })
    await editor.send('POST', `${ARTICLES}/${withdrawn}/actions/unpublish`)
    await editor.send('PUT', `${ARTICLES}/${same}?locale=fr&status=published`, {
      data: { title: 'État' },
    })
    await editor.send('PUT', `${ARTICLES}/${same}?locale=fr`, { data: { title: 'État neuf' } })
    const list = (query: string) => editor.send('GET', `${ARTICLES}?${query}`)
    const all = (await list('pagination[pageSize]=100&sort=id')).body
    for (const state of ['draft', 'published', 'changed']) {
      const { body } = await list(`state=${state}&pagination[pageSize]=100&sort=id`)
      const expected = all.data.filter((one: Json) => all.meta.states[one.documentId] === state)
      expect(body.data.length, state).to.be.above(0)
      expect(body.data.map((one: Json) => one.documentId)).to.deep.equal(
        expected.map((one: Json) => one.documentId),
      )
      expect(Object.values(body.meta.states)).to.deep.equal(body.data.map(() => state))
      expect(body.meta.pagination.total).to.equal(body.data.length)
    }
    const titled = 'filters[title]=State&fields=documentId'
    const changed = await list(`${titled}&state=changed`)
    expect(changed.body.data).to.have.length(1)
    expect(changed.body.data[0].documentId).to.equal(component)
    const never = (query: string) => list(`${titled}&state=draft&sort=id:desc&${query}`)
    const first = (await never('pagination[cursor]=&pagination[pageSize]=2')).body
    const { nextCursor, total } = first.meta.pagination
    const rest = (await never(`pagination[cursor]=${nextCursor}&pagination[pageSize]=2`)).body
    expect(total).to.equal(3)
    expect([...first.data, ...rest.data].map((one: Json) => one.documentId)).to.deep.equal(
      [made[4], made[3], made[0]].map((one) => one?.documentId),
    )
    const french = (await list('locale=fr&state=changed')).body.data
    expect(french.map((one: Json) => one.documentId)).to.deep.equal([same])
    expect((await list('state=changed&sort=related.title')).body.data).to.have.length(1)
  })

  it('hides the stored state from responses and filters', async () => {
    const { documentId } = await create({ title: 'Secret' }, '?status=published')
    await editor.send('PUT', `${ARTICLES}/${documentId}`, { data: { title: 'Changed' } })
    await editor.send('GET', `${ARTICLES}?state=changed`)
    const texts: string[] = []
    for (const path of [
      `${ARTICLES}/${documentId}?populate=*`,
      `${ARTICLES}?populate=*&filters[title]=Changed`,
      `/admin/history/${ARTICLE}/${documentId}`,
    ]) {
      const { status, text } = await editor.send('GET', path)
      expect(status, path).to.equal(200)
      texts.push(text)
    }
    const filtered = await editor.send('GET', `${ARTICLES}?filters[_state]=2`)
    expect(filtered.status).to.equal(400)
    await editor.send('DELETE', `${ARTICLES}/${documentId}`)
    texts.push((await editor.send('GET', `/admin/trash?type=${ARTICLE}`)).text)
    const client = await MongoClient.connect(await testUri())
    const kept = await client.db(server.database).collection('quire_commits').find().toArray()
    await client.close()
    expect(JSON.stringify(kept)).to.include('Changed')
    texts.push(JSON.stringify(kept))
    for (const text of texts) expect(text).not.to.include('_state')
  })

  for (const [label, path] of [
    ['an unknown state', `${ARTICLES}?state=late`],
    ['two states', `${ARTICLES}?state=draft&state=changed`],
    ['published versions', `${ARTICLES}?state=changed&status=published`],
    ['a type without states', '/admin/content/api::tag.tag?state=draft'],
  ] as const) {
    it(`responds with 400 for ${label}`, async () => {
      const { status, body } = await editor.send('GET', path)
      expect([status, body.error.message.split(':')[0]]).to.deep.equal([400, 'state'])
    })
  }
})
