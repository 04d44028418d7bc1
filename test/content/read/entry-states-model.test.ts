import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import { expect } from 'chai'
import {
  array,
  assert as assertProperty,
  asyncProperty,
  boolean,
  constantFrom,
  nat,
  record,
} from 'fast-check'
import type { DocumentContext } from '../../../src/content/context.ts'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { restoreDocument } from '../../../src/content/trash/restore-document.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { deleteDocument } from '../../../src/content/write/delete-document.ts'
import { type RestoreTarget } from '../../../src/content/trash/restore-document.ts'
import {
  discardDraft,
  publishDocument,
  unpublishDocument,
} from '../../../src/content/write/publish-document.ts'
import { haveSameContent } from '../../../src/mongo/versions/stored-content.ts'
import { updateDocument } from '../../../src/content/write/update-document.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { getAllVersions } from '../../../src/mongo/read/get-versions.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { ensureTrash } from '../../../src/mongo/trash/trash-rows.ts'
import {
  STATE_ALONE,
  STATE_CHANGED,
  STATE_SAME,
  STATE_FIELD,
  STATE_UNKNOWN,
} from '../../../src/mongo/versions/version-fields.ts'
import {
  asVersion,
  type StoredVersion,
  versionsOf,
} from '../../../src/mongo/versions/stored-version.ts'
import { addVersions } from '../../../src/mongo/write/add-versions.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { ENTRY_STATES, type EntryState, type Query, type Status } from '../../../src/query/query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Data } from '../../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const localized = { pluginOptions: { i18n: { localized: true } } }
const shared = { pluginOptions: { i18n: { localized: false } } }

const { contentTypes } = compileSchema({
  contentTypes: [
    contentType(
      'page',
      { localized: true, draftAndPublish: true },
      {
        title: { type: 'string', ...localized },
        rank: { type: 'integer', ...shared },
        parent: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'api::page.page',
          inversedBy: 'children',
          ...localized,
        },
        children: {
          type: 'relation',
          relation: 'oneToMany',
          target: 'api::page.page',
          mappedBy: 'parent',
          ...localized,
        },
        tags: {
          type: 'relation',
          relation: 'manyToMany',
          target: 'api::tag.tag',
          inversedBy: 'pages',
          ...localized,
        },
        twin: {
          type: 'relation',
          relation: 'oneToOne',
          target: 'api::tag.tag',
          inversedBy: 'twin',
          ...shared,
        },
        shelf: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'api::shelf.shelf',
          inversedBy: 'pages',
          ...localized,
        },
      },
    ),
    contentType(
      'tag',
      { localized: false, draftAndPublish: true },
      {
        title: { type: 'string' },
        pages: {
          type: 'relation',
          relation: 'manyToMany',
          target: 'api::page.page',
          mappedBy: 'tags',
        },
        twin: {
          type: 'relation',
          relation: 'oneToOne',
          target: 'api::page.page',
          mappedBy: 'twin',
        },
      },
    ),
    contentType(
      'shelf',
      { localized: false, draftAndPublish: false },
      {
        title: { type: 'string' },
        pages: {
          type: 'relation',
          relation: 'oneToMany',
          target: 'api::page.page',
          mappedBy: 'shelf',
        },
      },
    ),
  ],
  components: [],
})

const TYPES = ['page', 'tag', 'shelf'] as const
type Type = (typeof TYPES)[number]
const LOCALES = ['en', 'fr'] as const
const DOES = [
  'create',
  'update',
  'publish',
  'unpublish',
  'discard',
  'delete',
  'restore',
  'import',
  'forget',
  'undraft',
] as const

const NEEDS_DRAFTS: ReadonlySet<string> = new Set(['publish', 'unpublish', 'discard'])

const SLOTS = [0, 1] as const

const MAX_TRIES = 10

const write = record({
  does: constantFrom(
    ...DOES,
    'update',
    'update',
    'update',
    'update',
    'publish',
    'publish',
    'discard',
  ),
  type: constantFrom<Type[]>('page', 'page', 'page', 'tag', 'tag', 'shelf'),
  slot: constantFrom(...SLOTS),
  locale: constantFrom(...LOCALES),
  everyLocale: boolean(),
  status: constantFrom<Status[]>('draft', 'draft', 'published'),
  attribute: nat(7),
  value: nat(2),
})
type Write = ReturnType<typeof write.generate>['value']

/** Concurrent writes, and whether lists are read during and after them. */
const step = record({
  writes: array(write, { minLength: 1, maxLength: 3 }),
  isReadBeside: boolean(),
  isReadAfter: boolean(),
})

