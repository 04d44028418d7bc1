import { expect } from 'chai'
import * as fc from 'fast-check'
import { findDocument } from '../../src/content/read/find-documents.ts'
import { findEntries } from '../../src/content/read/find-entries.ts'
import { compileCollections } from '../../src/mongo/indexes/collection-plan.ts'
import type { Database } from '../../src/mongo/connection/database.ts'
import { syncIndexes } from '../../src/mongo/indexes/sync-indexes.ts'
import { insertVersions } from '../../src/mongo/write/write-versions.ts'
import { parseEntryQuery, parseQuery } from '../../src/query/parse-query.ts'
import { parseReadKey } from '../../src/query/parse-version.ts'
import type { Status } from '../../src/query/query.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { AttributeDefinition, Data } from '../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { contentType } from '../fixtures/definitions.ts'
import { rulesWith } from '../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { modelRuns } from '../support/model-runs.ts'

const RUNS = modelRuns('FALLBACK_RUNS', 3, 40)
const QUERIES_EACH = 8

const relation = (
  kind: 'manyToOne' | 'manyToMany',
  target: string,
  other: object = {},
): AttributeDefinition => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...other,
})
const rank = { type: 'integer', pluginOptions: { i18n: { localized: true } } } as const

const schema = compileSchema({
  contentTypes: [
    contentType(
      'book',
      { localized: true, draftAndPublish: true },
      {
        rank,
        tags: relation('manyToMany', 'tag', { inversedBy: 'books' }),
        shelf: relation('manyToOne', 'shelf'),
      },
    ),
    contentType(
      'tag',
      { localized: true, draftAndPublish: false },
      { rank, books: relation('manyToMany', 'book', { mappedBy: 'tags' }) },
    ),
    contentType(
      'shelf',
      { localized: false, draftAndPublish: true },
      { rank, tag: relation('manyToOne', 'tag') },
    ),
  ],
  components: [],
})

type Name = 'book' | 'tag' | 'shelf'
const NAMES: readonly Name[] = ['book', 'tag', 'shelf']
const CODES = ['en', 'fr', 'de'] as const
const DOCUMENTS = 5
const rules = rulesWith(...CODES)

const planOf = (name: Name): ContentTypePlan => {
  const plan = schema.contentTypes.get(`api::${name}.${name}`)
  if (plan === undefined) throw new Error(`there is no ${name}`)
  return plan
}

const idOf = (name: Name, index: number): string => `${name}${index}`.padEnd(24, '0')

/** A version in the model. Relations contain documentIds. */
interface Version {
  readonly name: Name
  readonly id: number
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly rank: number
  readonly tags: readonly string[]
  readonly shelf: string | null
  readonly tag: string | null
}

type World = readonly Version[]

const indexes = fc.integer({ min: 0, max: DOCUMENTS - 1 })

/** A random subset of the possible versions with random values and relations. */
const worlds: fc.Arbitrary<World> = fc
  .tuple(
    ...NAMES.flatMap((name) => {
      const { localized, draftAndPublish } = planOf(name)
      const locales = localized ? CODES : ['']
      const statuses: readonly Status[] = draftAndPublish ? ['draft', 'published'] : ['published']
      return Array.from({ length: DOCUMENTS }, (_, index) => idOf(name, index)).flatMap(
        (documentId) =>
          locales.flatMap((locale) =>
            statuses.map((status) =>
              fc
                .option(
                  fc.record({
                    rank: fc.integer({ min: 0, max: 3 }),
                    tags: fc.uniqueArray(indexes, { maxLength: 3 }),
                    shelf: fc.option(indexes),
                    tag: fc.option(indexes),
                  }),
                  { freq: 2 },
                )
                .map((values) => values && { ...values, name, documentId, locale, status }),
            ),
          ),
      )
    }),
  )
  .map((drawn) =>
    drawn.flatMap((version, index): World => {
      if (version === null) return []
      const { tags, shelf, tag } = version
      return [
        {
          ...version,
          id: index + 1,
          tags: tags.map((target) => idOf('tag', target)),
          shelf: shelf === null ? null : idOf('shelf', shelf),
          tag: tag === null ? null : idOf('tag', tag),
        },
      ]
    }),
  )

/** A condition of the model. `toFilters` converts it to query filters. */
type Condition =
  | { readonly kind: 'rank'; readonly value: number }
  | { readonly kind: 'locale'; readonly code: string }
  | { readonly kind: 'related'; readonly to: string; readonly of: Condition }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'both' | 'either'; readonly of: readonly [Condition, Condition] }

/** The target type of each relation. */
const TARGETS: Readonly<Record<Name, Readonly<Record<string, Name>>>> = {
  book: { tags: 'tag', shelf: 'shelf' },
  tag: { books: 'book' },
  shelf: { tag: 'tag' },
}

