import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const OWN = { pluginOptions: { i18n: { localized: true } } }
const CONFIGURATION = {
  'a.b': 1,
  $x: { $where: 'sleep(1000)' },
  '': [{ '': { '.': 2 } }],
  $ref: '#/definitions/x',
  $id: 'https://example.com/schema',
  $db: 'admin',
  _bsontype: 'Long',
  '%': 1,
  '%:a%2Eb': 2,
  $set: { 'title.$[]': 3 },
  constructor: { prototype: 1 },
  '🙂.é': null,
}
const ATTRIBUTES = {
  title: { type: 'string', ...OWN },
  extra: { type: 'json', ...OWN },
  shared: { type: 'json' },
  preset: { type: 'json', default: { 'a.b': { $x: 1 } } },
  body: { type: 'blocks' },
  part: { type: 'component', component: 'shared.part' },
  parts: { type: 'component', component: 'shared.part', repeatable: true },
}
const BODY = [
  { type: 'paragraph', 'a.b': 1, $x: {}, '': 0, children: [{ type: 'text', text: 'x', $y: 1 }] },
]

describe('keys of JSON attributes', () => {
  let server: TestServer

  before(async () => {
    server = await serve('json_keys', {
      contentTypes: {
        post: declare('post', ATTRIBUTES, { draftAndPublish: true, localized: true }),
        note: declare('note', ATTRIBUTES, { localized: true }),
        'components/shared/part': { attributes: { extra: { type: 'json' } } },
      },
      locales: ['fr'],
    })
  })
  after(() => server.close())

  for (const type of ['posts', 'notes']) {
    it(`stores and returns keys as sent, in ${type}`, async () => {
      const populate = 'populate[part]=true&populate[parts]=true'
      const data = {
        title: 'x',
        extra: CONFIGURATION,
        shared: [CONFIGURATION],
        body: BODY,
        part: { extra: CONFIGURATION },
        parts: [{ extra: { 'a.b': 1 } }, { extra: CONFIGURATION }],
      }
      const made = await server.post(`/api/${type}?${populate}`, data)
      expect(made.status, made.text).to.equal(201)
      const path = `/api/${type}/${made.body.data.documentId}`
      const expectKept = (text: string): void => {
        expect(text).to.include(`"extra":${JSON.stringify(CONFIGURATION)}`)
        expect(text).to.include(`"shared":${JSON.stringify([CONFIGURATION])}`)
        expect(text).to.include(`"body":${JSON.stringify(BODY)}`)
        expect(text).to.include('"preset":{"a.b":{"$x":1}}')
        expect(text).to.include(
          `"part":{"id":${made.body.data.part.id},"extra":${JSON.stringify(CONFIGURATION)}}`,
        )
        expect(text).to.include('"extra":{"a.b":1}}')
      }
      expectKept(made.text)
      expectKept((await server.get(`${path}?${populate}`)).text)
      expectKept((await server.get(`/api/${type}?${populate}&locale=en`)).text)
      // Another write, another locale and shared values keep them.
      expectKept((await server.put(`${path}?${populate}`, { title: 'y' })).text)
      const french = await server.put(`${path}?locale=fr`, { title: 'z' })
      expect(french.status, french.text).to.equal(200)
      expect(french.text).to.include(`"shared":${JSON.stringify([CONFIGURATION])}`)
      expect((await server.put(`${path}?locale=fr`, { shared: { 'c.d': 1 } })).status).to.equal(200)
      expect((await server.get(path)).body.data.shared).to.deep.equal({ 'c.d': 1 })
    })

    it(`finds entries by a whole JSON value, in ${type}`, async () => {
      const value = { 'find.me': { $in: [''] } }
      await server.post(`/api/${type}`, { extra: value, parts: [{ extra: value }] })
      const asked = encodeURIComponent(JSON.stringify(value))
      for (const filter of [
        `filters[extra][$eq]=${asked}`,
        `filters[extra][$in][0]=${asked}`,
        `filters[parts][extra]=${asked}`,
      ]) {
        const answer = await server.get(`/api/${type}?${filter}`)
        expect(answer.body.data, filter).to.have.length(1)
      }
      const inside = await server.get(
        `/api/${type}?filters[parts][extra]=${asked}&populate[parts][filters][extra]=${asked}`,
      )
      expect(inside.body.data[0].parts).to.have.length(1)
    })
  }

  it('keeps keys on publish and discard', async () => {
    const made = await server.post('/api/posts?status=draft', { extra: CONFIGURATION })
    const path = `/api/posts/${made.body.data.documentId}`
    expect((await server.send('POST', `${path}/actions/publish`)).status).to.equal(200)
    await server.put(`${path}?status=draft`, { extra: { $y: 1 } })
    expect((await server.send('POST', `${path}/actions/discard`)).status).to.equal(200)
    for (const status of ['draft', 'published']) {
      const { text } = await server.get(`${path}?status=${status}`)
      expect(text).to.include(JSON.stringify(CONFIGURATION))
    }
  })

  it('refuses __proto__ as a key', async () => {
    const body = '{"data":{"extra":{"a":{"__proto__":{"admin":true}}}}}'
    expect((await server.send('POST', '/api/notes', { body })).status).to.equal(400)
  })
})
