import { expect } from 'chai'
import * as fc from 'fast-check'
import { distanceBetween } from '../../../src/query/distance.ts'
import { textOfAttribute } from '../../../src/query/text/entry-text.ts'
import type { AttributePlan } from '../../../src/schema/plan.ts'
import type { Location } from '../../../src/schema/values/location.ts'
import { planOf } from '../../fixtures/plans.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { FINDING_STORES, type FindingStores, type StorePage } from './finding-stores.ts'

const RUNS = modelRuns('SEARCH_RUNS', 300, 3_000)

const GAPS = [' ', '  ', ', ', '-', '\n', '. “', '?', '…']
const WORDS = [
  'Berg',
  'berge',
  'Eisberg',
  'café',
  'CAFE',
  'cafe\u0301',
  'Ünsal',
  'und',
  '水族館',
  'x2',
]
const PARTS = ['berg', 'BERGE', 'is', 'Cafe', 'fé', 'unsal', 'un', '族', '2', 'zebra', '"berg"']

const text = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...GAPS)), { maxLength: 5 })
  .map((all) => all.flat().join(''))
const words = fc
  .array(fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom(...GAPS)), { maxLength: 3 })
  .map((all) => all.flat().join(''))

const inlines = fc.array(
  fc.oneof(
    text.map((part) => ({ type: 'text', text: part })),
    fc.array(text, { maxLength: 2 }).map((texts) => ({
      type: 'link',
      url: 'https://zebra.example/berg',
      children: texts.map((part) => ({ type: 'text', text: part, bold: true })),
    })),
  ),
  { minLength: 1, maxLength: 3 },
)
const item = inlines.map((children) => ({ type: 'list-item', children }))
const list = fc
  .array(item, { minLength: 1, maxLength: 2 })
  .map((children) => ({ type: 'list', format: 'ordered', children: children as object[] }))
const blocks = fc.array(
  fc.oneof(
    inlines.map((children) => ({ type: 'paragraph', children })),
    list,
    fc.tuple(item, list).map(([one, nested]) => ({ ...nested, children: [one, nested] })),
    fc
      .record({ alternativeText: fc.option(text), caption: fc.option(text) })
      .map((image) => ({ type: 'image', image, children: [{ type: 'text', text: '' }] })),
  ),
  { maxLength: 4 },
)
const BODY = planOf({ attributes: { body: { type: 'blocks' } } }).attributes.get('body')

const place: fc.Arbitrary<Location> = fc.record({
  latitude: fc.constantFrom(-90, -18, -0.5, 10, 52, 52.5, 90),
  longitude: fc.constantFrom(-180, -179, 0, 13, 13.5, 20, 179, 180),
})

/** The body is a text or blocks. */
const page: fc.Arbitrary<StorePage> = fc.record({
  title: fc.option(text, { freq: 4 }),
  body: fc.option(fc.oneof(text, blocks, blocks), { freq: 4 }),
  note: text,
  at: fc.option(place, { freq: 4 }),
})

/** By letters, without the expressions of the store. */
function wordsOf(given: string | null): readonly string[] {
  const letters = Array.from((given ?? '').toLowerCase().normalize('NFD')).filter(
    (letter) => !/^\p{M}$/u.test(letter),
  )
  const found: string[] = ['']
  for (const letter of letters) {
    if (/^[\p{L}\p{N}]$/u.test(letter)) found.push(`${found.pop() ?? ''}${letter}`)
    else found.push('')
  }
  return found.filter((word) => word !== '')
}

/** The text that the server searches. */
function textOf(body: unknown): string | null {
  return Array.isArray(body)
    ? textOfAttribute(BODY as AttributePlan, body)
    : (body as string | null)
}

function scoreOf({ title, body }: StorePage, given: string): number {
  const parts = wordsOf(given)
  const weightOf = (all: readonly string[], part: string): number => {
    if (all.some((word) => word.startsWith(part))) return 2
    return all.some((word) => word.includes(part)) ? 1 : 0
  }
  const [titles, bodies] = [wordsOf(title), wordsOf(textOf(body))]
  return parts.reduce(
    (sum, part) => sum + 4 * weightOf(titles, part) + weightOf(bodies, part),
    parts.length === 0 ? 1 : 0,
  )
}

/** A condition on the location, with its definition. */
interface Area {
  readonly filters: object
  readonly center?: Location
  readonly holds: (at: Location) => boolean
}

const near: fc.Arbitrary<Area & { readonly center: Location }> = fc
  .tuple(place, fc.option(fc.constantFrom(0, 50_000, 2_000_000, 20_100_000)))
  .map(([center, maxDistance]) => ({
    filters: { at: { $near: { ...center, ...(maxDistance !== null && { maxDistance }) } } },
    center,
    holds: (at) => distanceBetween(at, center) <= (maxDistance ?? Infinity),
  }))

const circle: fc.Arbitrary<Area> = fc
  .tuple(place, fc.constantFrom(1, 60_000, 9_000_000))
  .map(([center, radius]) => ({
    filters: { at: { $within: { circle: { ...center, radius } } } },
    holds: (at) => distanceBetween(at, center) <= radius,
  }))

const box: fc.Arbitrary<Area> = fc.tuple(place, place).map(([one, other]) => {
  const [south, north] = [one.latitude, other.latitude].toSorted((a, b) => a - b) as [
    number,
    number,
  ]
  const [west, east] = [one.longitude, other.longitude]
  return {
    filters: { at: { $within: { box: { south, west, north, east } } } },
    holds: ({ latitude, longitude }) => {
      const isBetween = west <= longitude && longitude <= east
      const isAround = west > east && (west <= longitude || longitude <= east)
      return south <= latitude && latitude <= north && (isBetween || isAround)
    },
  }
})

