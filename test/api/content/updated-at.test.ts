import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const OWN = { pluginOptions: { i18n: { localized: true } } }
const SHARED = { pluginOptions: { i18n: { localized: false } } }
const attributes = (inversedBy: string) => ({
  title: { type: 'string', ...OWN },
  views: { type: 'integer' },
  extra: { type: 'json' },
  links: { type: 'component', component: 'shared.link', repeatable: true },
  cover: { type: 'media' },
  tags: {
    type: 'relation',
    relation: 'manyToMany',
    target: 'api::tag.tag',
    inversedBy,
    ...SHARED,
  },
})
const TYPES = {
  post: declare('post', attributes('posts'), { draftAndPublish: true, localized: true }),
  note: declare('note', attributes('notes'), { localized: true }),
  tag: declare('tag', {
    name: { type: 'string' },
    notes: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::note.note',
      mappedBy: 'tags',
    },
    posts: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::post.post',
      mappedBy: 'tags',
    },
    page: { type: 'relation', relation: 'oneToOne', target: 'api::page.page', mappedBy: 'tag' },
  }),
  page: declare(
    'page',
    {
      name: { type: 'string' },
      tag: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag', inversedBy: 'page' },
    },
    { draftAndPublish: true },
  ),
  'components/shared/link': { attributes: { url: { type: 'string' } } },
}

