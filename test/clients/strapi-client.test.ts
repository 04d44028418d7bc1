import {
  HTTPAuthorizationError,
  HTTPBadRequestError,
  type HTTPError,
  HTTPForbiddenError,
  HTTPNotFoundError,
  strapi,
  type StrapiClient,
} from '@strapi/client'
import { expect } from 'chai'
import type { Json } from '../support/server.ts'
import { type Library, loadLibrary, openLibrary } from '../contract/library.ts'
import { png } from '../media/sample-images.ts'

/** The published client of the reference, used as in its README. */
describe('@strapi/client', () => {
  let library: Library
  let baseURL: string
  let root: StrapiClient
  let visitor: StrapiClient

  before(async () => {
    library = await openLibrary('strapi_client')
    await loadLibrary(library)
    baseURL = `http://127.0.0.1:${library.server.port}/api`
    root = strapi({ baseURL, auth: library.tokens.root ?? '' })
    visitor = strapi({ baseURL })
  })

  after(() => library.close())

  describe('collections', () => {
    it('finds entries by filters, fields, order, page and populate', async () => {
      const found = await visitor.collection('articles').find({
        filters: { $or: [{ title: { $containsi: 'ALPHA' } }, { views: { $in: [20, 30] } }] },
        fields: ['title', 'views'],
        sort: ['views:desc', 'title'],
        pagination: { page: 1, pageSize: 2 },
        populate: { tags: { fields: ['name'], sort: 'name' }, author: { populate: ['profile'] } },
      })
      expect(found.data.map(({ title }: Json) => title)).to.deep.equal(['Gamma THREE', 'beta two'])
      expect(found.data[0]?.['tags'].map(({ name }: Json) => name)).to.deep.equal(['blue', 'green'])
      expect(found.data[0]?.['author'].profile).to.include({ nickname: 'annie' })
      expect(found.meta.pagination).to.deep.equal({ page: 1, pageSize: 2, pageCount: 2, total: 3 })
    })

    it('finds entries in a locale, and drafts', async () => {
      const articles = root.collection('articles')
      const french = await articles.find({ locale: 'fr', populate: 'localizations' })
      expect(french.data.map(({ title }: Json) => title)).to.deep.equal(['Alpha un'])
      expect(french.data[0]?.['localizations'][0].title).to.equal('Alpha one')
      const drafts = await articles.find({ status: 'draft', filters: { views: { $gte: 80 } } })
      expect(drafts.data.map(({ publishedAt }: Json) => publishedAt)).to.deep.equal([null])
    })

    it('finds entries by offset, without a count, and with lists in populate', async () => {
      const page = await visitor.collection('tags').find({
        sort: 'name',
        pagination: { start: 1, limit: 1, withCount: false },
        populate: ['articles'],
      })
      expect(page.data.map(({ name }: Json) => name)).to.deep.equal(['green'])
      expect(page.meta.pagination).to.deep.equal({ start: 1, limit: 1 })
      const all = await visitor.collection('tags').find({ populate: '*' })
      expect(all.data[0]?.['articles']).to.have.lengthOf(2)
    })

    it('creates, reads, changes and deletes an entry', async () => {
      const articles = root.collection('articles')
      const { data } = await articles.create({ title: 'By a client', tags: [library.ids['red']] })
      const { documentId } = data
      const found = await articles.findOne(documentId, { populate: ['tags'], fields: ['title'] })
      expect(found.data).to.include({ documentId, title: 'By a client' })
      expect(found.data['tags'][0].name).to.equal('red')
      const draft = await articles.update(documentId, { title: 'Draft' }, { status: 'draft' })
      expect(draft.data).to.include({ title: 'Draft', publishedAt: null })
      const french = await articles.update(documentId, { title: 'Un client' }, { locale: 'fr' })
      expect(french.data).to.include({ title: 'Un client', locale: 'fr' })
      expect(await articles.delete(documentId, { locale: 'fr' })).to.equal(undefined)
      expect((await articles.findOne(documentId)).data['title']).to.equal('By a client')
      await articles.delete(documentId)
      expect(await refusal(articles.findOne(documentId))).to.be.instanceOf(HTTPNotFoundError)
    })

    it('manages users without an envelope', async () => {
      const users = root.collection('users')
      const roles: Json = await (await root.fetch('/users-permissions/roles')).json()
      const role = roles.roles.find(({ type }: Json) => type === 'authenticated').id
      const account = { username: 'john', email: 'john@quire.test', password: 'Secret123', role }
      const created: Json = await users.create(account)
      expect(created).to.include({ username: 'john', email: 'john@quire.test' })
      const found: Json = await users.find({ filters: { username: 'john' } })
      expect(found.map(({ id }: Json) => id)).to.deep.equal([created.id])
      expect(await users.findOne(created.id)).to.include({ username: 'john' })
      expect(await users.update(created.id, { username: 'johnny' })).to.include({
        username: 'johnny',
      })
      await users.delete(created.id)
      expect(await refusal(users.findOne(created.id))).to.be.instanceOf(HTTPNotFoundError)
    })
  })

  it('finds, changes and deletes a single type', async () => {
    const homepage = root.single('homepage')
    expect(await refusal(homepage.find())).to.be.instanceOf(HTTPNotFoundError)
    const written = await homepage.update(
      { title: 'Home', seo: { metaTitle: 'm' } },
      { populate: ['seo'] },
    )
    expect(written.data['seo'].metaTitle).to.equal('m')
    await homepage.update({ title: 'Accueil' }, { locale: 'fr' })
    expect((await homepage.find({ locale: 'fr' })).data['title']).to.equal('Accueil')
    await homepage.update({ title: 'Next' }, { status: 'draft' })
    expect((await homepage.find({ fields: ['title'] })).data['title']).to.equal('Home')
    expect((await homepage.find({ status: 'draft' })).data['title']).to.equal('Next')
    await homepage.delete({ locale: 'fr' })
    await homepage.delete()
    expect(await refusal(homepage.find())).to.be.instanceOf(HTTPNotFoundError)
  })

  it('uploads, finds, describes and deletes files', async () => {
    const bytes = await png(300, 200)
    const fileInfo = { alternativeText: 'red', caption: 'A red field' }
    const [uploaded]: Json = await root.files.upload(bytes, {
      filename: 'red.png',
      mimetype: 'image/png',
      fileInfo,
    })
    expect(uploaded).to.include({ name: 'red.png', mime: 'image/png', width: 300, ...fileInfo })
    const [second]: Json = await root.files.upload(new Blob(['text'], { type: 'text/plain' }), {
      fileInfo: { name: 'n.txt' },
    })
    expect(second).to.include({ name: 'n.txt', mime: 'text/plain' })
    const found = await root.files.find({
      filters: { mime: { $contains: 'image' }, name: { $startsWith: 'red' } },
      sort: ['name:asc'],
    })
    expect(found.map(({ id }) => id)).to.deep.equal([uploaded.id])
    expect(await root.files.findOne(uploaded.id)).to.include({ hash: uploaded.hash })
    const changed = await root.files.update(uploaded.id, {
      name: 'new.png',
      alternativeText: 'still red',
    })
    expect(changed).to.include({
      name: 'new.png',
      alternativeText: 'still red',
      caption: 'A red field',
    })
    expect(await root.files.delete(uploaded.id)).to.include({ id: uploaded.id })
    expect(await refusal(root.files.findOne(uploaded.id))).to.have.property(
      'name',
      'FileNotFoundError',
    )
    expect(
      await refusal(strapi({ baseURL, auth: library.tokens.custom ?? '' }).files.find()),
    ).to.have.property('name', 'FileForbiddenError')
  })

  it('registers and signs in an end user, and acts as that user', async () => {
    const send = async (path: string, body: object): Promise<Json> =>
      (
        await visitor.fetch(path, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        })
      ).json()
    const account = { username: 'client', email: 'client@quire.test', password: 'Secret123' }
    const registered = await send('/auth/local/register', account)
    expect(registered.user).to.include({ username: 'client', email: 'client@quire.test' })
    const { jwt } = await send('/auth/local', { identifier: 'client', password: 'Secret123' })
    const user = strapi({ baseURL, auth: jwt })
    const me: Json = await (await user.fetch('/users/me')).json()
    expect(me).to.include({ username: 'client' })
    expect(
      (await user.collection('tags').find({ fields: ['name'], sort: 'name' })).data,
    ).to.have.lengthOf(3)
    expect(await refusal(user.collection('categories').find())).to.be.instanceOf(HTTPForbiddenError)
    expect(
      await refusal(send('/auth/local', { identifier: 'client', password: 'wrong' })),
    ).to.be.instanceOf(HTTPBadRequestError)
  })

  it('throws the error of the status, with the response', async () => {
    const wrong = strapi({ baseURL, auth: 'no-token-of-ours' })
    const failures: readonly (readonly [Promise<unknown>, typeof HTTPError, number, string])[] = [
      [
        wrong.collection('tags').find(),
        HTTPAuthorizationError,
        401,
        'Missing or invalid credentials',
      ],
      [visitor.collection('secret-notes').find(), HTTPForbiddenError, 403, 'Forbidden'],
      [visitor.collection('tags').findOne('none'), HTTPNotFoundError, 404, 'Not Found'],
      [visitor.collection('nopes').find(), HTTPNotFoundError, 404, 'Not Found'],
      [
        visitor.collection('tags').find({ filters: { nope: 1 } }),
        HTTPBadRequestError,
        400,
        'Invalid key nope',
      ],
      [root.collection('samples').create({}), HTTPBadRequestError, 400, 'label must be defined.'],
    ]
    for (const [request, kind, status, message] of failures) {
      const error = await refusal(request)
      expect(error).to.be.instanceOf(kind)
      const answer: Json = await (error as HTTPError).response.json()
      expect(answer.error).to.include({ status, message })
    }
  })

  it('sends custom headers', async () => {
    const old = strapi({ baseURL, headers: { 'Strapi-Response-Format': 'v4' } })
    const found: Json = await old.collection('tags').find({ sort: 'name' })
    expect(found.data[0].attributes.name).to.equal('blue')
  })
})

async function refusal(request: Promise<unknown>): Promise<unknown> {
  try {
    return { notRefused: await request }
  } catch (error) {
    return error
  }
}
