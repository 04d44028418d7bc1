import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import {
  array,
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  nat,
  record,
  subarray,
} from 'fast-check'
import type { DocumentContext } from '../../../src/content/context.ts'
import { endDeleted } from '../../../src/content/trash/end-deleted.ts'
import { restoreDocument } from '../../../src/content/trash/restore-document.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { deleteDocument } from '../../../src/content/write/delete-document.ts'
import { publishDocument } from '../../../src/content/write/publish-document.ts'
import { updateDocument } from '../../../src/content/write/update-document.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { findDeletionsOf } from '../../../src/mongo/trash/read-trash.ts'
import { ensureTrash, trashedVersionsIn } from '../../../src/mongo/trash/trash-rows.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { getAllVersions } from '../../../src/mongo/read/get-versions.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { planOf } from '../../fixtures/plans.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const LOCALES = ['de', 'en', 'fr'] as const
type Locale = (typeof LOCALES)[number]

interface Values {
  readonly title: string
  /** Shared by all locales. */
  readonly views: number
}

type Does = 'write' | 'publish' | 'delete' | 'restore' | 'restorePublished' | 'restoreBoth' | 'end'

interface Step {
  readonly does: Does
  readonly locales: readonly Locale[]
  readonly number: number
}

/** The expected documents and trash after some steps. */
class Model {
  readonly drafts = new Map<Locale, Values>()
  readonly published = new Map<Locale, Values>()
  trash: Map<Locale, { readonly draft: Values; readonly published: Values | undefined }>[] = []

  /** Returns false if the step is refused. */
  run({ does, locales, number }: Step): boolean {
    const [locale = 'en'] = locales
    switch (does) {
      case 'write':
        this.#share(number)
        this.drafts.set(locale, { title: `t${number}`, views: number })
        return true
      case 'publish':
        return this.#publishAll(locales)
      case 'delete':
        this.#delete(locales)
        return true
      case 'end':
        return this.#end()
      case 'restore':
      case 'restorePublished':
        return this.#restore(locales, does === 'restorePublished')
      case 'restoreBoth':
        return this.#restoreBoth(locales)
    }
  }

  #end(): boolean {
    const was = this.trash.length
    this.trash = []
    return was > 0
  }

  #share(views: number): void {
    for (const [locale, values] of this.drafts) this.drafts.set(locale, { ...values, views })
  }

  #publishAll(locales: readonly Locale[]): boolean {
    if (locales.some((one) => !this.drafts.has(one))) return false
    for (const one of locales) this.#publish(one)
    return true
  }

  #publish(locale: Locale): void {
    const draft = this.drafts.get(locale)
    if (draft === undefined) return
    this.published.set(locale, draft)
    for (const [other, values] of this.published) {
      this.published.set(other, { ...values, views: draft.views })
    }
  }

  #delete(locales: readonly Locale[]): void {
    const removed: Model['trash'][number] = new Map()
    for (const locale of locales) {
      const draft = this.drafts.get(locale)
      if (draft === undefined) continue
      removed.set(locale, { draft, published: this.published.get(locale) })
      this.drafts.delete(locale)
      this.published.delete(locale)
    }
    if (removed.size > 0) this.trash.unshift(removed)
  }

  #restore(locales: readonly Locale[], fromPublished: boolean): boolean {
    const newest = locales.map((locale) => this.trash.find((one) => one.has(locale)))
    if (newest.includes(undefined) || locales.some((one) => this.drafts.has(one))) return false
    const views = [...this.drafts.values()][0]?.views ?? this.#sharedOf(locales, fromPublished)
    for (const [index, locale] of locales.entries()) {
      const values = heldOf(newest[index], locale, fromPublished)
      if (values !== undefined) this.drafts.set(locale, { ...values, views })
      newest[index]?.delete(locale)
    }
    this.trash = this.trash.filter((one) => one.size > 0)
    return true
  }

  #restoreBoth(locales: readonly Locale[]): boolean {
    const others = [...this.published.values()][0]?.views
    const newest = locales.map((locale) => this.trash.find((one) => one.has(locale)))
    const held = newest.map((one, index) => one?.get(locales[index] ?? 'en')?.published)
    const shared = others ?? this.#sharedOfPublished(locales)
    if (!this.#restore(locales, false)) return false
    for (const [index, locale] of locales.entries()) {
      const values = held[index]
      if (values !== undefined) this.published.set(locale, { ...values, views: shared })
    }
    return true
  }

  #sharedOfPublished(locales: readonly Locale[]): number {
    for (const one of this.trash) {
      for (const locale of [...locales].sort()) {
        const isNewest = this.trash.find((other) => other.has(locale)) === one
        const kept = isNewest ? one.get(locale)?.published : undefined
        if (kept !== undefined) return kept.views
      }
    }
    return 0
  }

  /** Returns the shared value of the newest deletion if no locale exists. */
  #sharedOf(locales: readonly Locale[], fromPublished: boolean): number {
    const newest = this.trash.find((one) => locales.some((locale) => one.has(locale)))
    const first = [...locales].sort().find((locale) => newest?.has(locale)) ?? 'en'
    return heldOf(newest, first, fromPublished)?.views ?? 0
  }
}

