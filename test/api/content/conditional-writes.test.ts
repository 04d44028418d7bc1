import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const localized = { i18n: { localized: true } }
const relation = (kind: string, target: string, other: object): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...other,
})

describe('conditional requests', () => {
  let server: TestServer

  before(async () => {
    server = await serve('conditional', {
      contentTypes: {
        note: declare('note', { text: { type: 'text' }, rank: { type: 'integer' } }),
        page: declare(
          'page',
          {
            title: { type: 'string', pluginOptions: localized },
            body: { type: 'text', pluginOptions: localized },
            views: { type: 'integer' },
          },
          { localized: true, draftAndPublish: true },
        ),
        book: declare(
          'book',
          {
            name: { type: 'string' },
            tags: relation('manyToMany', 'tag', { inversedBy: 'books' }),
          },
          { draftAndPublish: true },
        ),
        tag: declare('tag', {
          name: { type: 'string' },
          books: relation('manyToMany', 'book', { mappedBy: 'tags' }),
        }),
        homepage: declare('homepage', { text: { type: 'string' } }, { kind: 'singleType' }),
      },
      locales: ['fr', 'de'],
    })
  })

  after(() => server.close())

  const tagOf = (answer: Answer): string => {
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 304])
    expect(answer.headers.etag).to.match(/^"[\da-z]+-[\da-f]{16}(-\w+)?"$/)
    return answer.headers.etag ?? ''
  }
  const make = async (type: string, data: object): Promise<{ path: string; tag: string }> => {
    const answer = await server.post(`/api/${type}`, data)
    return { path: `/api/${type}/${answer.body.data.documentId}`, tag: tagOf(answer) }
  }
  const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } })
  const expectStale = (answer: Answer): void => {
    expect(answer.status, answer.text).to.equal(412)
    expect(answer.body.error).to.include({ status: 412, name: 'PreconditionFailedError' })
  }

  describe('reads', () => {
    it('responds with 304 until the representation changes', async () => {
      const { path, tag } = await make('notes', { text: 'a' })
      expect(tagOf(await server.get(path))).to.equal(tag)
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const answer = await server.get(path, { headers: { 'if-none-match': known } })
        expect([answer.status, answer.text, answer.headers.etag]).to.deep.equal([304, '', tag])
      }
      await server.put(path, { rank: 1 })
      expect((await server.get(path, { headers: { 'if-none-match': tag } })).status).to.equal(200)
    })

    it('gives a different tag to each representation: fields, populate, format, encoding', async () => {
      const { path } = await make('notes', { text: 'a'.repeat(2_000) })
      const answers = [
        await server.get(path),
        await server.get(`${path}?fields=rank`),
        await server.get(path, { headers: { 'strapi-response-format': 'v4' } }),
        await server.get(path, { headers: { 'accept-encoding': 'gzip' } }),
        await server.get(path, { headers: { 'accept-encoding': 'br' } }),
      ]
      expect(new Set(answers.map(tagOf)).size).to.equal(5)
      expect(new Set(answers.map((answer) => tagOf(answer).split('-')[0])).size).to.equal(1)
      const packed = { 'accept-encoding': 'gzip', 'if-none-match': tagOf(answers[3] as Answer) }
      expect((await server.get(path, { headers: packed })).status).to.equal(304)
      for (const answer of answers) {
        expect((await server.put(path, { rank: 1 }, ifMatch('"x"'))).status).to.equal(412)
        const current = (await server.get(path)).headers.etag?.split('-')[0] ?? ''
        const asRead = tagOf(answer).replace(/^"\w+/, current)
        expect((await server.put(path, { rank: 1 }, ifMatch(asRead))).status).to.equal(200)
      }
    })

    it('notices a changed populated entry, although the revision is the same', async () => {
      const tag = await make('tags', { name: 'old' })
      const book = await make('books', { name: 'b', tags: [tag.path.split('/').at(-1)] })
      const populated = `${book.path}?populate=tags`
      const before = tagOf(await server.get(populated))
      await server.put(tag.path, { name: 'new' })
      const answer = await server.get(populated, { headers: { 'if-none-match': before } })
      expect(answer.status).to.equal(200)
      expect((await server.put(book.path, { name: 'c' }, ifMatch(before))).status).to.equal(200)
    })
  })

  describe('writes', () => {
    it('accepts one of two writes and returns the current tag to the other', async () => {
      const { path, tag } = await make('notes', { text: 'a' })
      const first = await server.put(path, { text: 'b' }, ifMatch(tag))
      expect(tagOf(first)).to.not.equal(tag)
      const second = await server.put(path, { text: 'c' }, ifMatch(tag))
      expectStale(second)
      expect(second.headers.etag).to.equal(`"${tagOf(first).slice(1).split('-')[0]}"`)
      expect((await server.get(path)).body.data.text).to.equal('b')
      const again = await server.put(path, { text: 'c' }, ifMatch(second.headers.etag ?? ''))
      expect(again.status).to.equal(200)
    })

    it('changes the tag with every write, even if no value changes', async () => {
      const { path, tag } = await make('notes', { text: 'a' })
      const tags = [tag]
      for (let round = 0; round < 20; round += 1)
        tags.push(tagOf(await server.put(path, { text: 'a' })))
      expect(new Set(tags.map((one) => one.split('-')[0])).size).to.equal(21)
    })

    it('accepts lists, `*` and tags weakened by a proxy', async () => {
      const { path } = await make('notes', { text: 'a' })
      const forms = [(tag: string) => `"x,y", ${tag}`, () => '*', (tag: string) => `W/${tag}`]
      for (const form of forms) {
        const tag = tagOf(await server.get(path))
        expect((await server.put(path, { rank: 1 }, ifMatch(form(tag)))).status).to.equal(200)
      }
    })

    for (const malformed of ['x', '"x', 'W/x', '"a" "b"', '"a",', ',', '* , "a"', '']) {
      it(`responds with 400 to ${JSON.stringify(malformed)} and names the header`, async () => {
        const { path } = await make('notes', { text: 'a' })
        for (const header of ['If-Match', 'If-None-Match']) {
          const answer = await server.put(path, { text: 'b' }, { headers: { [header]: malformed } })
          expect(answer.status, header).to.equal(400)
          expect(answer.body.error.details).to.deep.equal({ header })
        }
        expect((await server.delete(path, ifMatch(malformed))).status).to.equal(400)
      })
    }

    it('deletes only the version that the client has read', async () => {
      const { path, tag } = await make('notes', { text: 'a' })
      await server.put(path, { text: 'b' })
      expectStale(await server.delete(path, ifMatch(tag)))
      expect((await server.delete(path, ifMatch(tagOf(await server.get(path))))).status).to.equal(
        204,
      )
      expectStale(await server.delete(path, ifMatch('*')))
      expect((await server.put(path, { text: 'c' }, ifMatch('*'))).status).to.equal(404)
    })

    it('rejects the tag of a deleted single type after its re-creation', async () => {
      const old = tagOf(await server.put('/api/homepage', { text: 'a' }))
      await server.delete('/api/homepage', ifMatch(old))
      expectStale(await server.put('/api/homepage', { text: 'b' }, ifMatch(old)))
      await server.put('/api/homepage', { text: 'a' }, { headers: { 'if-none-match': '*' } })
      expectStale(await server.put('/api/homepage', { text: 'b' }, ifMatch(old)))
      const headers = { 'if-none-match': '*' }
      expectStale(await server.put('/api/homepage', { text: 'b' }, { headers }))
    })

    it('rejects the tag of the published version when the draft is newer', async () => {
      const { path, tag } = await make('pages', { title: 'a' })
      const draft = tagOf(await server.put(`${path}?status=draft`, { title: 'b' }, ifMatch(tag)))
      const published = tagOf(await server.get(path))
      expectStale(await server.put(path, { title: 'c' }, ifMatch(published)))
      const answer = await server.put(path, { title: 'c' }, ifMatch(draft))
      expect(tagOf(answer)).to.not.equal(draft)
      const next = tagOf(await server.get(path))
      expect((await server.put(path, { title: 'd' }, ifMatch(next))).status).to.equal(200)
    })

    it('distinguishes locales, and creates a locale only if it does not exist', async () => {
      const { path, tag } = await make('pages', { title: 'a' })
      const french = `${path}?locale=fr`
      expectStale(await server.put(french, { title: 'b' }, ifMatch(tag)))
      expectStale(await server.put(french, { title: 'b' }, ifMatch('*')))
      const create = { headers: { 'if-none-match': '*' } }
      expect((await server.put(french, { title: 'b' }, create)).status).to.equal(200)
      expectStale(await server.put(french, { title: 'c' }, create))
      const all = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          server.put(`${path}?locale=de`, { title: `${index}` }, create),
        ),
      )
      expect(all.map(({ status }) => status)).to.have.members([200, 412, 412, 412, 412])
    })

    it('rejects a tag after a shared value was changed in another locale', async () => {
      const { path } = await make('pages', { title: 'a', views: 1 })
      const french = `${path}?locale=fr`
      const tag = tagOf(await server.put(french, { title: 'b' }))
      await server.put(path, { views: 2 })
      expectStale(await server.put(french, { title: 'c' }, ifMatch(tag)))
      const shared = tagOf(await server.get(french))
      expect((await server.put(french, { title: 'c' }, ifMatch(shared))).status).to.equal(200)
    })

    it('rejects the tag of a published version after a shared change next to an unpublished draft', async () => {
      const { path } = await make('pages', { title: 'a', views: 1 })
      const french = `${path}?locale=fr`
      await server.put(french, { title: 'b' })
      await server.put(`${french}&status=draft`, { title: 'unpublished' })
      await server.put(path, { views: 2 })
      const published = tagOf(await server.get(french))
      expectStale(await server.put(french, { title: 'c' }, ifMatch(published)))
    })

    it('deletes several locales only if the client has read each of them', async () => {
      const { path, tag } = await make('pages', { title: 'a' })
      const french = tagOf(await server.put(`${path}?locale=fr`, { title: 'b' }))
      expectStale(await server.delete(`${path}?locale=*`, ifMatch(french)))
      const english = tagOf(await server.get(path))
      expect(english.split('-')[0], 'what they share was the same').to.equal(tag.split('-')[0])
      const both = ifMatch(`${english}, ${french}`)
      expect((await server.delete(`${path}?locale=*`, both)).status).to.equal(204)
    })

    it('changes the tag of the owner when either side writes the relation', async () => {
      const tag = await make('tags', { name: 't' })
      const book = await make('books', { name: 'b' })
      const [bookId, tagId] = [book.path, tag.path].map((path) => path.split('/').at(-1))
      await server.put(book.path, { tags: { connect: [tagId] } })
      expectStale(await server.put(book.path, { name: 'c' }, ifMatch(book.tag)))
      const connected = tagOf(await server.get(book.path))
      await server.put(tag.path, { books: { disconnect: [bookId] } })
      expectStale(await server.put(book.path, { name: 'c' }, ifMatch(connected)))
      const current = tagOf(await server.get(book.path))
      expect((await server.put(book.path, { name: 'c' }, ifMatch(current))).status).to.equal(200)
    })

    it('works with versions that were stored without a revision', async () => {
      const { path } = await make('pages', { title: 'a' })
      const documentId = path.split('/').at(-1)
      const client = await MongoClient.connect(server.uri)
      const versions = client.db(server.database).collection('page_versions')
      await versions.updateMany({ documentId }, { $unset: { _revision: '' } })
      const tag = tagOf(await server.get(path))
      expect((await server.put(path, { title: 'b' }, ifMatch(tag))).status).to.equal(200)
      expectStale(await server.put(path, { title: 'c' }, ifMatch(tag)))
      await versions.updateMany({ documentId }, { $unset: { _revision: '' } })
      await versions.deleteMany({ documentId, status: 'draft' })
      await client.close()
      const alone = tagOf(await server.get(path))
      expect((await server.put(path, { title: 'd' }, ifMatch(alone))).status).to.equal(200)
    })
  })

  it('hides the revision from responses, filters, sorts and fields', async () => {
    const { path } = await make('pages', { title: 'a' })
    const answers = [
      await server.get(path),
      await server.get(`${path}?populate=*&status=draft`),
      await server.get('/api/pages?populate=*'),
    ]
    for (const { text } of answers) expect(text).to.not.include('revision')
    for (const query of ['filters[_revision]=1', 'sort=_revision', 'fields=_revision']) {
      expect((await server.get(`/api/pages?${query}`)).status, query).to.equal(400)
    }
    expect((await server.put(path, { _revision: '1' })).status).to.equal(400)
  })
})