const conditionsOf = (name: Name, depth: number): fc.Arbitrary<Condition> => {
  const ranks = fc.integer({ min: 0, max: 3 }).map((value): Condition => ({ kind: 'rank', value }))
  if (depth === 0) return ranks
  const inner = conditionsOf(name, depth - 1)
  const codes = fc.constantFrom(...CODES).map((code): Condition => ({ kind: 'locale', code }))
  const related = Object.entries(TARGETS[name]).map(([to, target]) =>
    conditionsOf(target, depth - 1).map((of): Condition => ({ kind: 'related', to, of })),
  )
  return fc.oneof(
    ranks,
    ...(planOf(name).localized ? [codes] : []),
    ...related,
    inner.map((of): Condition => ({ kind: 'not', of })),
    fc
      .tuple(fc.constantFrom('both' as const, 'either' as const), inner, inner)
      .map(([kind, ...of]): Condition => ({ kind, of })),
  )
}

function toFilters(condition: Condition): Data {
  switch (condition.kind) {
    case 'rank':
      return { rank: { $eq: String(condition.value) } }
    case 'locale':
      return { locale: { $eq: condition.code } }
    case 'related':
      return { [condition.to]: toFilters(condition.of) }
    case 'not':
      return { $not: toFilters(condition.of) }
    case 'both':
      return { $and: condition.of.map(toFilters) }
    case 'either':
      return { $or: condition.of.map(toFilters) }
  }
}

interface Asked {
  readonly name: Name
  readonly status: Status
  /** The first locale of the chain is the requested one, the others are its fallbacks. */
  readonly chain: readonly string[]
  readonly condition: Condition | null
  readonly sort: string | null
  readonly direction: 'asc' | 'desc'
  readonly pageSize: number
  readonly page: number
  readonly relatedCondition: Condition
}

const askedOf = (name: Name): fc.Arbitrary<Asked> =>
  fc.record({
    name: fc.constant(name),
    status: fc.constantFrom('draft' as const, 'published' as const),
    chain: fc.uniqueArray(fc.constantFrom(...CODES), { minLength: 2 }),
    condition: fc.option(conditionsOf(name, 2)),
    sort: fc.constantFrom(null, 'rank', ...Object.keys(TARGETS[name]).map((to) => `${to}.rank`)),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    pageSize: fc.integer({ min: 1, max: 6 }),
    page: fc.integer({ min: 1, max: 2 }),
    relatedCondition: conditionsOf('tag', 1),
  })

/** The visible part of a world: each document has at most one version, as if there were a single locale. */
class View {
  readonly #shown = new Map<Name, readonly Version[]>()

  constructor(world: World, { chain, status }: Pick<Asked, 'chain' | 'status'>) {
    for (const name of NAMES) {
      const { localized, draftAndPublish } = planOf(name)
      const seen = world.filter(
        (version) =>
          version.name === name && version.status === (draftAndPublish ? status : 'published'),
      )
      const shown = Array.from({ length: DOCUMENTS }, (_, index) => idOf(name, index)).flatMap(
        (documentId) => {
          const own = seen.filter((version) => version.documentId === documentId)
          const found = localized
            ? chain.map((code) => own.find(({ locale }) => locale === code))
            : own
          return found.find((version) => version !== undefined) ?? []
        },
      )
      this.#shown.set(name, shown)
    }
  }

  all(name: Name): readonly Version[] {
    return this.#shown.get(name) ?? []
  }

  /** Returns related versions in display order. */
  related(version: Version, to: string): readonly Version[] {
    const target = TARGETS[version.name][to]
    if (target === undefined) throw new Error(`${version.name} has no ${to}`)
    const shown = this.all(target)
    if (to === 'books') {
      const owners = shown.filter(({ tags }) => tags.includes(version.documentId))
      return owners.toSorted((one, other) => one.id - other.id)
    }
    const named = to === 'tags' ? version.tags : [to === 'shelf' ? version.shelf : version.tag]
    return named.flatMap((id) => shown.filter(({ documentId }) => documentId === id))
  }

  meets(version: Version, condition: Condition): boolean {
    switch (condition.kind) {
      case 'rank':
        return version.rank === condition.value
      case 'locale':
        return version.locale === condition.code
      case 'related':
        return this.related(version, condition.to).some((one) => this.meets(one, condition.of))
      case 'not':
        return !this.meets(version, condition.of)
      case 'both':
        return condition.of.every((one) => this.meets(version, one))
      case 'either':
        return condition.of.some((one) => this.meets(version, one))
    }
  }

  /** Missing values sort first. */
  sortValue(version: Version, sort: string | null, direction: Asked['direction']): number {
    if (sort === null) return 0
    const [to = ''] = sort.split('.')
    if (to === sort) return version.rank
    const ranks = this.related(version, to).map((one) => one.rank)
    if (ranks.length === 0) return -1
    return direction === 'asc' ? Math.min(...ranks) : Math.max(...ranks)
  }
}

const toQuery = ({ name, status, chain, condition, ...asked }: Asked): Data => ({
  status,
  locale: chain[0],
  fallbackLocale: chain.slice(1).join(','),
  ...(condition !== null && { filters: toFilters(condition) }),
  ...(asked.sort !== null && { sort: `${asked.sort}:${asked.direction}` }),
  pagination: { page: String(asked.page), pageSize: String(asked.pageSize) },
  populate: {
    book: {
      shelf: { populate: { tag: true } },
      tags: { filters: toFilters(asked.relatedCondition), populate: { books: true } },
    },
    tag: { books: { populate: { tags: true } } },
    shelf: { tag: { filters: toFilters(asked.relatedCondition) } },
  }[name],
})

