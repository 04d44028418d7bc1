import { expect } from 'chai'
import { png } from '../../media/sample-images.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { MEDIA_TYPES, MULTIPART, multipart } from '../../support/uploads.ts'

describe('media', () => {
  let server: TestServer
  let image: Json
  let text: Json
  let other: Json

  before(async () => {
    server = await serve('media', {
      contentTypes: MEDIA_TYPES,
      permitted: ['api::article.article.find', 'plugin::upload.content-api.upload'],
    })
    image = await uploaded('image.png', await png(30, 20))
    text = await uploaded('text.txt', 'hello')
    other = await uploaded('other.csv', 'a,b', {}, 'text/csv')
  })
  after(() => server.close())

  const upload = (
    name: string,
    content: string | Buffer,
    fields: Readonly<Record<string, unknown>> = {},
    type = 'text/plain',
    token?: null,
  ): Promise<Answer> =>
    server.send('POST', '/api/upload', {
      headers: MULTIPART,
      body: multipart({ files: [{ name, content, type }], fields }),
      ...(token === null && { token }),
    })

  const uploaded = async (...args: Parameters<typeof upload>): Promise<Json> => {
    const answer = await upload(...args)
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body[0]
  }

  const titles = async (query: string): Promise<readonly string[]> => {
    const { status, body, text } = await server.get(`/api/articles?${query}`)
    expect(status, text).to.equal(200)
    return body.data.map(({ title }: Json) => title)
  }

  const article = async (data: object, query = 'populate=*'): Promise<Json> => {
    const { status, body, text } = await server.post(`/api/articles?${query}`, data)
    expect(status, text).to.equal(201)
    return body.data
  }

  const nameOf = (file: Json): unknown => (file === null ? null : file.name)

  describe('in a payload', () => {
    it('accepts one file in every form', async () => {
      const forms = [
        text.id,
        String(text.id),
        text.documentId,
        { id: text.id },
        { documentId: text.documentId },
        [text.id],
        { set: [text.id] },
        { connect: [text.id] },
      ]
      for (const cover of forms) {
        const made = await article({ title: 'form', cover })
        expect(nameOf(made.cover), JSON.stringify(cover)).to.equal('text.txt')
      }
      expect((await article({ title: 'form', cover: null })).cover).to.equal(null)
    })

    it('keeps the order of a list', async () => {
      const made = await article({ title: 'list', gallery: [other.id, image.id, text.id] })
      expect(made.gallery.map(nameOf)).to.deep.equal(['other.csv', 'image.png', 'text.txt'])
      const path = `/api/articles/${made.documentId}?populate=gallery`
      const changed = await server.put(path, { gallery: { disconnect: [image.id] } })
      expect(changed.body.data.gallery.map(nameOf)).to.deep.equal(['other.csv', 'text.txt'])
    })

    it('refuses an unknown file', async () => {
      const answer = await server.post('/api/articles', { title: 'x', cover: 424242 })
      expect(answer.status).to.equal(400)
      expect(answer.body.error.name).to.equal('ValidationError')
    })

    it('refuses a file of a type that the attribute does not allow', async () => {
      const refused = await server.post('/api/authors', { avatar: text.id, papers: [image.id] })
      expect(refused.status).to.equal(400)
      const { errors } = refused.body.error.details
      expect(errors.map((fault: Json) => [fault.path, fault.message])).to.deep.equal([
        [['avatar'], 'avatar takes images, and text.txt is text/plain'],
        [['papers'], 'papers takes files, audios, and image.png is image/png'],
      ])
      const taken = await server.post('/api/authors', { avatar: image.id, papers: [text.id] })
      expect(taken.status).to.equal(201)
    })
  })

  describe('in populate', () => {
    it('returns the record without the additions of the upload routes', async () => {
      const { isUrlSigned, ...record } = text
      expect(isUrlSigned).to.equal(false)
      expect((await article({ title: 'p', cover: text.id })).cover).to.deep.equal(record)
    })

    it('accepts options, also in components and dynamic zones', async () => {
      const made = await article(
        {
          title: 'nested',
          gallery: [text.id, image.id],
          seo: { image: image.id },
          sections: [{ __component: 'shared.seo', image: text.id }],
        },
        'populate[gallery][sort]=name&populate[gallery][fields]=name' +
          '&populate[gallery][filters][mime][$contains]=/' +
          '&populate[seo][populate]=image&populate[sections][populate]=*',
      )
      expect(made.gallery).to.deep.equal([
        { id: image.id, documentId: image.documentId, name: 'image.png' },
        { id: text.id, documentId: text.documentId, name: 'text.txt' },
      ])
      expect(nameOf(made.seo.image)).to.equal('image.png')
      expect(nameOf(made.sections[0].image)).to.equal('text.txt')
    })

    it('lists the visible entries that use a file: each once, without drafts', async () => {
      const file = await uploaded('used.txt', 'hello')
      const used = await article({ title: 'used', cover: file.id, gallery: [file.id] })
      await server.post('/api/articles?status=draft', { title: 'draft', cover: file.id })
      await server.post('/api/authors', { name: 'author', papers: [file.id] })
      const path = '/api/articles?filters[title]=used&populate[cover][populate]=related'
      const [found] = (await server.get(path)).body.data
      expect(found.cover.related.map((entry: Json) => [entry.__type, entry.id])).to.deep.equal([
        ['api::article.article', used.id],
        ['api::author.author', found.cover.related[1].id],
      ])
      expect(found.cover.related[0].title).to.equal('used')
      const [asPublic] = (await server.get(path, { token: null })).body.data
      expect(asPublic.cover.related.map((entry: Json) => entry.__type)).to.deep.equal([
        'api::article.article',
      ])
      const counted = await server.get(
        `/api/upload/files/${file.id}?populate[related][count]=true&fields=name`,
      )
      expect(counted.body.related).to.deep.equal({ count: 2 })
    })

    it('shows null for a deleted file', async () => {
      const file = await uploaded('gone.txt', 'hello')
      const made = await article({ title: 'gone', cover: file.id, gallery: [file.id, text.id] })
      await server.delete(`/api/upload/files/${file.id}`)
      const read = await server.get(`/api/articles/${made.documentId}?populate=*`)
      expect(read.body.data.cover).to.equal(null)
      expect(read.body.data.gallery.map(nameOf)).to.deep.equal(['text.txt'])
    })
  })

  describe('in a query', () => {
    before(async () => {
      await article({ title: 'q-image', cover: image.id, gallery: [text.id, other.id] })
      await article({ title: 'q-text', cover: text.id, seo: { image: image.id } })
      await article({ title: 'q-none' })
    })

    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['filters[cover][name]=image.png', ['q-image']],
      ['filters[cover][mime][$startsWith]=text/', ['q-text']],
      ['filters[gallery][ext]=.csv', ['q-image']],
      ['filters[gallery][name][$in][]=text.txt&filters[gallery][size][$gt]=0', ['q-image']],
      ['filters[cover][$null]=true', ['q-none']],
      ['filters[cover][id][$notNull]=true', ['q-image', 'q-text']],
      ['filters[gallery][$null]=true', ['q-none', 'q-text']],
      ['filters[seo][image][name]=image.png', ['q-text']],
      ['filters[$not][cover][name]=image.png', ['q-none', 'q-text']],
    ]
    for (const [query, expected] of rows) {
      it(`finds entries by ?${query}`, async () => {
        const found = await titles(`${query}&filters[title][$startsWith]=q-&sort=title`)
        expect(found).to.deep.equal(expected)
      })
    }

    it('filters by the file itself', async () => {
      const own = 'filters[title][$startsWith]=q-'
      expect(await titles(`${own}&filters[cover]=${image.id}`)).to.deep.equal(['q-image'])
      expect(await titles(`${own}&filters[cover]=${text.documentId}`)).to.deep.equal(['q-text'])
    })

    it('sorts by an attribute of the file', async () => {
      const own = 'filters[title][$startsWith]=q-'
      const ascending = await titles(`${own}&sort=cover.name`)
      expect(ascending).to.deep.equal(['q-none', 'q-image', 'q-text'])
      const descending = await titles(`${own}&sort=cover.name:desc`)
      expect(descending).to.deep.equal(['q-text', 'q-image', 'q-none'])
    })

    it('refuses a media attribute in place of a scalar', async () => {
      for (const query of ['sort=cover', 'fields=cover', 'filters[cover][nope]=1']) {
        expect((await server.get(`/api/articles?${query}`)).status, query).to.equal(400)
      }
    })
  })

  describe('attached by an upload', () => {
    const attach = (fields: object, token?: null): Promise<Answer> =>
      upload('attached.txt', 'hello', { ...fields }, 'text/plain', token)

    it('adds the file to the draft and the published version, and publishes no other change', async () => {
      const ref = 'api::article.article'
      const made = await article({ title: 'attach', gallery: [image.id] })
      const path = `/api/articles/${made.documentId}`
      await server.put(`${path}?status=draft`, { title: 'changed' })
      const cover = await attach({ ref, refId: made.id, field: 'cover' })
      expect(cover.status, cover.text).to.equal(201)
      const gallery = await attach({ ref, refId: made.documentId, field: 'gallery' })
      expect(gallery.status, gallery.text).to.equal(201)
      for (const [status, title] of [
        ['published', 'attach'],
        ['draft', 'changed'],
      ]) {
        const { data } = (await server.get(`${path}?populate=*&status=${status}`)).body
        expect([data.title, nameOf(data.cover)]).to.deep.equal([title, 'attached.txt'])
        expect(data.gallery.map(nameOf)).to.deep.equal(['image.png', 'attached.txt'])
      }
    })

    it('changes both versions in one transaction', async () => {
      const made = await article({ title: 'at once' })
      await attach({ ref: 'api::article.article', refId: made.id, field: 'gallery' })
      const transactions: unknown[] = []
      server.onCommand(({ name, command }) => {
        if (command[name] === 'article_versions' && name !== 'find') {
          transactions.push(command['autocommit'] === false ? String(command['txnNumber']) : null)
        }
      })
      await attach({ ref: 'api::article.article', refId: made.id, field: 'gallery' })
      expect(transactions).to.have.lengthOf(2)
      expect(transactions[0]).not.to.equal(null)
      expect(transactions[1]).to.equal(transactions[0])
    })

    it('keeps all files of concurrent uploads', async () => {
      const made = await article({ title: 'together' })
      const fields = { ref: 'api::article.article', refId: made.documentId, field: 'gallery' }
      const answers = await Promise.all(Array.from({ length: 6 }, () => attach(fields)))
      const added = answers.map(({ body }) => body[0].id)
      for (const status of ['draft', 'published']) {
        const path = `/api/articles/${made.documentId}?populate=gallery&status=${status}`
        const { data } = (await server.get(path)).body
        expect(
          data.gallery.map(({ id }: Json) => id),
          status,
        ).to.have.members(added)
      }
    })

    it('refuses an upload with an invalid target, and stores no file', async () => {
      const ref = 'api::author.author'
      const { body } = await server.post('/api/authors', { name: 'a' })
      const refId = body.data.id
      const before = await server.count('files')
      for (const fields of [
        { ref: 'api::nope.nope', refId, field: 'avatar' },
        { ref: 'plugin::upload.file', refId, field: 'avatar' },
        { ref, refId: 424242, field: 'papers' },
        { ref, refId: 'abcdef', field: 'papers' },
        { ref, refId, field: 'name' },
        { ref, refId },
        { ref, refId, field: 'avatar' }, // takes images only
      ]) {
        const answer = await attach(fields)
        expect([answer.status, answer.body.error.name], answer.text).to.deep.equal([
          400,
          'ValidationError',
        ])
      }
      expect(await server.count('files')).to.equal(before)
    })

    it('requires permission to change the entry', async () => {
      const { documentId } = await article({ title: 'theirs' })
      const fields = { ref: 'api::article.article', refId: documentId, field: 'cover' }
      expect((await attach(fields, null)).status).to.equal(403)
    })
  })
})
