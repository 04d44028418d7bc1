import { ValidationError } from '../../../src/base/errors.ts'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { findPage } from '../../../src/mongo/read/read-versions.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import { versionId } from '../../../src/mongo/versions/version-match.ts'
import { LOCALIZATIONS } from '../../../src/query/localizations.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { SORT_LIMITS } from '../../../src/query/parse-sort.ts'
import type { VersionKey } from '../../../src/query/query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { component, contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

/** The visible version depends on the options of a content-type. */
interface Options {
  readonly draftAndPublish: boolean
  readonly localized: boolean
}

const OPTIONS: Readonly<Record<Name, Options>> = {
  book: { draftAndPublish: true, localized: true },
  author: { draftAndPublish: false, localized: true },
  tag: { draftAndPublish: true, localized: false },
}

const { contentTypes: PLANS } = compileSchema({
  contentTypes: [
    contentType('book', OPTIONS.book, {
      rank: { type: 'integer' },
      author: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::author.author',
        inversedBy: 'books',
      },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::tag.tag',
        inversedBy: 'books',
      },
      seo: { type: 'component', component: 'shared.link' },
      links: { type: 'component', component: 'shared.link', repeatable: true },
    }),
    contentType('author', OPTIONS.author, {
      rank: { type: 'integer' },
      books: {
        type: 'relation',
        relation: 'oneToMany',
        target: 'api::book.book',
        mappedBy: 'author',
      },
      tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
    }),
    contentType('tag', OPTIONS.tag, {
      rank: { type: 'integer' },
      books: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::book.book',
        mappedBy: 'tags',
      },
    }),
  ],
  components: [
    component('shared.link', {
      rank: { type: 'integer' },
      tag: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
      inner: { type: 'component', component: 'shared.inner' },
    }),
    component('shared.inner', { rank: { type: 'integer' } }),
  ],
})

type Name = 'book' | 'author' | 'tag'
const NAMES: readonly Name[] = ['book', 'author', 'tag']

/** A plain stored version or component. */
type Stored = Readonly<Record<string, unknown>>
type Data = Readonly<Record<Name, readonly Stored[]>>

/** The attributes of a holder that lead to a target, and their targets. */
const STEPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  book: { author: 'author', tags: 'tag', seo: 'link', links: 'link', localizations: 'book' },
  author: { books: 'book', tag: 'tag', localizations: 'author' },
  tag: { books: 'book' },
  link: { tag: 'tag', inner: 'inner' },
  inner: {},
}

const LOCALES = ['en', 'fr', 'de'] as const
const STATUSES = ['draft', 'published'] as const

/** The parameters of a read. */
interface Reading {
  readonly locale: (typeof LOCALES)[number] | '*'
  readonly status: (typeof STATUSES)[number]
  /** Without this permission a reader sees published tags regardless of the requested status. */
  readonly mayReadDraftTags: boolean
}

/** The version from which a relation is read. */
interface Key {
  readonly locale: unknown
  readonly status: unknown
}

const reading = (name: Name): fc.Arbitrary<Reading> =>
  fc.record({
    locale: fc.constantFrom(...LOCALES, ...(OPTIONS[name].localized ? ['*' as const] : [])),
    status: fc.constantFrom(...STATUSES),
    mayReadDraftTags: name === 'tag' ? fc.constant(true) : fc.boolean(),
  })

const SIZE = 4
const rank = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null })
/** One in five ids belongs to no document. */
const idOf = (name: Name): fc.Arbitrary<string> =>
  fc.nat({ max: SIZE }).map((index) => documentIdOf(name, index))
const documentIdOf = (name: Name, index: number): string => `${name.padEnd(23, '0')}${index}`
const one = (name: Name): fc.Arbitrary<string | null> => fc.option(idOf(name), { nil: null })

const link: fc.Arbitrary<Stored> = fc.record({
  id: fc.constant(1),
  rank,
  tag: one('tag'),
  inner: fc.option(fc.record({ id: fc.constant(1), rank }), { nil: null }),
})