describe('updatedAt', () => {
  let server: TestServer

  before(async () => {
    server = await serve('updated_at', { contentTypes: TYPES, locales: ['fr'] })
  })
  after(() => server.close())

  const create = async (path: string, data: object): Promise<string> => {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const put = async (path: string, data: object): Promise<void> => {
    const answer = await server.put(path, data)
    expect(answer.status, answer.text).to.equal(200)
  }
  /** The versions with a new `updatedAt` after an action, by locale and status. */
  const moved = async (path: string, done: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = await stamps(path)
    const start = Date.now()
    while (Date.now() === start) await setImmediate()
    await done()
    const after = await stamps(path)
    return [...after].filter(([name, stamp]) => before.get(name) !== stamp).map(([name]) => name)
  }
  const stamps = async (path: string): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    for (const status of ['draft', 'published']) {
      for (const locale of ['en', 'fr']) {
        const { body } = await server.get(`${path}?locale=${locale}&status=${status}`)
        const entry: Json = body.data
        if (entry !== null) found.set(`${locale} ${status}`, entry.updatedAt)
      }
    }
    return found
  }
  const polled = async (path: string, since: string): Promise<number> => {
    const query = `filters[updatedAt][$gt]=${since}&locale=fr`
    return (await server.get(`${path}?${query}`)).body.data.length
  }

  const EN = ['en draft', 'en published']
  const EVERY = ['en draft', 'fr draft', 'en published', 'fr published']

  // A type without draft & publish shows its published version for every status.
  for (const type of ['posts', 'notes']) {
    describe(`of ${type}`, () => {
      let path: string

      beforeEach(async () => {
        const data = { title: 'One', views: 1, extra: [1], links: [{ url: 'a' }] }
        path = `/api/${type}/${await create(`/api/${type}`, data)}`
        await put(`${path}?locale=fr`, { title: 'Un' })
      })

      const changes: readonly [string, object][] = [
        ['a number', { views: 2 }],
        ['null', { views: null }],
        ['JSON with the former list in a list', { extra: [[1]] }],
        ['JSON with an element of the former list', { extra: 1 }],
        ['components', { links: [{ url: 'b' }] }],
        ['an empty list', { links: [] }],
      ]
      for (const [label, data] of changes) {
        it(`changes in every locale when one locale writes a shared value: ${label}`, async () => {
          const { updatedAt } = (await server.get(`${path}?locale=fr`)).body.data
          expect(await moved(path, () => put(path, data))).to.have.members(EVERY)
          expect(await polled(`/api/${type}`, updatedAt)).to.equal(1)
        })
      }

      it('stays the same in other locales while shared values do not change', async () => {
        expect(await moved(path, () => put(path, { title: 'Two' }))).to.have.members(EN)
        expect(await moved(path, () => put(path, { views: 1, extra: [1] }))).to.have.members(EN)
      })

      it('changes in other locales when a new locale changes a shared value', async () => {
        const data = { title: 'One', views: 1 }
        const other = `/api/${type}/${await create(`/api/${type}`, data)}`
        const begin = () => put(`${other}?locale=fr`, { title: 'Un', views: 2 })
        expect(await moved(other, begin)).to.have.members(EVERY)
      })

      it('changes when the other side writes a relation', async () => {
        const documentId = path.slice(path.lastIndexOf('/') + 1)
        const tag = `/api/tags/${await create('/api/tags', { name: 'a' })}`
        const other = await create(`/api/${type}`, { title: 'Other' })
        const connect = () => put(tag, { [type]: [documentId] })
        expect(await moved(path, connect)).to.have.members(EVERY)
        const again = () => put(tag, { [type]: { connect: [documentId, other] } })
        expect(await moved(path, again), 'a member already').to.deep.equal([])
        const leave = () => put(tag, { [type]: { disconnect: [documentId] } })
        expect(await moved(`/api/${type}/${other}`, leave), 'another member').to.deep.equal([])
        expect(await moved(path, connect)).to.have.members(EVERY)
        expect(await moved(path, () => put(tag, { [type]: [] }))).to.have.members(EVERY)
      })

      it('changes in every locale when a file is attached to a shared attribute', async () => {
        const { id } = (await server.get(path)).body.data
        const uid = `api::${type.slice(0, -1)}.${type.slice(0, -1)}`
        const attach = async (): Promise<void> => {
          const fields = { ref: uid, refId: String(id), field: 'cover' }
          const body = multipart({ files: [{ name: 'a.txt', content: 'text' }], fields })
          const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
          expect(answer.status, answer.text).to.equal(201)
        }
        expect(await moved(path, attach)).to.have.members(EVERY)
      })
    })
  }

  it('changes on publication only in the published versions that change', async () => {
    const path = `/api/posts/${await create('/api/posts', { title: 'One', views: 1 })}`
    await put(`${path}?locale=fr`, { title: 'Un' })
    const draft = () => put(`${path}?status=draft`, { views: 2 })
    expect(await moved(path, draft)).to.have.members(['en draft', 'fr draft'])
    const publish = async (): Promise<void> => {
      const answer = await server.send('POST', `${path}/actions/publish`)
      expect(answer.status, answer.text).to.equal(200)
    }
    expect(await moved(path, publish)).to.include.members(['en published', 'fr published'])
    await put(`${path}?status=draft`, { title: 'Two' })
    expect(await moved(path, publish)).to.have.members(EN)
  })

  it('changes in every locale when a draft is discarded', async () => {
    const path = `/api/posts/${await create('/api/posts', { title: 'One', views: 1 })}`
    await put(`${path}?locale=fr`, { title: 'Un' })
    await put(`${path}?status=draft`, { views: 2 })
    const discard = () => server.send('POST', `${path}/actions/discard`)
    expect(await moved(path, discard)).to.have.members(['en draft', 'fr draft'])
  })

  // A type without locales shows the same version for every locale.
  it('changes when another owner takes the target of a one-to-one relation', async () => {
    const tag = await create('/api/tags', { name: 'a' })
    const former = `/api/pages/${await create('/api/pages', { name: 'one', tag })}`
    const taking = `/api/pages/${await create('/api/pages', { name: 'two' })}`
    expect(await moved(former, () => put(taking, { tag }))).to.have.members(EVERY)
    const give = () => put(`/api/tags/${tag}`, { page: former.slice(former.lastIndexOf('/') + 1) })
    expect(await moved(taking, give)).to.have.members(EVERY)
    expect(await moved(former, () => put(`/api/tags/${tag}`, { page: null }))).to.have.members(
      EVERY,
    )
  })
})
