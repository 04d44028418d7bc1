import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const REQUIRED = { required: true, pluginOptions: { i18n: { localized: true } } }
const ATTRIBUTES = {
  title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
  list: { type: 'component', component: 'shared.link', repeatable: true, ...REQUIRED },
  zone: { type: 'dynamiczone', components: ['shared.link', 'shared.menu'], ...REQUIRED },
  shared: { type: 'component', component: 'shared.link', repeatable: true, required: true },
}
const LINK = { label: 'a' }
const ZONE = [{ __component: 'shared.link', label: 'z' }]
const COMPLETE = { title: 'x', list: [LINK], zone: ZONE, shared: [LINK] }

describe('required repeatable components and dynamic zones', () => {
  let server: TestServer

  before(async () => {
    server = await serve('required_components', {
      contentTypes: {
        post: declare('post', ATTRIBUTES, { draftAndPublish: true, localized: true }),
        note: declare('note', ATTRIBUTES, { localized: true }),
        'components/shared/link': { attributes: { label: { type: 'string' } } },
        'components/shared/menu': {
          attributes: {
            entries: {
              type: 'component',
              component: 'shared.link',
              repeatable: true,
              required: true,
            },
          },
        },
      },
      locales: ['fr'],
    })
  })
  after(() => server.close())

  const expectMissing = ({ status, body, text }: Answer, ...paths: readonly string[]): void => {
    expect(status, text).to.equal(400)
    const errors: readonly Json[] = body.error.details.errors
    expect(errors.map(({ path }) => path.join('.'))).to.deep.equal(paths)
    for (const { message, path } of errors) {
      const place = path.join('.').replace(/\.(\d+)/g, '[$1]')
      expect(message).to.equal(`${place} must be defined.`)
    }
  }
  const created = async (path: string, data: object): Promise<string> => {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }

  for (const type of ['posts', 'notes']) {
    it(`requires values to create published ${type}`, async () => {
      expectMissing(await server.post(`/api/${type}`, { title: 'x' }), 'list', 'zone', 'shared')
      const menu = { __component: 'shared.menu' }
      const nested = { ...COMPLETE, zone: [menu] }
      expectMissing(await server.post(`/api/${type}`, nested), 'zone.0.entries')
    })

    it(`accepts explicitly empty lists, in ${type}`, async () => {
      const answer = await server.post(`/api/${type}?populate=*`, {
        list: [],
        zone: [],
        shared: [],
      })
      expect(answer.status, answer.text).to.equal(201)
      expect(answer.body.data).to.deep.include({ list: [], zone: [], shared: [] })
      const path = `/api/${type}/${answer.body.data.documentId}`
      expect((await server.put(path, COMPLETE)).status).to.equal(200)
      expect((await server.put(path, { list: [] })).status).to.equal(200)
    })

    it(`requires values in each locale of ${type}`, async () => {
      const path = `/api/${type}/${await created(`/api/${type}`, COMPLETE)}?locale=fr`
      expectMissing(await server.put(path, { title: 'y' }), 'list', 'zone')
      const begun = await server.put(path, { title: 'y', list: [LINK], zone: ZONE })
      expect(begun.status, begun.text).to.equal(200)
    })
  }

  it('allows a draft without values, and shows empty lists', async () => {
    const query = 'status=draft&populate[zone]=true&populate[list]=true&populate[shared]=true'
    const made = await server.post(`/api/posts?${query}`, { title: 'x' })
    expect(made.status, made.text).to.equal(201)
    const path = `/api/posts/${made.body.data.documentId}`
    const shown = [made, await server.get(`${path}?${query}`)].map(({ body }) => body.data)
    for (const entry of shown) expect(entry).to.deep.include({ list: [], zone: [], shared: [] })
    const counted = await server.get(`${path}?status=draft&populate[list][count]=true`)
    expect(counted.body.data.list).to.deep.equal({ count: 0 })
    const nested = { zone: [{ __component: 'shared.menu' }] }
    expect((await server.put(`${path}?status=draft`, nested)).status).to.equal(200)
    const begun = await server.put(`${path}?status=draft&locale=fr`, { title: 'y' })
    expect(begun.status, begun.text).to.equal(200)
    const found = await server.get('/api/posts?status=draft&filters[list][label]=none')
    expect([found.status, found.body.data], found.text).to.deep.equal([200, []])
    expect((await server.get(`/api/posts?status=draft&sort=list.label`)).status).to.equal(200)
  })

  it('requires values whenever such a draft is published', async () => {
    const path = `/api/posts/${await created('/api/posts?status=draft', { title: 'x' })}`
    expectMissing(await server.put(path, {}), 'list', 'zone', 'shared')
    const publish = () => server.send('POST', `${path}/actions/publish`)
    expectMissing(await publish(), 'list', 'zone', 'shared')
    const nested = { list: [LINK], shared: [LINK], zone: [{ __component: 'shared.menu' }] }
    expect((await server.put(`${path}?status=draft`, nested)).status).to.equal(200)
    expectMissing(await publish(), 'zone.0.entries')
    expect((await server.get(path)).status).to.equal(404)
    expect((await server.put(`${path}?status=draft`, { zone: ZONE })).status).to.equal(200)
    expect((await publish()).status).to.equal(200)
    expect((await server.send('POST', `${path}/actions/discard`)).status).to.equal(200)
  })
})