const rows: Readonly<Record<Name, fc.Arbitrary<Stored>>> = {
  book: fc.record({
    rank,
    author: one('author'),
    tags: fc.uniqueArray(idOf('tag'), { maxLength: 3 }),
    seo: fc.option(link, { nil: null }),
    links: fc.array(link, { maxLength: 2 }),
  }),
  author: fc.record({ rank, tag: one('tag') }),
  tag: fc.record({ rank }),
}

/** Generates a subset of the possible versions of each document. */
const listOf = (name: Name): fc.Arbitrary<readonly Stored[]> => {
  const { localized, draftAndPublish } = OPTIONS[name]
  const keys = (localized ? LOCALES : ['']).flatMap((locale) =>
    (draftAndPublish ? STATUSES : ['published']).map((status) => ({ locale, status })),
  )
  const versions = Array.from({ length: SIZE }, (_, index) =>
    keys.map((key) => ({ documentId: documentIdOf(name, index), ...key })),
  ).flat()
  const version = fc.option(rows[name], { nil: null, freq: 4 })
  return fc
    .tuple(...versions.map(() => version))
    .map((list) =>
      list.flatMap((row, index) =>
        row === null ? [] : [{ ...row, ...versions[index], id: index + 1 }],
      ),
    )
}

const data: fc.Arbitrary<Data> = fc.record({
  book: listOf('book'),
  author: listOf('author'),
  tag: listOf('tag'),
})

/** Generates a filter for one holder in URL notation. Below localizations there are none. */
function filterOf(holder: string, depth: number, isLocalized = false): fc.Arbitrary<Stored> {
  const operand = fc.integer({ min: 0, max: 3 }).map(String)
  const yes = fc.constantFrom('true', 'false')
  const compare = fc.oneof(
    ...['$eq', '$ne', '$gt', '$lte'].map((name) =>
      operand.map((value) => ({ rank: { [name]: value } })),
    ),
    yes.map((value) => ({ rank: { $null: value } })),
  )
  if (depth === 0) return compare
  const steps = Object.entries(STEPS[holder] ?? {}).filter(
    ([name]) => !isLocalized || name !== LOCALIZATIONS,
  )
  const below = steps.flatMap(([name, next]) => [
    filterOf(next, depth - 1, isLocalized || name === LOCALIZATIONS).map((value) => ({
      [name]: value,
    })),
    yes.map((value) => ({ [name]: { $null: value } })),
  ])
  const inner = filterOf(holder, depth - 1, isLocalized)
  return fc.oneof(
    compare,
    ...below,
    ...below,
    inner.map((value) => ({ $not: value })),
    fc.tuple(inner, inner).map((list) => ({ $or: list })),
    fc.tuple(inner, inner).map((list) => ({ $and: list })),
  )
}

/** Relations to many. A sort goes through at most two of them (`SORT_LIMITS.relationsToMany`). */
const TO_MANY: ReadonlySet<string> = new Set(['tags', 'books'])

/** Generates a path of up to three relations and components with a final attribute. */
function pathOf(holder: string, depth: number, toMany = 0): fc.Arbitrary<string> {
  const next = Object.entries(STEPS[holder] ?? {}).filter(
    ([name]) =>
      name !== LOCALIZATIONS && !(toMany >= SORT_LIMITS.relationsToMany && TO_MANY.has(name)),
  )
  if (depth === 0 || next.length === 0) return fc.constant('rank')
  const below = next.map(([name, to]) =>
    pathOf(to, depth - 1, toMany + (TO_MANY.has(name) ? 1 : 0)).map((rest) => `${name}.${rest}`),
  )
  return fc.oneof(fc.constant('rank'), ...below)
}

/** At most one key may end in a list of components, and at most one may lead through two relations to many. */
const sortOf = (holder: string): fc.Arbitrary<readonly string[]> =>
  fc
    .uniqueArray(
      fc.tuple(pathOf(holder, 3), fc.constantFrom('asc', 'desc')).map((pair) => pair.join(':')),
      { maxLength: 2, selector: (text) => text.split(':')[0] },
    )
    .filter((keys) => keys.filter((key) => /links\.(rank|inner)/.test(key)).length < 2)
    .filter(
      (keys) => keys.filter((key) => /\b(tags|books)\b.*\b(tags|books)\b/.test(key)).length < 2,
    )