/** The right angle is in the southwest. */
const triangle: fc.Arbitrary<Area> = fc
  .tuple(place, fc.constantFrom(10, 40), fc.constantFrom(10, 80))
  .map(([{ latitude, longitude }, height, width]) => {
    const points = [
      { latitude, longitude },
      { latitude, longitude: longitude + width },
      { latitude: latitude + height, longitude },
    ]
    return {
      filters: { at: { $within: { polygon: points } } },
      holds: (at) => {
        const [north, east] = [at.latitude - latitude, at.longitude - longitude]
        return north >= 0 && east >= 0 && north * width + east * height <= height * width
      },
    }
  })

interface Asked {
  readonly area: Area | null
  readonly isNegated: boolean
  readonly hasBody: boolean | null
  readonly isNearest: boolean
  readonly rank: string | null
  readonly pages: { readonly page: number; readonly pageSize: number } | null
}

const asked: fc.Arbitrary<Asked> = fc
  .record({
    area: fc.option(fc.oneof(near, near, circle, box, triangle), { freq: 4 }),
    isNegated: fc.constantFrom(false, false, false, true),
    hasBody: fc.constantFrom(null, null, null, true, false),
    isNearest: fc.boolean(),
    rank: fc.option(words),
    pages: fc.option(
      fc.record({ page: fc.constantFrom(1, 2), pageSize: fc.constantFrom(1, 2, 3) }),
    ),
  })
  .map((one) => {
    const mayOrder = one.area?.center !== undefined && !one.isNegated && one.rank === null
    return { ...one, isNearest: one.isNearest && mayOrder }
  })

function queryOf({ area, isNegated, hasBody, isNearest, rank, pages }: Asked): object {
  const conditions = [
    ...(area === null ? [] : [isNegated ? { $not: area.filters } : area.filters]),
    ...(hasBody === null ? [] : [{ body: { $notNull: hasBody } }]),
  ]
  const [only = {}, ...others] = conditions
  return {
    filters: others.length === 0 ? only : { $and: conditions },
    ...(isNearest && { sort: 'at:near' }),
    ...(rank !== null && { rank }),
    ...pages,
  }
}

/** The expected answer, by a scan. */
function findNaively(pages: readonly StorePage[], query: Asked) {
  const { area, isNegated, hasBody, isNearest, rank } = query
  const found = pages
    .map((one, id) => ({ id, one }))
    .filter(({ one: { at, body } }) => {
      const isIn = area === null || ((at ?? null) !== null && area.holds(at as Location))
      const isAsked = area === null || isIn !== isNegated
      return isAsked && (hasBody === null || (body !== null) === hasBody)
    })
    .map(({ id, one }) => {
      const distance = isNearest ? distanceBetween(one.at as Location, area?.center as Location) : 0
      return { id, distance, score: rank === null ? 1 : scoreOf(one, rank) }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.distance - b.distance || a.id - b.id)
  const { page: number, pageSize } = query.pages ?? { page: 1, pageSize: found.length }
  const shown = found.slice((number - 1) * pageSize, number * pageSize)
  return {
    ids: shown.map(({ id }) => id),
    total: found.length,
    pageCount: Math.ceil(found.length / Math.max(1, pageSize)),
    distances: isNearest ? shown.map(({ distance }) => distance) : null,
  }
}

for (const [name, open] of Object.entries(FINDING_STORES)) {
  describe(`the search and the places of a store in ${name}`, () => {
    let stores: FindingStores | null = null
    before(async function () {
      stores = await open()
      if (stores === null) this.skip()
    })
    after(() => stores?.close())

    it('are those of a scan, in texts and blocks', async () => {
      let [ranked, placed] = [0, 0]
      const property = fc.asyncProperty(
        fc.array(page, { maxLength: 8 }),
        fc.array(asked, { minLength: 4, maxLength: 8 }),
        async (pages, queries) => {
          const answers = (await stores?.ask(pages, queries.map(queryOf))) ?? []
          for (const [at, query] of queries.entries()) {
            const expected = findNaively(pages, query)
            expect(answers[at], JSON.stringify(queryOf(query))).to.deep.equal(expected)
            const isSome = expected.total > 0 && expected.total < pages.length
            if (isSome && query.rank !== null) ranked += 1
            if (isSome && query.area !== null) placed += 1
          }
        },
      )
      await fc.assert(property, { numRuns: Math.ceil(RUNS / 5) })
      expect(Math.min(ranked, placed), 'searches and areas with some pages').to.be.above(30)
    })

    it('applies filters, pages and the order of equal entries', async () => {
      const titles = ['Berg', 'Tal', 'Eisberg', 'Bergwerk', 'Bergbau']
      const pages = titles.map((title) => ({ title, body: null, note: 'berg' }))
      const query = { rank: 'berg', sort: 'title:desc' }
      const ask = (queries: readonly object[], type?: 'notes') =>
        stores?.ask(pages, queries, type) ?? Promise.resolve([])
      const [first, filtered] = await ask([
        { ...query, pageSize: 2 },
        { ...query, filters: { title: { $ne: 'Berg' } } },
      ])
      expect(first).to.deep.include({ ids: [3, 4], total: 4, pageCount: 2 })
      expect(filtered?.ids).to.deep.equal([3, 4, 2])
      const [none] = await ask([{ rank: 'berg' }], 'notes')
      expect(none?.ids).to.deep.equal([])
    })
  })
}
