import { SYSTEM } from '../../src/mongo/connection/authorship.ts'
import { expect } from 'chai'
import type { DocumentContext } from '../../src/content/context.ts'
import { createDocument } from '../../src/content/write/create-document.ts'
import { deleteDocument } from '../../src/content/write/delete-document.ts'
import { singleDocumentId } from '../../src/content/write/single-document-id.ts'
import { updateDocument } from '../../src/content/write/update-document.ts'
import type { WriteRequest } from '../../src/content/write-target.ts'
import { CmsError } from '../../src/base/errors.ts'
import { compileCollections } from '../../src/mongo/indexes/collection-plan.ts'
import { openIdAllocator } from '../../src/mongo/system/id-allocator.ts'
import { type StoredVersion, versionsOf } from '../../src/mongo/versions/stored-version.ts'
import { syncIndexes } from '../../src/mongo/indexes/sync-indexes.ts'
import type { Status } from '../../src/query/query.ts'
import type { AttributeDefinition, ContentTypeDefinition } from '../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { planOf } from '../fixtures/plans.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const localized = { i18n: { localized: true } }
const attributes: Readonly<Record<string, AttributeDefinition>> = {
  title: { type: 'string', required: true, maxLength: 20, pluginOptions: localized },
  slug: { type: 'uid', unique: true, pluginOptions: localized },
  code: { type: 'string', unique: true, pluginOptions: localized },
  views: { type: 'integer', default: 1 },
  price: { type: 'decimal' },
}

let collections = 0