/** Reader and limit of related documents of one find. */
interface Looking {
  readonly asked?: Reading
  readonly relatedLimit?: number
}

const PUBLISHED: Reading = { locale: 'en', status: 'published', mayReadDraftTags: true }

/** All stored data and the parameters of the read. */
interface World {
  readonly all: Data
  readonly asked: Reading
}

/** A component or a version, and the version from which it is read. */
interface Seen {
  readonly holder: string
  readonly row: Stored
  readonly key: Key
}

/** Returns the components or visible versions that an attribute leads to. */
function reach({ all, asked }: World, { holder, row, key }: Seen, name: string): readonly Seen[] {
  const to = STEPS[holder]?.[name] ?? ''
  if (to === 'link' || to === 'inner') {
    return (toList(row[name]) as readonly Stored[]).map((each) => ({ holder: to, row: each, key }))
  }
  const target = NAMES.find((each) => each === to)
  if (target === undefined) throw new Error(`${holder} has no ${name}`)
  const at = targetKey(asked, target, key)
  const isIn = (each: Stored, { locale, status }: Key): boolean =>
    each['locale'] === locale && each['status'] === status
  const found = all[target].filter((each) => {
    if (name === LOCALIZATIONS) {
      const isOther = each['documentId'] === row['documentId'] && each['locale'] !== key.locale
      return isOther && each['status'] === key.status
    }
    if (name !== 'books') return isIn(each, at) && toList(row[name]).includes(each['documentId'])
    const attribute = holder === 'tag' ? 'tags' : 'author'
    return isIn(each, at) && toList(each[attribute]).includes(row['documentId'])
  })
  return found.map((each) => seen(target, each))
}

/**
 * Returns the key of the visible target version: in the locale of the entry or the reader, as a draft if drafts are
 * read.
 */
function targetKey({ locale, status, mayReadDraftTags }: Reading, target: Name, from: Key): Key {
  const { localized, draftAndPublish } = OPTIONS[target]
  const readsDraft = draftAndPublish && (target !== 'tag' || mayReadDraftTags)
  const own = from.locale === '' ? (locale === '*' ? LOCALES[0] : locale) : from.locale
  return {
    locale: localized ? own : '',
    status: readsDraft ? status : 'published',
  }
}

function seen(holder: string, row: Stored): Seen {
  return { holder, row, key: { locale: row['locale'], status: row['status'] } }
}

/** Returns the entries of a list before filters. */
function listed({ all, asked }: World, name: Name): readonly Seen[] {
  const { localized, draftAndPublish } = OPTIONS[name]
  return all[name]
    .filter(({ locale, status }) => {
      const isAsked = !localized || asked.locale === '*' || locale === asked.locale
      return isAsked && status === (draftAndPublish ? asked.status : 'published')
    })
    .map((row) => seen(name, row))
}