/** The compared parts of an entry. */
type Shown = Data

const nameShown = ({ id, documentId, locale }: Version, more: Data = {}): Shown => ({
  id,
  documentId,
  ...(locale !== '' && { locale }),
  ...more,
})

function expectedEntry(view: View, version: Version, asked: Asked): Shown {
  const { relatedCondition } = asked
  switch (version.name) {
    case 'book': {
      const [shelf] = view.related(version, 'shelf')
      const [tag] = shelf === undefined ? [] : view.related(shelf, 'tag')
      const shownTag = tag === undefined ? null : nameShown(tag)
      const tags = view
        .related(version, 'tags')
        .filter((one) => view.meets(one, relatedCondition))
        .map((one) =>
          nameShown(one, { books: view.related(one, 'books').map((b) => nameShown(b)) }),
        )
      return nameShown(version, {
        shelf: shelf === undefined ? null : nameShown(shelf, { tag: shownTag }),
        tags,
      })
    }
    case 'tag': {
      const books = view.related(version, 'books')
      return nameShown(version, {
        books: books.map((one) =>
          nameShown(one, { tags: view.related(one, 'tags').map((tag) => nameShown(tag)) }),
        ),
      })
    }
    case 'shelf': {
      const [tag] = view.related(version, 'tag').filter((one) => view.meets(one, relatedCondition))
      return nameShown(version, { tag: tag === undefined ? null : nameShown(tag) })
    }
  }
}

/** Reduces a response to the parts that the model predicts. */
function compared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compared)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) =>
    ['id', 'documentId', 'locale', 'shelf', 'tag', 'tags', 'books'].includes(name),
  )
  return Object.fromEntries(kept.map(([name, inner]) => [name, compared(inner)]))
}

describe('fallback locales', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('fallback')
    await syncIndexes(test.database, [...compileCollections(schema).values()])
  })

  after(() => test.drop())

  async function store(world: World): Promise<void> {
    for (const name of NAMES) {
      const collection = test.database.collection(planOf(name).collectionName)
      await collection.deleteMany({})
      const at = new Date(0)
      const stamps = { createdAt: at, updatedAt: at, publishedAt: null }
      const versions = world
        .filter((version) => version.name === name)
        .map(({ id, documentId, locale, status, rank, tags, shelf, tag }) => ({
          id,
          documentId,
          locale,
          status,
          rank,
          ...stamps,
          ...(name === 'book' && { tags, shelf }),
          ...(name === 'shelf' && { tag }),
        }))
      await test.database.transact((session) =>
        insertVersions(test.database, planOf(name), versions, session),
      )
    }
  }

  async function check(database: Database, world: World, asked: Asked): Promise<void> {
    const view = new View(world, asked)
    const plan = planOf(asked.name)
    const query = toQuery(asked)
    const { condition, sort, direction, page, pageSize } = asked
    const sign = direction === 'asc' ? 1 : -1
    const tie = sort === null ? 1 : sign
    const met = view
      .all(asked.name)
      .filter((version) => condition === null || view.meets(version, condition))
      .map((version) => ({ version, value: view.sortValue(version, sort, direction) }))
      .toSorted((a, b) => sign * (a.value - b.value) || tie * (a.version.id - b.version.id))
      .map(({ version }) => version)
    const found = await findEntries(database, parseQuery(query, plan, rules))
    const expected = met.slice((page - 1) * pageSize, page * pageSize)
    expect(compared(found.entries)).to.deep.equal(
      expected.map((version) => expectedEntry(view, version, asked)),
    )
    expect(found.total).to.equal(met.length)

    const documentId = idOf(asked.name, 0)
    const key = parseReadKey(query, plan, rules.locales)
    if (key === null) throw new Error('a locale that exists names a version')
    const read = parseEntryQuery(query, plan, rules)
    const one = await findDocument(database, documentId, key, read)
    const shown = met.find((version) => version.documentId === documentId)
    expect(compared(one?.entry ?? null)).to.deep.equal(
      shown === undefined ? null : expectedEntry(view, shown, asked),
    )
  }

  for (const relatedLimit of [10_000, 0]) {
    const how = relatedLimit === 0 ? 'looked up' : 'resolved beforehand'
    it(`match a brute-force model with filters on relations ${how}`, async () => {
      const asked = fc.constantFrom(...NAMES).chain(askedOf)
      const queries = fc.array(asked, { minLength: QUERIES_EACH, maxLength: QUERIES_EACH })
      const database = { ...test.database, relatedLimit }
      await fc.assert(
        fc.asyncProperty(worlds, queries, async (world, drawn) => {
          await store(world)
          for (const one of drawn) await check(database, world, one)
        }),
        { numRuns: RUNS },
      )
    })
  }
})