describe('versions of documents', () => {
  let test: TestDatabase
  let context: DocumentContext
  let clock = 0

  before(async () => {
    test = await openTestDatabase('versions')
    context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => {
        throw new Error(`nothing here is related to ${uid}`)
      },
      now: () => new Date((clock += 1000)),
      newDocumentId: () => 'unused',
      hashPassword: (password) => Promise.resolve(password),
    }
  })

  after(() => test.drop())

  const target = (
    plan: ContentTypePlan,
    status: Status = 'published',
    locale = plan.localized ? 'en' : '',
    documentId = 'doc000000000000000000001',
  ): WriteRequest => ({
    plan,
    documentId,
    key: { locale, status },
    writer: { mayRead: () => true, locale: 'en' },
    origin: SYSTEM,
  })

  const create = (at: WriteRequest, data: object): Promise<StoredVersion> =>
    createDocument(context, at, data)
  const update = (at: WriteRequest, data: object): Promise<StoredVersion> =>
    updateDocument(context, at, data)

  const stored = async (plan: ContentTypePlan): Promise<Record<string, StoredVersion>> => {
    const all = await versionsOf(test.database, plan).find().toArray()
    return Object.fromEntries(
      all.map((version) => [
        `${String(version['locale'])} ${String(version['status'])}`,
        version as unknown as StoredVersion,
      ]),
    )
  }

  async function failure(work: Promise<unknown>): Promise<CmsError> {
    try {
      await work
    } catch (error) {
      if (error instanceof CmsError) return error
      throw error
    }
    throw new Error('nothing was thrown')
  }

  /** Declares a content-type with its own collection and indexes. */
  const typeOf = async (options: Partial<ContentTypeDefinition>): Promise<ContentTypePlan> => {
    collections += 1
    const plan = planOf({ attributes, ...options, collectionName: `things_${collections}` })
    const schema = { contentTypes: new Map([[plan.uid, plan]]), components: new Map() }
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    return plan
  }

  describe('with draft & publish', () => {
    it('creates the draft and the published version with separate ids', async () => {
      const type = await typeOf({ draftAndPublish: true })
      const answer = await create(target(type), { title: 'a' })
      const { ' draft': draft, ' published': published } = await stored(type)
      expect(answer).to.include({ id: published?.id, status: 'published' })
      expect(draft?.id).to.be.a('number').that.does.not.equal(published?.id)
      expect(draft).to.include({ title: 'a', views: 1, slug: null, publishedAt: null })
      expect(published?.publishedAt).to.be.instanceOf(Date)
      expect(draft?.createdAt).to.deep.equal(published?.createdAt)
      expect(draft?.updatedAt).to.deep.equal(published?.updatedAt)
    })

    it('creates only a draft on request', async () => {
      const type = await typeOf({ draftAndPublish: true })
      const answer = await create(target(type, 'draft'), {})
      expect(answer).to.include({ status: 'draft', publishedAt: null, title: null })
      expect(Object.keys(await stored(type))).to.deep.equal([' draft'])
    })

    it('changes only the draft and later publishes all of it', async () => {
      const type = await typeOf({ draftAndPublish: true })
      const first = await create(target(type), { title: 'a', views: 5 })
      await update(target(type, 'draft'), { title: 'b' })
      const between = await stored(type)
      expect(between[' draft']).to.include({ title: 'b', views: 5 })
      expect(between[' published']).to.include({ title: 'a', id: first.id })
      expect(between[' published']?.updatedAt).to.deep.equal(first.updatedAt)
      expect(between[' draft']?.updatedAt.getTime()).to.be.above(first.updatedAt.getTime())
      const answer = await update(target(type), { views: 6 })
      expect(answer).to.include({ title: 'b', views: 6, status: 'published' })
    })

    it('keeps ids and createdAt and updates updatedAt and publishedAt', async () => {
      const type = await typeOf({ draftAndPublish: true })
      const created = await create(target(type), { title: 'a' })
      const before = await stored(type)
      await update(target(type), { title: 'b' })
      await update(target(type), {})
      const after = await stored(type)
      const both = [after[' draft'], after[' published']].filter((one) => one !== undefined)
      expect(both.map(({ id }) => id)).to.deep.equal([before[' draft']?.id, created.id])
      const { createdAt } = created
      expect(both.map((one) => one.createdAt)).to.deep.equal([createdAt, createdAt])
      const [changed, published] = both.map(({ updatedAt }) => updatedAt)
      expect(changed).to.be.above(created.updatedAt)
      expect(published).to.deep.equal(changed)
      expect(both.map(({ publishedAt }) => (publishedAt ?? 0) >= createdAt)).to.deep.equal([
        false,
        true,
      ])
    })

    it('keeps the createdAt of a draft when it is first published', async () => {
      const type = await typeOf({ draftAndPublish: true })
      const draft = await create(target(type, 'draft'), { title: 'a' })
      const published = await update(target(type), {})
      expect(published.createdAt).to.deep.equal(draft.createdAt)
      expect(published.id).to.not.equal(draft.id)
    })

    it('stores no version if a creation cannot be published', async () => {
      const type = await typeOf({ draftAndPublish: true })
      const error = await failure(create(target(type), {}))
      expect([error.status, error.message]).to.deep.equal([
        400,
        'title must be a `string` type, but the final value was: `null`.',
      ])
      expect(await stored(type)).to.deep.equal({})
    })

    it('keeps the draft unchanged if a change cannot be published', async () => {
      const type = await typeOf({ draftAndPublish: true })
      await create(target(type), { title: 'a' })
      const before = await stored(type)
      expect((await failure(update(target(type), { title: null, views: 9 }))).status).to.equal(400)
      expect(await stored(type)).to.deep.equal(before)
    })

    it('allows duplicate unique values in drafts but not in published versions', async () => {
      const type = await typeOf({ draftAndPublish: true })
      const second = target(type, 'published', '', 'doc000000000000000000002')
      await create(target(type), { title: 'a', slug: 's', code: 'c' })
      await create({ ...second, key: { ...second.key, status: 'draft' } }, { slug: 's', code: 'c' })
      const error = await failure(update(second, { title: 'b' }))
      expect(error.message).to.equal('2 errors occurred')
      expect(error.details).to.deep.include({
        errors: [
          {
            path: ['slug'],
            message: 'This attribute must be unique',
            name: 'ValidationError',
            value: 's',
          },
          {
            path: ['code'],
            message: 'This attribute must be unique',
            name: 'ValidationError',
            value: 'c',
          },
        ],
      })
      await update(target(type), { title: 'still free' })
    })

    it('deletes the draft and the published version', async () => {
      const type = await typeOf({ draftAndPublish: true })
      await create(target(type), { title: 'a' })
      await deleteDocument(context, { ...target(type), locales: 'all' })
      expect(await stored(type)).to.deep.equal({})
    })

    it('creates a draft from a version that was published before drafts were enabled', async () => {
      const before = await typeOf({})
      const created = await create(target(before), { title: 'a', views: 7 })
      const type = planOf({
        attributes,
        collectionName: before.collectionName,
        draftAndPublish: true,
      })
      const changed = await update(target(type), { title: 'b' })
      expect(changed).to.include({ title: 'b', views: 7, id: created.id, status: 'published' })
      expect(changed.createdAt).to.deep.equal(created.createdAt)
      expect((await stored(type))[' draft']).to.include({ title: 'b', views: 7 })
    })

    it('responds with 404 to an update of a missing document and creates no version', async () => {
      const type = await typeOf({ draftAndPublish: true })
      for (const status of ['draft', 'published'] as const) {
        expect((await failure(update(target(type, status), { title: 'a' }))).status).to.equal(404)
      }
      expect(await stored(type)).to.deep.equal({})
    })
  })

  describe('without draft & publish', () => {
    it('keeps one version and updates publishedAt with every write', async () => {
      const type = await typeOf({})
      const created = await create(target(type), { title: 'a' })
      const changed = await update(target(type), { views: 2 })
      expect(changed).to.include({ id: created.id, title: 'a', views: 2 })
      expect(changed.createdAt).to.deep.equal(created.createdAt)
      expect(changed.publishedAt?.getTime()).to.be.above(created.publishedAt?.getTime() ?? 0)
      expect(Object.keys(await stored(type))).to.deep.equal([' published'])
    })

    it('accepts only one of several concurrent creations with the same unique value', async () => {
      const type = await typeOf({})
      const attempts = await Promise.allSettled(
        ['1', '2', '3', '4'].map((digit) =>
          create(target(type, 'published', '', `doc00000000000000000000${digit}`), {
            title: 'a',
            slug: 'same',
          }),
        ),
      )
      const lost = attempts.flatMap((attempt) =>
        attempt.status === 'rejected' ? [attempt.reason as unknown] : [],
      )
      expect(lost).to.have.length(3)
      for (const error of lost) {
        expect(error).to.be.instanceOf(CmsError)
        expect(error).to.include({ status: 400, message: 'This attribute must be unique' })
      }
      expect(await versionsOf(test.database, type).countDocuments()).to.equal(1)
    })

    it('reports only taken values and compares decimals exactly', async () => {
      const type = await typeOf({
        attributes: { ...attributes, price: { type: 'decimal', unique: true } },
      })
      const other = target(type, 'published', '', 'doc000000000000000000002')
      const [price, near] = ['0.10000000000000000001', '0.10000000000000000002']
      await create(target(type), { title: 'a', slug: 's', price })
      const pathsOf = async (data: object): Promise<unknown> => {
        const { details } = await failure(create(other, { title: 'b', ...data }))
        return (details as { errors: readonly { path: unknown }[] }).errors.map(({ path }) => path)
      }
      expect(await pathsOf({ slug: 's', price: near })).to.deep.equal([['slug']])
      expect(await pathsOf({ slug: 's', price })).to.deep.equal([['slug'], ['price']])
      await create(other, { title: 'b', price: near })
    })

    for (const isLocalized of [true, false]) {
      it(`responds with 404 for a missing document even if a value is taken${isLocalized ? ' in its locale' : ''}`, async () => {
        const type = await typeOf({ localized: isLocalized })
        await create(target(type), { title: 'a', slug: 's' })
        const locale = isLocalized ? 'en' : ''
        const missing = target(type, 'published', locale, 'doc000000000000000000002')
        expect((await failure(update(missing, { slug: 's' }))).status).to.equal(404)
      })
    }

    it('keeps all digits of a decimal', async () => {
      const type = await typeOf({})
      const created = await create(target(type), { title: 'a', price: '0.12345678901234567890' })
      const [version] = await versionsOf(test.database, type).find().toArray()
      expect(String(created['price'])).to.equal('0.12345678901234567890')
      expect(String(version?.['price'])).to.equal('0.12345678901234567890')
    })
  })

  describe('of single types', () => {
    for (const draftAndPublish of [true, false]) {
      it(`creates one document for concurrent creations, ${draftAndPublish ? 'with' : 'without'} drafts`, async () => {
        const type = await typeOf({ kind: 'singleType', draftAndPublish })
        const at = target(type, 'published', '', singleDocumentId(type.uid))
        const answers = await Promise.all(
          ['a', 'b', 'c', 'd'].map((title) => update(at, { title, views: 3 })),
        )
        const versions = await stored(type)
        expect(Object.keys(versions)).to.have.length(draftAndPublish ? 2 : 1)
        expect(new Set(answers.map(({ id }) => id)).size).to.equal(1)
        expect(answers.map(({ title }) => title)).to.deep.equal(['a', 'b', 'c', 'd'])
        expect(await versionsOf(test.database, type).countDocuments()).to.equal(
          draftAndPublish ? 2 : 1,
        )
      })
    }
  })

  describe('of localized types', () => {
    it('starts a new locale with only the shared values', async () => {
      const type = await typeOf({ localized: true, draftAndPublish: true })
      await create(target(type), { title: 'a', slug: 's', views: 42 })
      const french = await update(target(type, 'published', 'fr'), { title: 'b' })
      expect(french).to.include({ title: 'b', slug: null, views: 42, locale: 'fr' })
      const ids = Object.values(await stored(type)).map(({ id }) => id)
      expect(new Set(ids).size).to.equal(4)
    })

    it('stores no version of a new locale without required values', async () => {
      const type = await typeOf({ localized: true, draftAndPublish: true })
      await create(target(type), { title: 'a' })
      const before = await stored(type)
      const error = await failure(update(target(type, 'published', 'fr'), { views: 9 }))
      expect(error.status).to.equal(400)
      expect(await stored(type)).to.deep.equal(before)
    })

    const viewsOf = async (type: ContentTypePlan): Promise<Record<string, unknown>> =>
      Object.fromEntries(
        Object.entries(await stored(type)).map(([name, version]) => [name, version['views']]),
      )

    it('copies shared values to all drafts on a draft write and to all versions on publish', async () => {
      const type = await typeOf({ localized: true, draftAndPublish: true })
      await create(target(type), { title: 'a', views: 1 })
      await update(target(type, 'published', 'fr'), { title: 'b' })
      await update(target(type, 'draft'), { views: 2 })
      expect(await viewsOf(type)).to.deep.equal({
        'en draft': 2,
        'fr draft': 2,
        'en published': 1,
        'fr published': 1,
      })
      await update(target(type, 'published', 'fr'), { title: 'c' })
      expect(await viewsOf(type)).to.deep.equal({
        'en draft': 2,
        'fr draft': 2,
        'en published': 2,
        'fr published': 2,
      })
      await update(target(type), { views: null })
      expect(new Set(Object.values(await viewsOf(type)))).to.deep.equal(new Set([null]))
    })

    it('copies shared values of a new locale to all other locales', async () => {
      const type = await typeOf({ localized: true, draftAndPublish: true })
      await create(target(type), { title: 'a', views: 1 })
      await update(target(type, 'published', 'fr'), { title: 'b', views: 9 })
      expect(await viewsOf(type)).to.deep.equal({
        'en draft': 9,
        'fr draft': 9,
        'en published': 9,
        'fr published': 9,
      })
      await update(target(type, 'draft', 'de'), { views: 10 })
      expect(await viewsOf(type)).to.deep.equal({
        'en draft': 10,
        'fr draft': 10,
        'de draft': 10,
        'en published': 9,
        'fr published': 9,
      })
    })

    it('copies shared values to all locales without draft & publish', async () => {
      const type = await typeOf({ localized: true })
      await create(target(type), { title: 'a', views: 1 })
      await update(target(type, 'published', 'fr'), { title: 'b', views: 2 })
      await update(target(type), { views: 3 })
      expect(await viewsOf(type)).to.deep.equal({ 'en published': 3, 'fr published': 3 })
    })

    it('checks unique values within a locale only', async () => {
      const type = await typeOf({ localized: true, draftAndPublish: true })
      await create(target(type), { title: 'a', slug: 's' })
      await update(target(type, 'published', 'fr'), { title: 'b', slug: 's' })
      const other = target(type, 'published', 'fr', 'doc000000000000000000002')
      expect((await failure(create(other, { title: 'c', slug: 's' }))).message).to.equal(
        'This attribute must be unique',
      )
    })

    for (const draftAndPublish of [true, false]) {
      it(`checks unique shared values across all locales, ${draftAndPublish ? 'with' : 'without'} drafts`, async () => {
        const shared = { ...attributes, code: { type: 'string', unique: true } } as const
        const type = await typeOf({ localized: true, draftAndPublish, attributes: shared })
        const french = target(type, 'published', 'fr')
        await create(target(type), { title: 'a', code: 'mine' })
        await update(french, { title: 'b' })
        const other = target(type, 'published', 'en', 'doc000000000000000000002')
        await create(other, { title: 'c', code: 'taken' })
        const before = await stored(type)
        const error = await failure(update(french, { code: 'taken' }))
        expect([error.status, error.message]).to.deep.equal([400, 'This attribute must be unique'])
        expect(error.details).to.have.deep.nested.property('errors[0].path', ['code'])
        expect(await stored(type)).to.deep.equal(before)
      })
    }

    it('deletes one locale or all locales', async () => {
      const type = await typeOf({ localized: true, draftAndPublish: true })
      await create(target(type), { title: 'a' })
      await update(target(type, 'published', 'fr'), { title: 'b' })
      await deleteDocument(context, { ...target(type), locales: ['xx'] })
      expect(Object.keys(await stored(type))).to.have.length(4)
      await deleteDocument(context, { ...target(type), locales: ['en'] })
      expect(Object.keys(await stored(type))).to.have.members(['fr draft', 'fr published'])
      await deleteDocument(context, { ...target(type), locales: 'all' })
      expect(await stored(type)).to.deep.equal({})
    })

    it('adds a locale once when requests race', async () => {
      const type = await typeOf({ localized: true, draftAndPublish: true })
      await create(target(type), { title: 'a' })
      await Promise.all(
        ['b', 'c', 'd'].map((title) => update(target(type, 'published', 'fr'), { title })),
      )
      expect(await versionsOf(test.database, type).countDocuments()).to.equal(4)
    })
  })
})