function toList(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function meets(world: World, entry: Seen, filter: Stored): boolean {
  return Object.entries(filter).every(([key, value]) => {
    const conditions = value as Stored
    if (key === '$not') return !meets(world, entry, conditions)
    if (key === '$or' || key === '$and') {
      const branches = (value as readonly Stored[]).map((each) => meets(world, entry, each))
      return key === '$or' ? branches.includes(true) : !branches.includes(false)
    }
    if (key === 'rank') return meetsRank(entry.row['rank'] ?? null, conditions)
    const related = reach(world, entry, key)
    if ('$null' in conditions) return (related.length === 0) === (conditions['$null'] === 'true')
    return related.some((each) => meets(world, each, conditions))
  })
}

function meetsRank(value: unknown, conditions: Stored): boolean {
  const [[operator, text] = ['', '']] = Object.entries(conditions)
  const operand = Number(text)
  switch (operator) {
    case '$eq':
      return value === operand
    case '$ne':
      return value !== operand
    case '$gt':
      return typeof value === 'number' && value > operand
    case '$lte':
      return typeof value === 'number' && value <= operand
    default:
      return (value === null) === (text === 'true')
  }
}

/**
 * Null and missing values sort first. With several values the lowest counts ascending and the highest descending. A
 * relation of a repeated component combines the targets of all elements.
 */
function sortValue(
  world: World,
  entries: readonly Seen[],
  { path: [name = '', ...rest], pick }: { path: readonly string[]; pick: typeof Math.min },
): number {
  const [first] = entries
  if (first === undefined) return -1
  if (rest.length === 0) return pick(...entries.map(({ row }) => (row['rank'] ?? -1) as number))
  const then = { path: rest, pick }
  const isTogether = first.holder === 'link' && name === 'tag'
  const groups = entries.map((entry) => reach(world, entry, name))
  if (isTogether) return sortValue(world, groups.flat(), then)
  return pick(...groups.map((group) => sortValue(world, group, then)))
}

function inOrder(world: World, entries: readonly Seen[], sort: readonly string[]): readonly Seen[] {
  const keys = sort.map((text) => {
    const [path = '', direction] = text.split(':')
    const isDown = direction === 'desc'
    const asked = { path: path.split('.'), pick: isDown ? Math.max : Math.min }
    return (entry: Seen): number => sortValue(world, [entry], asked) * (isDown ? -1 : 1)
  })
  const last = sort.at(-1)?.endsWith(':desc') === true ? -1 : 1
  const byId = ({ row }: Seen): number => Number(row['id']) * last
  return entries.toSorted(
    (left, right) =>
      [...keys, byId].map((key) => key(left) - key(right)).find((order) => order !== 0) ?? 0,
  )
}

const RUNS = modelRuns('DEEP_FILTER_RUNS', 20, 200)

describe('filters and sorts through relations compared with an in-memory search', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('deep_filters')
  })

  after(() => test.drop())

  const planOf = (name: Name): ContentTypePlan => {
    const plan = PLANS.get(`api::${name}.${name}`)
    if (plan === undefined) throw new Error(`${name} was not compiled`)
    return plan
  }

  const fill = async (all: Data): Promise<void> => {
    for (const name of NAMES) {
      const collection = versionsOf(test.database, planOf(name))
      await collection.deleteMany({})
      const versions = all[name].map((row) => ({ ...row, _id: versionIdOf(row) }))
      // The driver rejects an empty list.
      if (versions.length > 0) await collection.insertMany(versions)
    }
  }

  const find = async (
    name: Name,
    query: Stored,
    { asked = PUBLISHED, relatedLimit = test.database.relatedLimit }: Looking = {},
  ): Promise<{ readonly ids: readonly number[]; readonly total: number | null }> => {
    const { locale, status, mayReadDraftTags } = asked
    const rules = {
      ...rulesWith(...LOCALES),
      mayReadDrafts: (uid: string) => mayReadDraftTags || uid !== 'api::tag.tag',
    }
    const parsed = parseQuery({ ...query, locale, status }, planOf(name), rules)
    const { versions, total } = await findPage({ ...test.database, relatedLimit }, parsed)
    return { ids: versions.map(({ id }) => id), total }
  }

  /** Returns null if elements of a component would need a lookup, which is refused. */
  const findLookingUp = async (
    name: Name,
    query: Stored,
    looking: Looking,
  ): Promise<Awaited<ReturnType<typeof find>> | null> => {
    try {
      return await find(name, query, looking)
    } catch (error) {
      if (error instanceof ValidationError && error.message.includes('too many')) return null
      throw error
    }
  }

  it('find, count and sort the same entries', async () => {
    const asked = fc.constantFrom(...NAMES).chain((name) =>
      fc.record({
        name: fc.constant(name),
        queries: fc.array(
          fc.record({ filters: filterOf(name, 3), sort: sortOf(name), asked: reading(name) }),
          { minLength: 1, maxLength: 10 },
        ),
      }),
    )
    await fc.assert(
      fc.asyncProperty(data, asked, async (all, { name, queries }) => {
        await fill(all)
        for (const { filters, sort, asked } of queries) {
          const { ids, total } = await find(name, { filters, sort }, { asked })
          const world = { all, asked }
          const met = listed(world, name).filter((entry) => meets(world, entry, filters))
          const ordered = inOrder(world, met, sort)
          const what = JSON.stringify({ filters, sort, asked })
          expect(ids, what).to.deep.equal(ordered.map(({ row }) => row['id']))
          expect(total, what).to.equal(met.length)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('return the same entries with a lookup for too many related documents', async () => {
    const query = fc.constantFrom(...NAMES).chain((name) =>
      fc.record({
        name: fc.constant(name),
        filters: filterOf(name, 3),
        asked: reading(name),
        relatedLimit: fc.nat(2),
      }),
    )
    await fc.assert(
      fc.asyncProperty(data, query, async (all, { name, filters, ...looking }) => {
        await fill(all)
        const named = await find(name, { filters }, { asked: looking.asked })
        const lookedUp = await findLookingUp(name, { filters }, looking)
        if (lookedUp !== null) expect(lookedUp, JSON.stringify(filters)).to.deep.equal(named)
      }),
      { numRuns: RUNS * 2 },
    )
  })

  it('return the same pages via the targets and via lookups', async () => {
    const page = fc.record({
      start: fc.nat(SIZE).map(String),
      limit: fc.integer({ min: 1, max: SIZE }).map(String),
      withCount: fc.constantFrom('true', 'false'),
    })
    const asked = fc.constantFrom('book' as const, 'author' as const).chain((name) =>
      fc.record({
        name: fc.constant(name),
        queries: fc.array(
          fc.record({
            query: fc.record({
              filters: filterOf(name, 2),
              sort: sortOf(name),
              pagination: page,
            }),
            asked: reading(name),
          }),
          { minLength: 1, maxLength: 10 },
        ),
      }),
    )
    await fc.assert(
      fc.asyncProperty(data, asked, fc.nat(2), async (all, { name, queries }, relatedLimit) => {
        await fill(all)
        for (const { query, asked } of queries) {
          const { filters, sort, pagination } = query
          const world = { all, asked }
          const met = listed(world, name).filter((entry) => meets(world, entry, filters))
          const start = Number(pagination.start)
          const shown = inOrder(world, met, sort).slice(start, start + Number(pagination.limit))
          const expected = {
            ids: shown.map(({ row }) => row['id']),
            total: pagination.withCount === 'true' ? met.length : null,
          }
          const what = JSON.stringify({ ...query, asked })
          expect(await find(name, query, { asked }), what).to.deep.equal(expected)
          const lookedUp = await findLookingUp(name, query, { asked, relatedLimit })
          if (lookedUp !== null) expect(lookedUp, what).to.deep.equal(expected)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('count each entry once for tens of thousands of related entries', async () => {
    const many = 50_010
    const author = (index: number): Stored => ({
      rank: index,
      tag: null,
      id: index + 1,
      documentId: documentIdOf('author', index),
      locale: 'en',
      status: 'published',
    })
    await fill({
      book: [BOOK],
      author: [author(0), author(1)],
      tag: [{ ...author(2), locale: '' }],
    })
    const books = versionsOf(test.database, planOf('book'))
    await books.deleteMany({})
    const all = Array.from({ length: many }, (_, index) => ({
      ...BOOK,
      _id: `book${index}`,
      id: index,
      author: documentIdOf('author', index === many - 1 ? 1 : 0),
    }))
    for (let from = 0; from < many; from += 10_000) {
      await books.insertMany(all.slice(from, from + 10_000))
    }
    const { total } = await find('author', { filters: { books: { rank: { $eq: '1' } } } })
    expect(total).to.equal(2)
  })
})

/** Unique for each version. */
function versionIdOf({ documentId, locale, status }: Stored): string {
  return versionId(String(documentId), { locale, status } as VersionKey)
}

const BOOK: Stored = {
  rank: 1,
  author: null,
  tags: [],
  seo: null,
  links: [],
  documentId: 'book',
  locale: 'en',
  status: 'published',
}
