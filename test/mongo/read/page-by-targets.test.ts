import { expect } from 'chai'
import * as fc from 'fast-check'
import { Decimal128 } from 'mongodb'
import { findPage } from '../../../src/mongo/read/read-versions.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import { versionId } from '../../../src/mongo/versions/version-match.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import type { VersionKey } from '../../../src/query/query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { AttributeDefinition } from '../../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { component, contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const to = (name: string): AttributeDefinition => ({
  type: 'relation',
  relation: 'manyToOne',
  target: `api::${name}.${name}`,
})

/** A visit leads to a city with drafts and locales. A city leads to a region with drafts only. */
const { contentTypes: PLANS } = compileSchema({
  contentTypes: [
    contentType(
      'visit',
      { draftAndPublish: true, localized: true },
      {
        rank: { type: 'integer' },
        city: to('city'),
        trip: { type: 'component', component: 'travel.trip' },
      },
    ),
    contentType(
      'city',
      { draftAndPublish: true, localized: true },
      { rank: { type: 'integer' }, price: { type: 'decimal' }, region: to('region') },
    ),
    contentType(
      'region',
      { draftAndPublish: true, localized: false },
      { rank: { type: 'integer' }, day: { type: 'date' } },
    ),
  ],
  components: [component('travel.trip', { city: to('city') })],
})

const planOf = (name: string): ContentTypePlan => {
  const plan = PLANS.get(`api::${name}.${name}`)
  if (plan === undefined) throw new Error(`${name} was not compiled`)
  return plan
}

type Stored = Readonly<Record<string, unknown>>
type Data = Readonly<Record<'visit' | 'city' | 'region', readonly Stored[]>>

const STATUSES = ['draft', 'published'] as const
const rank = fc.option(fc.nat(2), { nil: null })
const idOf = (name: string, index: number): string => `${name.padEnd(23, '0')}${index}`

/** Generates versions of `count` documents. Relations may refer to missing documents. */
function versionsIn(
  name: string,
  count: number,
  locales: readonly string[],
  attributes: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<readonly Stored[]> {
  const keys = Array.from({ length: count }, (_, index) =>
    locales.flatMap((locale) =>
      STATUSES.map((status) => ({ documentId: idOf(name, index), locale, status })),
    ),
  ).flat()
  return fc
    .tuple(
      ...keys.map((key) => fc.option(fc.record(attributes).map((has) => ({ ...has, ...key })))),
    )
    .map((versions) =>
      versions.flatMap((version, index) => (version === null ? [] : [{ ...version, id: index }])),
    )
}

const oneOf = (name: string, count: number): fc.Arbitrary<string | null> =>
  fc.option(
    fc.nat(count).map((index) => idOf(name, index)),
    { nil: null },
  )

const data: fc.Arbitrary<Data> = fc.record({
  visit: versionsIn('visit', 6, ['en', 'fr'], {
    rank,
    city: oneOf('city', 4),
    trip: fc.option(fc.record({ id: fc.constant(1), city: oneOf('city', 4) }), { nil: null }),
  }),
  city: versionsIn('city', 4, ['en', 'fr'], { rank, region: oneOf('region', 3) }),
  region: versionsIn('region', 3, [''], { rank }),
})

const PATHS = ['rank', 'city.rank', 'city.region.rank', 'trip.city.rank', 'trip.city.region.rank']

const asked = fc.record({
  sort: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom('asc', 'desc')), {
      minLength: 1,
      maxLength: 3,
      selector: ([path]) => path,
    })
    .map((keys) => keys.map((key) => key.join(':'))),
  locale: fc.constantFrom('en', 'fr', '*'),
  status: fc.constantFrom(...STATUSES),
  pagination: fc.record({
    start: fc.nat(8).map(String),
    limit: fc.integer({ min: 1, max: 12 }).map(String),
  }),
})

/** Returns the target version that an entry shows. */
function shown(all: Data, name: 'city' | 'region', from: Stored, documentId: unknown): Stored {
  const target = all[name].find(
    (version) =>
      version['documentId'] === documentId &&
      version['status'] === from['status'] &&
      version['locale'] === (name === 'city' ? from['locale'] : ''),
  )
  return target ?? {}
}

