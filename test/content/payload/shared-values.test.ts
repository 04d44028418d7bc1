import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { DocumentContext } from '../../../src/content/context.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { contentOf } from '../../../src/mongo/versions/stored-content.ts'
import { updateDocument } from '../../../src/content/write/update-document.ts'
import type { WriteRequest } from '../../../src/content/write-target.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { type StoredVersion, versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import type { Status } from '../../../src/query/query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypeDefinition, Data } from '../../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { component, contentType } from '../../fixtures/definitions.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { modelRuns } from '../../support/model-runs.ts'

const RUNS = modelRuns('SHARED_RUNS', 3, 40)

const shared = { pluginOptions: { i18n: { localized: false } } }
const localized = { pluginOptions: { i18n: { localized: true } } }

/** A page with one shared attribute of every kind, and a localized title and list. */
const page = (name: string, draftAndPublish: boolean): ContentTypeDefinition =>
  contentType(
    name,
    { localized: true, draftAndPublish },
    {
      title: { type: 'string', ...localized },
      rank: { type: 'integer', ...shared },
      seo: { type: 'component', component: 'shared.seo', required: !draftAndPublish, ...shared },
      links: { type: 'component', component: 'shared.seo', repeatable: true, ...shared },
      sections: { type: 'dynamiczone', components: ['shared.seo'], ...shared },
      own: { type: 'component', component: 'shared.seo', repeatable: true, ...localized },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: `api::tag.tag`,
        inversedBy: `${name}s`,
        ...shared,
      },
      parent: {
        type: 'relation',
        relation: 'manyToOne',
        target: `api::${name}.${name}`,
        inversedBy: 'children',
        ...shared,
      },
      children: {
        type: 'relation',
        relation: 'oneToMany',
        target: `api::${name}.${name}`,
        mappedBy: 'parent',
        ...shared,
      },
      twin: {
        type: 'relation',
        relation: 'oneToOne',
        target: 'api::tag.tag',
        inversedBy: `twinOf${name}`,
        ...shared,
      },
    },
  )

const inverse = (relation: 'manyToMany' | 'oneToOne', name: string, mappedBy: string) =>
  ({ type: 'relation', relation, target: `api::${name}.${name}`, mappedBy }) as const

const schema = compileSchema({
  contentTypes: [
    page('page', true),
    page('sheet', false),
    contentType(
      'tag',
      { localized: false, draftAndPublish: false },
      {
        pages: inverse('manyToMany', 'page', 'tags'),
        sheets: inverse('manyToMany', 'sheet', 'tags'),
        twinOfpage: inverse('oneToOne', 'page', 'twin'),
        twinOfsheet: inverse('oneToOne', 'sheet', 'twin'),
      },
    ),
  ],
  components: [
    component('shared.seo', {
      label: { type: 'string' },
      tag: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
    }),
  ],
})

const SHARED = ['rank', 'seo', 'links', 'sections', 'tags', 'parent', 'children', 'twin'] as const
const CODES = ['en', 'fr', 'de'] as const
const TAGS = [0, 1, 2].map((index) => `tag${index}`.padEnd(24, '0'))
const PAGES = [0, 1, 2].map((index) => `page${index}`.padEnd(24, '0'))
const [PAGE = '', OTHER = ''] = PAGES
const [TAG = '', SECOND = '', THIRD = ''] = TAGS

function planOf(name: string): ContentTypePlan {
  const plan = schema.contentTypes.get(`api::${name}.${name}`)
  if (plan === undefined) throw new Error(`there is no ${name}`)
  return plan
}