describe('lists of entries by state compared with all versions', () => {
  let test: TestDatabase
  let context: DocumentContext
  let run = 0

  before(async () => {
    test = await openTestDatabase('entry_states_model', {}, { trashDays: 1 })
    await syncIndexes(test.database, [...compileCollections({ contentTypes }).values()])
    await ensureTrash(test.database)
    context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => planOf(uid.slice(uid.indexOf('.') + 1) as Type),
      now: () => new Date(),
      newDocumentId: () => 'unused',
      hashPassword: (password) => Promise.resolve(password),
    }
  })
  after(() => test.drop())

  function planOf(type: Type): ContentTypePlan {
    const plan = contentTypes.get(`api::${type}.${type}`)
    if (plan === undefined) throw new Error(`there is no ${type}`)
    return plan
  }

  const idOf = (type: Type, slot: number): string => `${type}${slot}x${String(run)}`.padEnd(24, 'z')

  function dataOf({ type, attribute, value }: Write): Data {
    const of = (target: Type): string => idOf(target, value)
    const one = value === 2 ? null : value
    const page: readonly Data[] = [
      { title: `title ${value}` },
      { rank: one },
      { parent: one === null ? null : of('page') },
      { children: { connect: [of('page')] } },
      { tags: value === 2 ? [] : { connect: [of('tag')] } },
      { twin: one === null ? null : of('tag') },
      { twin: of('tag') },
      { shelf: one === null ? null : of('shelf') },
    ]
    const tag: readonly Data[] = [
      { title: `title ${value}` },
      { pages: value === 2 ? [] : { connect: [of('page')] } },
      { twin: one === null ? null : of('page') },
      { pages: [of('page')] },
    ]
    const shelf: readonly Data[] = [
      { title: `title ${value}` },
      { pages: value === 2 ? [] : { connect: [of('page')] } },
      { pages: [of('page')] },
    ]
    const values = { page, tag, shelf }[type]
    return values[attribute % values.length] ?? {}
  }

  function restoredOf({ everyLocale, status }: Write): RestoreTarget['from'] {
    return everyLocale ? 'both' : status
  }

  async function perform(asked: Write): Promise<void> {
    const plan = planOf(asked.type)
    const documentId = idOf(asked.type, asked.slot)
    if (!plan.draftAndPublish && NEEDS_DRAFTS.has(asked.does)) return
    const locale = plan.localized ? asked.locale : ''
    const locales = plan.localized && asked.everyLocale ? [...LOCALES] : [locale]
    const status = plan.draftAndPublish ? asked.status : 'published'
    const writer = { mayRead: () => true, locale: asked.locale }
    const origin = SYSTEM
    const target = { plan, documentId, key: { locale, status }, writer, origin }
    const kind = locales.length > 1 ? ('every' as const) : ('one' as const)
    const action = { plan, documentId, writer, origin, locales: { kind, locales } }
    const from = restoredOf(asked)
    const trashed = {
      plan,
      documentId,
      deletion: null,
      locales,
      from,
      assertMay: () => undefined,
      assertMayPublish: () => undefined,
      writer,
      origin,
    }
    const removed = asked.everyLocale ? ('all' as const) : [locale]
    const operations: Readonly<Record<string, () => Promise<unknown>>> = {
      create: async () => {
        const stored = await getAllVersions(test.database, plan, documentId)
        if (stored.length === 0) await createDocument(context, target, dataOf(asked))
      },
      update: () => updateDocument(context, target, dataOf(asked)),
      publish: () => publishDocument(context, action),
      unpublish: () => unpublishDocument(context, action),
      discard: () => discardDraft(context, action),
      delete: () => deleteDocument(context, { plan, documentId, locales: removed, origin }),
      restore: () => restoreDocument(context, trashed),
    }
    await (operations[asked.does] ?? (() => alterRows(asked)))()
  }

  /** Changes rows in ways that no document operation does. */
  async function alterRows(asked: Write): Promise<void> {
    const plan = planOf(asked.type)
    const documentId = idOf(asked.type, asked.slot)
    const rows = versionsOf(test.database, plan)
    const locale = plan.localized ? asked.locale : ''
    if (asked.does === 'import') await importOthers(asked)
    // Simulates a type that had no drafts before.
    else if (asked.does === 'undraft')
      await rows.deleteMany({ documentId, locale, status: 'draft' })
    // Simulates rows of an earlier server version.
    else await rows.updateMany({ documentId }, { $unset: { [STATE_FIELD]: '' } })
  }

  /** Imports each version as the other status of its locale, with the same content or another title. */
  async function importOthers({ type, slot, everyLocale, value }: Write): Promise<void> {
    const plan = planOf(type)
    if (!plan.draftAndPublish) return
    const versions = await getAllVersions(test.database, plan, idOf(type, slot))
    const other = ({ _id, ...version }: StoredVersion): StoredVersion => {
      const isDraft = version.status === 'draft'
      return {
        ...version,
        id: version.id + 1_000_000,
        title: everyLocale ? version['title'] : `title ${value}`,
        status: isDraft ? 'published' : 'draft',
        publishedAt: isDraft ? version.updatedAt : null,
      }
    }
    await addVersions(test.database, plan, versions.map(other))
  }

  /** Repeats an operation that a slow database has not finished in time: it has changed nothing. */
  async function insist<T>(operation: () => Promise<T>, tries = MAX_TRIES): Promise<T> {
    try {
      return await operation()
    } catch (error) {
      const isLate = error instanceof CmsError && (error.status === 503 || error.status === 504)
      if (!isLate || tries === 1) throw error
      return insist(operation, tries - 1)
    }
  }

  /** Refused writes are expected. */
  async function attempt(asked: Write): Promise<void> {
    try {
      await insist(() => perform(asked))
    } catch (error) {
      if (!(error instanceof CmsError) || error.status >= 500) throw error
    }
  }

  /** Creates the documents that the writes change. Pages have two locales. */
  async function storeAll(type: Type): Promise<void> {
    const plan = planOf(type)
    for (const slot of SLOTS) {
      const writer = { mayRead: () => true, locale: 'en' }
      const target = (locale: string) => ({
        plan,
        documentId: idOf(type, slot),
        key: { locale: plan.localized ? locale : '', status: 'published' as const },
        writer,
        origin: SYSTEM,
      })
      const twin = type === 'page' ? { twin: idOf('tag', slot) } : {}
      await createDocument(context, target('en'), { title: 'title 0', ...twin })
      if (plan.localized) await updateDocument(context, target('fr'), { title: 'title 1' })
    }
  }

  /** Derives the state of every draft of a locale from all rows. */
  async function expectedStates(
    plan: ContentTypePlan,
    locale: string,
  ): Promise<Record<EntryState, string[]>> {
    const found = await versionsOf(test.database, plan).find({ locale }).sort({ id: 1 }).toArray()
    const versions = found.map((row) => asVersion(plan, row))
    const expected: Record<EntryState, string[]> = { draft: [], published: [], changed: [] }
    for (const draft of versions.filter(({ status }) => status === 'draft')) {
      const published = versions.find(
        ({ documentId, status }) => documentId === draft.documentId && status === 'published',
      )
      const state = stateOf(plan, draft, published)
      expected[state].push(draft.documentId)
      const stored = [draft, published].map((version) => version?.[STATE_FIELD] ?? STATE_UNKNOWN)
      if (published === undefined) stored.pop()
      if (stored.includes(STATE_UNKNOWN)) continue
      expect(stored[0], `${draft.documentId} is ${state}`).to.equal(
        { draft: STATE_ALONE, published: STATE_SAME, changed: STATE_CHANGED }[state],
      )
    }
    return expected
  }

  function stateOf(
    plan: ContentTypePlan,
    draft: StoredVersion,
    published: StoredVersion | undefined,
  ): EntryState {
    if (published === undefined) return 'draft'
    return haveSameContent(plan, draft, published) ? 'published' : 'changed'
  }

  const list = async (plan: ContentTypePlan, locale: string, state: EntryState) => {
    const localeOf = plan.localized ? { locale } : {}
    const asked = { status: 'draft', sort: 'id', fields: 'title', ...localeOf }
    const page = { pagination: { pageSize: '2' } }
    const all = parseQuery(
      { ...asked, pagination: { pageSize: '100' } },
      plan,
      rulesWith(...LOCALES),
    )
    const some = parseQuery({ ...asked, ...page }, plan, rulesWith(...LOCALES))
    const find = (query: Query) =>
      insist(() => findEntries(test.database, { ...query, publication: [state] }))
    const { entries } = await find(all)
    const { total } = await find(some)
    return { ids: entries.map(({ documentId }) => documentId), total }
  }

  async function checkAll({ isRead }: { readonly isRead: boolean }): Promise<void> {
    for (const plan of [planOf('page'), planOf('tag')]) {
      for (const locale of plan.localized ? LOCALES : ['']) {
        const expected = await expectedStates(plan, locale)
        if (!isRead) continue
        for (const state of ENTRY_STATES) {
          const ids = expected[state]
          expect(await list(plan, locale, state), `${plan.uid} ${locale} ${state}`).to.deep.equal({
            ids,
            total: ids.length,
          })
        }
      }
    }
  }

  it('return and count the drafts that match the stored versions after random writes', async () => {
    await assertProperty(
      asyncProperty(array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        run += 1
        for (const type of TYPES) await versionsOf(test.database, planOf(type)).deleteMany({})
        for (const type of ['tag', 'shelf', 'page'] as const) await storeAll(type)
        for (const { writes, isReadBeside, isReadAfter } of steps) {
          const reads = isReadBeside ? [list(planOf('page'), 'en', 'changed')] : []
          await Promise.all([...writes.map(attempt), ...reads])
          await checkAll({ isRead: isReadAfter })
        }
        await checkAll({ isRead: true })
      }),
      { numRuns: modelRuns('STATE_RUNS', 5, 60) },
    )
  })
})