/** Returns the values of a deleted locale: the published version if requested and available, else the draft. */
function heldOf(
  deletion: Model['trash'][number] | undefined,
  locale: Locale,
  fromPublished: boolean,
): Values | undefined {
  const kept = deletion?.get(locale)
  return (fromPublished ? kept?.published : undefined) ?? kept?.draft
}

const RESTORED = { restore: 'draft', restorePublished: 'published', restoreBoth: 'both' } as const

const step = record({
  does: constantFrom<Does[]>(
    'write',
    'write',
    'publish',
    'delete',
    'delete',
    'restore',
    'restorePublished',
    'restoreBoth',
    'end',
  ),
  locales: subarray([...LOCALES], { minLength: 1 }),
  number: nat(1_000),
})

describe('the trash compared with its model', () => {
  let test: TestDatabase
  let context: DocumentContext
  let plan: ContentTypePlan
  let documents = 0

  before(async () => {
    test = await openTestDatabase('trash_model', {}, { trashDays: 1 })
    plan = planOf({
      uid: 'api::thing.thing',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
        views: { type: 'integer' },
      },
    })
    await ensureTrash(test.database)
    await test.database.collection(plan.collectionName).createIndex({ documentId: 1 })
    context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: () => plan,
      now: () => new Date(),
      newDocumentId: () => 'unused',
      hashPassword: (password) => Promise.resolve(password),
    }
  })
  after(() => test.drop())

  const isDone = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await work
      return true
    } catch (error) {
      if (error instanceof CmsError && error.status < 500) return false
      throw error
    }
  }

  const run = (documentId: string, { does, locales, number }: Step, isThere: boolean) => {
    const writer = { mayRead: () => true, locale: 'en' }
    const [locale = 'en'] = locales
    const origin = SYSTEM
    const target = { plan, documentId, key: { locale, status: 'draft' as const }, writer, origin }
    const named = { kind: 'several' as const, locales }
    switch (does) {
      case 'write': {
        const data = { title: `t${number}`, views: number }
        return isThere
          ? updateDocument(context, target, data)
          : createDocument(context, target, data)
      }
      case 'publish':
        return publishDocument(context, { plan, documentId, locales: named, writer, origin })
      case 'delete':
        return deleteDocument(context, { plan, documentId, locales, origin })
      case 'restore':
      case 'restorePublished':
      case 'restoreBoth':
        return restoreDocument(context, {
          plan,
          documentId,
          deletion: null,
          locales,
          from: RESTORED[does],
          assertMay: () => undefined,
          assertMayPublish: () => undefined,
          writer,
          origin,
        })
      case 'end':
        return endDeleted(context, plan, { documentId, deletion: null }, () => Promise.resolve())
    }
  }

  const valuesOf = (version: object): Values => {
    const { title, views } = version as Values
    return { title, views }
  }

  const stateOf = async (documentId: string) => {
    const versions = await getAllVersions(test.database, plan, documentId)
    const of = (status: string) =>
      Object.fromEntries(
        versions
          .filter((version) => version.status === status)
          .map((version) => [version.locale, valuesOf(version)]),
      )
    const which = { type: plan.uid, documentId, deletion: null }
    const rows = await findDeletionsOf(test.database, which)
    const kept = await trashedVersionsIn(test.database)
      .find({ deletion: { $in: rows.map(({ _id }) => _id) } })
      .toArray()
    const trash = rows.map((row) => {
      const own = kept.filter(({ deletion }) => deletion === row._id)
      const valueOf = (locale: string, status: string): Values | undefined => {
        const found = own.find((one) => one.locale === locale && one.status === status)
        return found && valuesOf(found.version)
      }
      return Object.fromEntries(
        row.locales.map((locale) => [
          locale,
          { draft: valueOf(locale, 'draft'), published: valueOf(locale, 'published') },
        ]),
      )
    })
    return { drafts: of('draft'), published: of('published'), trash }
  }

  it('keeps deleted documents and restores them', async () => {
    await assertProperty(
      asyncProperty(array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        documents += 1
        const documentId = `d${String(documents).padStart(23, '0')}`
        const model = new Model()
        for (const each of steps) {
          const isThere = model.drafts.size > 0
          const expected = model.run(each)
          const done = await isDone(run(documentId, each, isThere))
          expect(done, JSON.stringify(each)).to.equal(expected)
        }
        const found = await stateOf(documentId)
        const wanted = {
          drafts: Object.fromEntries(model.drafts),
          published: Object.fromEntries(model.published),
          trash: model.trash.map((one) => Object.fromEntries(one)),
        }
        if (!isDeepStrictEqual(found, wanted)) expect(found).to.deep.equal(wanted)
      }),
      { numRuns: modelRuns('TRASH_RUNS', 4, 60) },
    )
    expect(
      await trashedVersionsIn(test.database).countDocuments({ deletion: { $exists: false } }),
    ).to.equal(0)
  })
})
