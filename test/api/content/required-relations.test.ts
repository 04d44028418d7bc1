import { expect } from 'chai'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const relation = (kind: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: 'api::tag.tag',
  ...more,
})

describe('required relations', () => {
  let server: TestServer
  let tag: string
  let other: string

  before(async () => {
    const attributes = {
      title: { type: 'string' },
      tags: relation('manyToMany', { required: true }),
      links: { type: 'component', component: 'shared.link', repeatable: true },
    }
    server = await serve('required_relations', {
      contentTypes: {
        note: declare('note', { ...attributes, main: relation('manyToOne', { required: true }) }),
        post: declare('post', attributes, { draftAndPublish: true }),
        tag: declare('tag', {
          name: { type: 'string' },
          cards: relation('oneToMany', { target: 'api::card.card', mappedBy: 'tag' }),
          pin: relation('oneToOne', { target: 'api::card.card', mappedBy: 'only', required: true }),
        }),
        card: declare(
          'card',
          {
            title: { type: 'string' },
            tag: relation('manyToOne', { inversedBy: 'cards', required: true }),
            only: relation('oneToOne', { inversedBy: 'pin', required: true }),
          },
          { draftAndPublish: true },
        ),
        'components/shared/link': {
          info: { displayName: 'link' },
          attributes: { label: { type: 'string' }, tag: relation('oneToOne', { required: true }) },
        },
      },
    })
    const made = await Promise.all(['a', 'b'].map((name) => server.post('/api/tags', { name })))
    ;[tag = '', other = ''] = made.map(({ body }) => body.data.documentId as string)
  })

  after(() => server.close())

  const expectMissing = ({ status, body }: Answer, label: string): void => {
    expect(status).to.equal(400)
    expect(body.error.details.errors[0].message).to.equal(`${label} must be defined.`)
    expect(body.error.details.errors).to.have.length(1)
  }

  const shown = async (path: string): Promise<readonly string[]> => {
    const { body } = await server.get(`${path}?populate=tags`)
    return body.data.tags.map(({ name }: { readonly name: string }) => name)
  }

  /** Changes that empty a list with `tag` as its only entry. */
  const emptied: readonly (readonly [string, () => unknown])[] = [
    ['null', () => null],
    ['an empty list', () => []],
    ['set to none', () => ({ set: [] })],
    ['a disconnect of the last entry', () => ({ disconnect: [tag] })],
    ['a disconnect of the last entry as an object', () => ({ disconnect: { documentId: tag } })],
  ]
  for (const [subject, sent] of emptied) {
    it(`refuses to empty the relation by ${subject}, in a type without drafts`, async () => {
      const { documentId } = (await server.post('/api/notes', { tags: [tag], main: tag })).body.data
      const path = `/api/notes/${documentId}`
      expectMissing(await server.put(path, { tags: sent(), title: 'x' }), 'tags')
      expectMissing(await server.put(path, { main: sent(), title: 'x' }), 'main')
      expect((await server.get(path)).body.data.title).to.equal(null)
      expect(await shown(path)).to.deep.equal(['a'])
    })

    it(`refuses to publish a relation emptied by ${subject}`, async () => {
      const { documentId } = (await server.post('/api/posts', { tags: [tag] })).body.data
      const path = `/api/posts/${documentId}`
      expectMissing(await server.put(path, { tags: sent() }), 'tags')
      expect((await server.put(`${path}?status=draft`, { tags: sent() })).status).to.equal(200)
      expect(await shown(path)).to.deep.equal(['a'])
      expectMissing(await server.put(path, { title: 'x' }), 'tags')
      expect((await server.put(path, { tags: other })).status).to.equal(200)
      expect(await shown(path)).to.deep.equal(['b'])
    })
  }

  const unmade: readonly (readonly [string, unknown])[] = [
    ['no value', undefined],
    ['no change', {}],
    ['set to null', { set: null }],
    ['an empty connect', { connect: [] }],
    ['set to none', { set: [] }],
  ]
  for (const [subject, tags] of unmade) {
    it(`refuses a creation with ${subject}`, async () => {
      expectMissing(await server.post('/api/notes', { tags, main: tag }), 'tags')
      expectMissing(await server.post('/api/posts', { tags }), 'tags')
      expect((await server.post('/api/posts?status=draft', { tags })).status).to.equal(201)
    })
  }

  it('requires relations of components, new and stored ones', async () => {
    const data = { tags: tag, main: tag, links: [{ tag }, { tag: other }] }
    const created = await server.post('/api/notes?populate=links', data)
    expect(created.status, created.text).to.equal(201)
    const { documentId, links } = created.body.data
    const path = `/api/notes/${documentId}`
    const [first, second] = links
    const put = (sent: unknown): Promise<Answer> => server.put(path, { links: sent })
    expectMissing(await put([first, { id: second.id, tag: { disconnect: other } }]), 'links[1].tag')
    expectMissing(await put([{ label: 'new', tag: { set: [] } }]), 'links[0].tag')
    expectMissing(await put([{ label: 'new' }]), 'links[0].tag')
    expect((await put([{ id: second.id, label: 'kept' }])).status).to.equal(200)
    const { body } = await server.get(`${path}?populate[links][populate]=tag`)
    expect(body.data.links[0].tag.name).to.equal('b')
  })

  it('keeps an absent relation, and accepts an exchange in one request', async () => {
    const { documentId } = (await server.post('/api/notes', { tags: [tag], main: tag })).body.data
    const path = `/api/notes/${documentId}`
    expect((await server.put(path, { title: 'x' })).status).to.equal(200)
    const exchanged = { tags: { connect: [other], disconnect: [tag] } }
    expect((await server.put(path, exchanged)).status).to.equal(200)
    expect(await shown(path)).to.deep.equal(['b'])
  })

  it('allows the other side to empty the relation, and requires it on the next publication', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => server.post('/api/tags', { name })),
    )
    const [first, second] = [one, two].map((answer) => answer?.body.data.documentId as string)
    const created = await server.post('/api/cards', { tag: first, only: first })
    expect(created.status, created.text).to.equal(201)
    const path = `/api/cards/${created.body.data.documentId}`

    expect((await server.put(`/api/tags/${first}`, { cards: [] })).status).to.equal(200)
    const left = await server.get(`${path}?populate=*`)
    expect([left.body.data.tag, left.body.data.only.name]).to.deep.equal([null, 'one'])
    expectMissing(await server.put(path, { title: 'x' }), 'tag')
    expect((await server.put(path, { tag: second })).status).to.equal(200)

    const thief = await server.post('/api/cards', { tag: first, only: first })
    expect(thief.status, thief.text).to.equal(201)
    expectMissing(await server.put(path, { title: 'x' }), 'only')
    expect((await server.put(`${path}?status=draft`, { title: 'x' })).status).to.equal(200)
    expect((await server.put(path, { only: second })).status).to.equal(200)
  })
})
