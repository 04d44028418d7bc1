import { ValidationError } from '../../src/errors.ts'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { findPage } from '../../src/mongo/read-versions.ts'
import { versionsOf } from '../../src/mongo/stored-version.ts'
import { parseQuery } from '../../src/query/parse-query.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { AttributeDefinition, ContentTypeDefinition } from '../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { rulesWith } from '../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../test-database.ts'

const contentType = (
  name: string,
  attributes: Readonly<Record<string, AttributeDefinition>>,
): ContentTypeDefinition => ({
  uid: `api::${name}.${name}`,
  file: `content-types/${name}.json`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  singularName: name,
  pluralName: `${name}s`,
  displayName: name,
  draftAndPublish: false,
  localized: false,
  attributes,
})

const { contentTypes: PLANS } = compileSchema({
  contentTypes: [
    contentType('book', {
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
    contentType('author', {
      rank: { type: 'integer' },
      books: {
        type: 'relation',
        relation: 'oneToMany',
        target: 'api::book.book',
        mappedBy: 'author',
      },
      tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
    }),
    contentType('tag', {
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
    {
      uid: 'shared.link',
      file: 'components/shared/link.json',
      displayName: 'link',
      attributes: {
        rank: { type: 'integer' },
        tag: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
        inner: { type: 'component', component: 'shared.inner' },
      },
    },
    {
      uid: 'shared.inner',
      file: 'components/shared/inner.json',
      displayName: 'inner',
      attributes: { rank: { type: 'integer' } },
    },
  ],
})

type Name = 'book' | 'author' | 'tag'
const NAMES: readonly Name[] = ['book', 'author', 'tag']

/** A stored version or component, as plain as it is. */
type Stored = Readonly<Record<string, unknown>>
type Data = Readonly<Record<Name, readonly Stored[]>>

/** What holds an attribute that leads somewhere, and what it leads to. */
const STEPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  book: { author: 'author', tags: 'tag', seo: 'link', links: 'link' },
  author: { books: 'book', tag: 'tag' },
  tag: { books: 'book' },
  link: { tag: 'tag', inner: 'inner' },
  inner: {},
}

const SIZE = 5
const rank = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null })
/** One in six names a document that does not exist. */
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

const listOf = (name: Name): fc.Arbitrary<readonly Stored[]> =>
  fc.array(rows[name], { minLength: SIZE, maxLength: SIZE }).map((list) =>
    list.map((row, index) => ({
      ...row,
      id: index + 1,
      documentId: documentIdOf(name, index),
      locale: null,
      status: 'published',
    })),
  )

const data: fc.Arbitrary<Data> = fc.record({
  book: listOf('book'),
  author: listOf('author'),
  tag: listOf('tag'),
})

/** A filter as a URL would have it, under one holder. */
function filterOf(holder: string, depth: number): fc.Arbitrary<Stored> {
  const operand = fc.integer({ min: 0, max: 3 }).map(String)
  const yes = fc.constantFrom('true', 'false')
  const compare = fc.oneof(
    ...['$eq', '$ne', '$gt', '$lte'].map((name) =>
      operand.map((value) => ({ rank: { [name]: value } })),
    ),
    yes.map((value) => ({ rank: { $null: value } })),
  )
  if (depth === 0) return compare
  const below = Object.entries(STEPS[holder] ?? {}).flatMap(([name, next]) => [
    filterOf(next, depth - 1).map((value) => ({ [name]: value })),
    yes.map((value) => ({ [name]: { $null: value } })),
  ])
  const inner = filterOf(holder, depth - 1)
  return fc.oneof(
    compare,
    ...below,
    ...below,
    inner.map((value) => ({ $not: value })),
    fc.tuple(inner, inner).map((list) => ({ $or: list })),
    fc.tuple(inner, inner).map((list) => ({ $and: list })),
  )
}

/** Up to three relations and components, and the attribute at the end. */
function pathOf(holder: string, depth: number): fc.Arbitrary<string> {
  const next = Object.entries(STEPS[holder] ?? {})
  if (depth === 0 || next.length === 0) return fc.constant('rank')
  return fc.oneof(
    fc.constant('rank'),
    ...next.map(([name, to]) => pathOf(to, depth - 1).map((rest) => `${name}.${rest}`)),
  )
}

/** Only one of the keys may end in a list of components. */
const sortOf = (holder: string): fc.Arbitrary<readonly string[]> =>
  fc
    .uniqueArray(
      fc.tuple(pathOf(holder, 3), fc.constantFrom('asc', 'desc')).map((pair) => pair.join(':')),
      { maxLength: 2, selector: (text) => text.split(':')[0] },
    )
    .filter((keys) => keys.filter((key) => /links\.(rank|inner)/.test(key)).length < 2)

/** What an attribute leads to: the elements of a component, or the documents that there are. */
function reach(all: Data, holder: string, from: Stored, name: string): readonly Stored[] {
  const to = STEPS[holder]?.[name] ?? ''
  if (to === 'link' || to === 'inner') return toList(from[name]) as readonly Stored[]
  const target = NAMES.find((each) => each === to)
  if (target === undefined) throw new Error(`${holder} has no ${name}`)
  if (name === 'books') {
    const attribute = holder === 'tag' ? 'tags' : 'author'
    return all.book.filter((book) => toList(book[attribute]).includes(from['documentId']))
  }
  return all[target].filter(({ documentId }) => toList(from[name]).includes(documentId))
}

function toList(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function meets(all: Data, holder: string, row: Stored, filter: Stored): boolean {
  return Object.entries(filter).every(([key, value]) => {
    const conditions = value as Stored
    if (key === '$not') return !meets(all, holder, row, conditions)
    if (key === '$or' || key === '$and') {
      const branches = (value as readonly Stored[]).map((each) => meets(all, holder, row, each))
      return key === '$or' ? branches.includes(true) : !branches.includes(false)
    }
    if (key === 'rank') return meetsRank(row['rank'] ?? null, conditions)
    const related = reach(all, holder, row, key)
    if ('$null' in conditions) return (related.length === 0) === (conditions['$null'] === 'true')
    const next = STEPS[holder]?.[key] ?? ''
    return related.some((each) => meets(all, next, each, conditions))
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
 * Null, and what is not there, come first ascending: the lowest counts, or the highest. A relation of a
 * component leads to the targets of all of its elements together.
 */
function sortValue(
  all: Data,
  holder: string,
  rows: readonly Stored[],
  { path: [name = '', ...rest], pick }: { path: readonly string[]; pick: typeof Math.min },
): number {
  if (rows.length === 0) return -1
  if (rest.length === 0) return pick(...rows.map((row) => (row['rank'] ?? -1) as number))
  const next = STEPS[holder]?.[name] ?? ''
  const then = { path: rest, pick }
  const isTogether = holder === 'link' && next === 'tag'
  const groups = rows.map((row) => reach(all, holder, row, name))
  if (isTogether) return sortValue(all, next, groups.flat(), then)
  return pick(...groups.map((group) => sortValue(all, next, group, then)))
}

function inOrder(
  all: Data,
  name: Name,
  rows: readonly Stored[],
  sort: readonly string[],
): readonly Stored[] {
  const keys = sort.map((text) => {
    const [path = '', direction] = text.split(':')
    const isDown = direction === 'desc'
    const asked = { path: path.split('.'), pick: isDown ? Math.max : Math.min }
    return (row: Stored): number => sortValue(all, name, [row], asked) * (isDown ? -1 : 1)
  })
  const byId = (row: Stored): number => Number(row['id'])
  return rows.toSorted(
    (left, right) =>
      [...keys, byId].map((key) => key(left) - key(right)).find((order) => order !== 0) ?? 0,
  )
}

describe('filters and sorts through relations, beside a search in memory', () => {
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
      await collection.insertMany(
        all[name].map((row) => ({ ...row, _id: `${String(row['documentId'])}::published` })),
      )
    }
  }

  const find = async (
    name: Name,
    query: Stored,
    relatedLimit = test.database.relatedLimit,
  ): Promise<{ readonly ids: readonly number[]; readonly total: number | null }> => {
    const parsed = parseQuery(query, planOf(name), rulesWith('en'))
    const { versions, total } = await findPage({ ...test.database, relatedLimit }, parsed)
    return { ids: versions.map(({ id }) => id), total }
  }

  /** Null where elements of a component would have to look documents up, which is refused. */
  const findLookingUp = async (
    name: Name,
    query: Stored,
    relatedLimit: number,
  ): Promise<Awaited<ReturnType<typeof find>> | null> => {
    try {
      return await find(name, query, relatedLimit)
    } catch (error) {
      if (error instanceof ValidationError && error.message.includes('too many')) return null
      throw error
    }
  }

  it('finds, counts and orders the same entries', async function () {
    this.timeout(60_000)
    const asked = fc.constantFrom(...NAMES).chain((name) =>
      fc.record({
        name: fc.constant(name),
        queries: fc.array(fc.record({ filters: filterOf(name, 3), sort: sortOf(name) }), {
          minLength: 1,
          maxLength: 10,
        }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(data, asked, async (all, { name, queries }) => {
        await fill(all)
        for (const { filters, sort } of queries) {
          const { ids, total } = await find(name, { filters, sort })
          const met = all[name].filter((row) => meets(all, name, row, filters))
          const ordered = inOrder(all, name, met, sort)
          const what = JSON.stringify({ filters, sort })
          expect(ids, what).to.deep.equal(ordered.map(({ id }) => id))
          expect(total, what).to.equal(met.length)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('answers the same where related documents are too many to name, and are looked up', async function () {
    this.timeout(60_000)
    const asked = fc
      .constantFrom(...NAMES)
      .chain((name) => fc.record({ name: fc.constant(name), filters: filterOf(name, 3) }))
    await fc.assert(
      fc.asyncProperty(data, asked, fc.nat(2), async (all, { name, filters }, limit) => {
        await fill(all)
        const named = await find(name, { filters })
        const lookedUp = await findLookingUp(name, { filters }, limit)
        if (lookedUp !== null) expect(lookedUp, JSON.stringify(filters)).to.deep.equal(named)
      }),
      { numRuns: 100 },
    )
  })

  it('names each entry once, however many related ones lead to it', async function () {
    this.timeout(60_000)
    const many = 50_010
    const author = (index: number): Stored => ({
      rank: index,
      tag: null,
      id: index + 1,
      documentId: documentIdOf('author', index),
      locale: null,
      status: 'published',
    })
    await fill({ book: [BOOK], author: [author(0), author(1)], tag: [author(2)] })
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

const BOOK: Stored = {
  rank: 1,
  author: null,
  tags: [],
  seo: null,
  links: [],
  documentId: 'book',
  locale: null,
  status: 'published',
}
