import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const OWN = { pluginOptions: { i18n: { localized: true } } }
const ATTRIBUTES = {
  title: { type: 'string', ...OWN },
  slug: { type: 'string', unique: true, ...OWN },
  seo: { type: 'component', component: 'shared.seo', ...OWN },
  links: { type: 'component', component: 'shared.link', repeatable: true, ...OWN },
  more: { type: 'component', component: 'shared.link', repeatable: true, ...OWN },
  zone: { type: 'dynamiczone', components: ['shared.link', 'shared.seo'], ...OWN },
  shared: { type: 'component', component: 'shared.link', repeatable: true },
}
const components = (unique: boolean) => ({
  'components/shared/seo': {
    attributes: {
      code: { type: 'integer', unique },
      canonical: { type: 'string', unique, private: true },
      handle: { type: 'uid' },
    },
  },
  'components/shared/link': {
    attributes: {
      url: { type: 'string', unique },
      label: { type: 'string' },
      price: { type: 'decimal', unique },
      inner: { type: 'component', component: 'shared.link', repeatable: true },
    },
  },
})
const types = (unique = true) => ({
  post: declare('post', ATTRIBUTES, { draftAndPublish: true, localized: true }),
  note: declare('note', ATTRIBUTES, { localized: true }),
  ...components(unique),
})