/** Null sorts below all values. */
function valueAt(all: Data, visit: Stored, path: string): number {
  const parts = path.split('.')
  let at: Stored = visit
  for (const name of parts.slice(0, -1)) {
    at =
      name === 'trip'
        ? { ...((at['trip'] ?? {}) as Stored), status: at['status'], locale: at['locale'] }
        : // A target has the status and locale of the entry. A region has no locale.
          shown(all, name as 'city' | 'region', at, at[name])
  }
  return (at['rank'] ?? -1) as number
}

function inOrder(all: Data, visits: readonly Stored[], sort: readonly string[]): readonly Stored[] {
  const keys = sort.map((text) => {
    const [path = '', direction] = text.split(':')
    return (visit: Stored): number => valueAt(all, visit, path) * (direction === 'desc' ? -1 : 1)
  })
  const last = sort.at(-1)?.endsWith(':desc') === true ? -1 : 1
  const byId = ({ id }: Stored): number => Number(id) * last
  return visits.toSorted(
    (one, other) =>
      [...keys, byId].map((key) => key(one) - key(other)).find((order) => order !== 0) ?? 0,
  )
}

describe('pages of a list sorted by a relation', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('page_by_targets')
  })

  after(() => test.drop())

  async function fill(all: Data): Promise<void> {
    for (const [name, versions] of Object.entries(all)) {
      const collection = versionsOf(test.database, planOf(name))
      await collection.deleteMany({})
      const stored = versions.map((version) => ({
        ...version,
        _id: versionId(version['documentId'] as string, version as unknown as VersionKey),
      }))
      if (stored.length > 0) await collection.insertMany(stored)
    }
  }

  it('contain the entries in order for every locale and status, with both strategies', async () => {
    await fc.assert(
      fc.asyncProperty(
        data,
        fc.array(asked, { minLength: 1, maxLength: 10 }),
        async (all, queries) => {
          await fill(all)
          for (const query of queries) {
            const parsed = parseQuery(query, planOf('visit'), rulesWith('en', 'fr'))
            const met = all.visit.filter(
              ({ locale, status }) =>
                status === query.status && (query.locale === '*' || locale === query.locale),
            )
            const start = Number(query.pagination.start)
            const expected = inOrder(all, met, query.sort)
              .slice(start, start + Number(query.pagination.limit))
              .map(({ id }) => id)
            for (const relatedLimit of [test.database.relatedLimit, 0]) {
              const page = await findPage({ ...test.database, relatedLimit }, parsed)
              const what = JSON.stringify({ ...query, relatedLimit })
              expect(
                page.versions.map(({ id }) => id),
                what,
              ).to.deep.equal(expected)
              expect(page.total, what).to.equal(met.length)
            }
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  const visit = (id: number, city: unknown): Stored => ({
    id,
    documentId: idOf('visit', id),
    locale: 'en',
    status: 'published',
    city,
  })
  const city = (index: number, price: unknown): Stored => ({
    id: index,
    documentId: idOf('city', index),
    locale: 'en',
    status: 'published',
    price,
  })

  async function idsBy(sort: string): Promise<readonly number[]> {
    const query = parseQuery({ sort }, planOf('visit'), rulesWith('en', 'fr'))
    return (await findPage(test.database, query)).versions.map(({ id }) => id)
  }

  it('treat equal decimals in different notations as ties', async () => {
    const prices = ['0.10', '-3', '0.1'].map((text) => Decimal128.fromString(text))
    await fill({
      visit: [0, 1, 2, 0, 3, null, 2].map((index, id) =>
        visit(id, index === null ? null : idOf('city', index)),
      ),
      city: [...prices, undefined].map((price, index) => city(index, price)),
      region: [],
    })
    expect(await idsBy('city.price')).to.deep.equal([4, 5, 1, 0, 2, 3, 6])
    expect(await idsBy('city.price:desc,id:desc')).to.deep.equal([6, 3, 2, 0, 1, 5, 4])
  })

  it('look up the targets of a to-one relation that was to-many before', async () => {
    await fill({
      visit: [
        visit(0, [idOf('city', 1), idOf('city', 2)]),
        visit(1, idOf('city', 0)),
        visit(2, []),
      ],
      city: [2, 3, 1].map((price, index) => city(index, price)),
      region: [],
    })
    expect(await idsBy('city.price')).to.deep.equal([2, 0, 1])
    expect(await idsBy('city.price:desc')).to.deep.equal([0, 1, 2])
  })
})