describe('values shared by all locales', () => {
  let test: TestDatabase
  let context: DocumentContext

  before(async () => {
    test = await openTestDatabase('shared')
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => planOf(uid.slice(uid.indexOf('.') + 1)),
      now: () => new Date(),
      newDocumentId: () => 'unused',
      hashPassword: (password) => Promise.resolve(password),
    }
  })

  after(() => test.drop())

  beforeEach(clear)

  async function clear(): Promise<void> {
    for (const name of ['page', 'sheet', 'tag']) {
      await versionsOf(test.database, planOf(name)).deleteMany({})
    }
    for (const documentId of TAGS) await create('tag', documentId, '', 'published', {})
  }

  const target = (
    name: string,
    documentId: string,
    locale: string,
    status: Status,
  ): WriteRequest => ({
    plan: planOf(name),
    documentId,
    key: { locale, status },
    writer: { mayRead: () => true, locale: 'en' },
    origin: SYSTEM,
  })

  const create = (
    name: string,
    documentId: string,
    locale: string,
    status: Status,
    data: Data,
  ): Promise<StoredVersion> =>
    createDocument(context, target(name, documentId, locale, status), data)

  const update = (
    name: string,
    documentId: string,
    locale: string,
    status: Status,
    data: Data,
  ): Promise<StoredVersion> =>
    updateDocument(context, target(name, documentId, locale, status), data)

  async function stored(name: string, documentId = PAGE): Promise<Record<string, Data>> {
    const all = await versionsOf(test.database, planOf(name)).find({ documentId }).toArray()
    return Object.fromEntries(
      all.map((version) => {
        const content = contentOf(planOf(name), version)
        return [
          `${String(version['locale'])} ${String(version['status'])}`,
          Object.fromEntries(SHARED.map((each) => [each, content[each] ?? null])),
        ]
      }),
    )
  }

  const FULL = {
    title: 'a',
    rank: 7,
    seo: { label: 'seo', tag: TAG },
    links: [{ label: 'one' }, { label: 'two', tag: SECOND }],
    sections: [{ __component: 'shared.seo', label: 'zone' }],
    tags: [SECOND, TAG],
    twin: TAG,
    own: [{ label: 'mine' }],
  }

  for (const name of ['page', 'sheet']) {
    it(`are copied to a new locale of a ${name}, including component ids`, async () => {
      await create(name, PAGE, 'en', 'published', FULL)
      const french = await update(name, PAGE, 'fr', 'published', { title: 'b' })
      expect(french).to.deep.include({ title: 'b', own: [], tags: [SECOND, TAG], twin: TAG })
      const versions = await stored(name)
      const [first, ...others] = Object.values(versions)
      expect(others).to.have.length(name === 'page' ? 3 : 1)
      for (const other of others) expect(other).to.deep.equal(first)
      expect(first?.['seo']).to.deep.include({ label: 'seo', tag: TAG })
    })

    it(`apply changes to the copied lists in a new locale of a ${name}`, async () => {
      await create(name, PAGE, 'en', 'published', FULL)
      await update(name, PAGE, 'fr', 'published', { tags: { connect: [THIRD] }, links: [] })
      for (const version of Object.values(await stored(name))) {
        expect(version).to.deep.include({ tags: [SECOND, TAG, THIRD], links: [], twin: TAG })
      }
    })

    it(`are copied even if the writer may not read the targets of a ${name}`, async () => {
      await create(name, PAGE, 'en', 'published', FULL)
      const writer = { mayRead: () => false, locale: 'en' }
      const at = { ...target(name, PAGE, 'fr', 'published'), writer }
      expect((await updateDocument(context, at, { title: 'b' }))['tags']).to.deep.equal([
        SECOND,
        TAG,
      ])
    })

    it(`reach every locale of a ${name} through the inverse side of a relation`, async () => {
      await create(name, PAGE, 'en', 'published', { ...FULL, tags: [], twin: null })
      await update(name, PAGE, 'fr', 'published', { title: 'b' })
      await update('tag', THIRD, '', 'published', {
        [`${name}s`]: [PAGE],
        [`twinOf${name}`]: PAGE,
      })
      for (const version of Object.values(await stored(name))) {
        expect(version).to.deep.include({ tags: [THIRD], twin: THIRD })
      }
      await update('tag', THIRD, '', 'published', { [`${name}s`]: [], [`twinOf${name}`]: null })
      for (const version of Object.values(await stored(name))) {
        expect(version).to.deep.include({ tags: [], twin: null })
      }
    })

    it(`are removed from every locale of a ${name} when another document takes a one-to-one target`, async () => {
      await create(name, PAGE, 'en', 'published', FULL)
      await update(name, PAGE, 'fr', 'published', { title: 'b' })
      await create(name, OTHER, 'de', 'published', { ...FULL, twin: TAG })
      for (const version of Object.values(await stored(name)))
        expect(version['twin']).to.equal(null)
    })
  }

  it('change in drafts with every write and in published versions on publish', async () => {
    await create('page', PAGE, 'en', 'published', FULL)
    await update('page', PAGE, 'fr', 'published', { title: 'b' })
    const before = await stored('page')
    const links = (before['fr draft']?.['links'] ?? []) as readonly Data[]
    const [, second] = links
    await update('page', PAGE, 'fr', 'draft', {
      links: [{ id: second?.['id'], label: 'changed' }],
      tags: { disconnect: [TAG] },
    })
    const between = await stored('page')
    expect(between['en draft']).to.deep.equal(between['fr draft'])
    expect(between['en draft']).to.deep.include({
      tags: [SECOND],
      links: [{ ...second, label: 'changed' }],
    })
    expect(between['en published']).to.deep.equal(before['en published'])
    await update('page', PAGE, 'en', 'published', {})
    const after = await stored('page')
    expect(new Set(Object.values(after).map((one) => JSON.stringify(one))).size).to.equal(1)
    expect(after['fr published']).to.deep.equal(between['fr draft'])
  })

  it('stay unchanged in all locales if a write is refused', async () => {
    await create('page', PAGE, 'en', 'published', FULL)
    await update('page', PAGE, 'fr', 'published', { title: 'b' })
    const before = await stored('page')
    const refused = { rank: 9, tags: [THIRD], links: [{ id: 999_999 }] }
    const error: unknown = await update('page', PAGE, 'fr', 'published', refused).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(CmsError)
    expect(await stored('page')).to.deep.equal(before)
  })

  const tagLists = fc.uniqueArray(fc.constantFrom(...TAGS))
  const seos = fc.record({ label: fc.constantFrom('a', 'b'), tag: fc.constantFrom(null, ...TAGS) })
  const values = fc.record(
    {
      title: fc.constantFrom('a', 'b'),
      rank: fc.constantFrom(null, 1, 2),
      seo: fc.option(seos),
      links: fc.array(seos, { maxLength: 2 }),
      sections: fc.array(
        seos.map((seo) => ({ __component: 'shared.seo', ...seo })),
        { maxLength: 2 },
      ),
      tags: fc.oneof(tagLists, fc.record({ connect: tagLists, disconnect: tagLists })),
      parent: fc.constantFrom(null, ...PAGES),
      children: fc.uniqueArray(fc.constantFrom(...PAGES), { maxLength: 2 }),
      twin: fc.constantFrom(null, ...TAGS),
    },
    { requiredKeys: [] },
  )
  const steps = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        name: fc.constant('page'),
        documentId: fc.constantFrom(...PAGES),
        locale: fc.constantFrom(...CODES),
        status: fc.constantFrom('draft' as const, 'published' as const),
        data: values,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        name: fc.constant('tag'),
        documentId: fc.constantFrom(...TAGS),
        locale: fc.constant(''),
        status: fc.constant('published' as const),
        data: fc.record(
          {
            pages: fc.uniqueArray(fc.constantFrom(...PAGES)),
            twinOfpage: fc.constantFrom(null, ...PAGES),
          },
          { requiredKeys: [] },
        ),
      }),
    },
  )

  async function expectEqual(documentId: string): Promise<void> {
    const versions = Object.entries(await stored('page', documentId))
    for (const status of ['draft', 'published']) {
      const of = versions.filter(([key]) => key.endsWith(status))
      for (const [key, version] of of) expect(version, key).to.deep.equal(of[0]?.[1])
    }
  }

  it('are equal in all drafts and in all published versions after random writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 12 }), async (drawn) => {
        await clear()
        for (const documentId of PAGES) await create('page', documentId, 'en', 'draft', {})
        for (const { name, documentId, locale, status, data } of drawn) {
          await update(name, documentId, locale, status, { ...data })
          for (const each of PAGES) await expectEqual(each)
          if (name !== 'page' || status !== 'published') continue
          const own = await stored('page', documentId)
          expect(own[`${locale} published`]).to.deep.equal(own[`${locale} draft`])
        }
      }),
      { numRuns: RUNS },
    )
  })
})