describe('unique values in components', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('unique_nested', { contentTypes: types(), locales: ['fr'] })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
  })
  afterEach(async () => {
    for (const type of ['posts', 'notes']) {
      const { body } = await server.get(
        `/api/${type}?status=draft&locale=*&pagination[pageSize]=100`,
      )
      for (const { documentId } of body.data) {
        await server.delete(`/api/${type}/${documentId}?locale=*`)
      }
    }
    const rows = client.db(server.database).collection('quire_reservations')
    expect(await rows.countDocuments({}), 'reserved by nobody').to.equal(0)
  })

  const create = async (path: string, data: object): Promise<string> => {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const expectTaken = ({ status, body, text }: Answer, ...paths: readonly string[]): void => {
    expect(status, text).to.equal(400)
    const errors: readonly Json[] = body.error.details.errors
    expect(errors.map(({ path }) => path.join('.'))).to.deep.equal(paths)
    for (const { message } of errors) expect(message).to.equal('This attribute must be unique')
  }
  const link = (url: unknown, inner: readonly object[] = []): object => ({ url, inner })

  for (const type of ['posts', 'notes']) {
    const path = `/api/${type}`

    const repeated: readonly [string, object, readonly string[]][] = [
      ['a repeatable component', { links: [link('a'), link('b'), link('a')] }, ['links.2.url']],
      [
        'components of components',
        { links: [link('a', [link('x')]), link('b', [link('x')])] },
        ['links.1.inner.0.url'],
      ],
      [
        'a zone',
        {
          zone: [
            { __component: 'shared.link', url: 'a' },
            { __component: 'shared.seo', code: 1 },
            { __component: 'shared.link', url: 'a' },
            { __component: 'shared.seo', code: 1 },
          ],
        },
        ['zone.2.url', 'zone.3.code'],
      ],
      [
        'equal decimals with other digits',
        { links: [{ price: '1.10' }, { price: '1.1' }] },
        ['links.1.price'],
      ],
    ]
    for (const [subject, data, paths] of repeated) {
      it(`refuses repeated values within an entry of ${type}, in ${subject}`, async () => {
        expectTaken(await server.post(path, data), ...paths)
        const documentId = await create(path, { title: 'x' })
        expectTaken(await server.put(`${path}/${documentId}`, data), ...paths)
      })
    }

    it(`refuses values of other published entries of ${type}, and reports all of them`, async () => {
      const data = {
        seo: { code: 1, canonical: 'kestrel' },
        links: [link('a', [link('x')]), link('b')],
        zone: [{ __component: 'shared.link', url: 'z' }],
        shared: [link('s')],
      }
      await create(path, data)
      const answer = await server.post(path, {
        ...data,
        links: [link('b'), link('c', [link('x')])],
      })
      expectTaken(
        answer,
        'seo.code',
        'seo.canonical',
        'links.0.url',
        'links.1.inner.0.url',
        'zone.0.url',
        'shared.0.url',
      )
      const values = answer.body.error.details.errors.map(({ value }: Json) => value)
      expect(values).to.deep.equal([1, undefined, 'b', 'x', 'z', 's'])
      expect(answer.text).to.not.include('kestrel')
    })

    it(`allows equal values in other places of ${type}, and empty values`, async () => {
      const own = {
        links: [link('a', [link('a')]), link(null), link(''), link(null), link('')],
        more: [link('a')],
        zone: [{ __component: 'shared.link', url: 'a' }],
        seo: { handle: 'same' },
      }
      await create(path, own)
      await create(path, { links: [link(null), link('')], seo: { handle: 'same' } })
    })

    it(`checks values per locale of ${type}, and shared values across locales`, async () => {
      const documentId = await create(path, { links: [link('a')], shared: [link('s')] })
      const french = `${path}/${documentId}?locale=fr`
      expect((await server.put(french, { links: [link('a')] })).status).to.equal(200)
      const other = `${path}/${await create(path, { title: 'x' })}?locale=fr`
      expectTaken(await server.put(other, { links: [link('a')] }), 'links.0.url')
      expectTaken(await server.put(other, { shared: [link('s')] }), 'shared.0.url')
      expect((await server.put(`${path}/${documentId}`, { shared: [] })).status).to.equal(200)
      expect((await server.put(other, { shared: [link('s')] })).status).to.equal(200)
    })

    it(`accepts a value once in concurrent creations of ${type}`, async () => {
      const data = { links: [link('raced'), link('other')] }
      const answers = await Promise.all(Array.from({ length: 5 }, () => server.post(path, data)))
      expect(answers.filter(({ status }) => status === 201)).to.have.length(1)
      for (const answer of answers) {
        if (answer.status !== 201) expectTaken(answer, 'links.0.url', 'links.1.url')
      }
    })

    it(`keeps the values of an entry of ${type}, and frees removed values`, async () => {
      const first = `${path}/${await create(path, { links: [link('a'), link('b')] })}`
      const { body } = await server.get(`${first}?populate=links`)
      const [one, two] = body.data.links
      const moved = { links: [{ id: two.id }, { id: one.id, label: 'x' }] }
      expect((await server.put(first, moved)).status).to.equal(200)
      expect((await server.put(first, { links: [link('b'), link('a')] })).status).to.equal(200)
      expectTaken(await server.post(path, { links: [link('a')] }), 'links.0.url')
      expect((await server.put(first, { links: [link('b')] })).status).to.equal(200)
      await create(path, { links: [link('a')] })
      expect((await server.delete(`${first}?locale=*`)).status).to.equal(204)
      await create(path, { links: [link('b')] })
    })
  }

  it('checks values on publication, not in drafts', async () => {
    const data = { links: [link('a'), link('a')] }
    const first = `/api/posts/${await create('/api/posts?status=draft', data)}`
    const publish = () => server.send('POST', `${first}/actions/publish`)
    expectTaken(await publish(), 'links.1.url')
    expectTaken(await server.put(first, {}), 'links.1.url')
    expect((await server.put(`${first}?status=draft`, { links: [link('a')] })).status).to.equal(200)
    const second = `/api/posts/${await create('/api/posts', { links: [link('a')] })}`
    expectTaken(await publish(), 'links.0.url')
    expect((await server.send('POST', `${second}/actions/unpublish`)).status).to.equal(200)
    expect((await publish()).status).to.equal(200)
    expectTaken(await server.send('POST', `${second}/actions/publish`), 'links.0.url')
  })

  it('checks stored values at the start', async () => {
    const loose = await serve('unique_later', { contentTypes: types(false), locales: ['fr'] })
    const reopen = () =>
      serve('unique_later', {
        contentTypes: types(),
        environment: { MONGODB_DATABASE: loose.database },
      })
    try {
      const make = async (links: readonly object[]): Promise<string> =>
        (await loose.post('/api/notes', { links })).body.data.documentId
      const [first] = [await make([link('a')]), await make([link('a'), link('b')])]
      const error = await reopen().then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(String(error)).to.match(/note_versions: stored values repeat .*links\.0\.url/)
      await loose.put(`/api/notes/${first}`, { links: [link('c')] })
      const strict = await reopen()
      expectTaken(await strict.post('/api/notes', { links: [link('b')] }), 'links.0.url')
      await strict.close()
    } finally {
      await loose.close()
    }
  })
})
