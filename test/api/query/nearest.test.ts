import { expect } from 'chai'
import * as fc from 'fast-check'
import { stringify } from 'qs'
import type { Location } from '../../../src/schema/values/location.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const DEGREE = Math.PI / 180
const RADIUS = 6_371_008.8

/** By the angle between two vectors, unlike the code under test. In meters. */
function distance(one: Location, other: Location): number {
  const vector = ({ latitude, longitude }: Location): readonly [number, number, number] => {
    const [up, along] = [latitude * DEGREE, longitude * DEGREE]
    return [Math.cos(up) * Math.cos(along), Math.cos(up) * Math.sin(along), Math.sin(up)]
  }
  const [a, b, c] = vector(one)
  const [x, y, z] = vector(other)
  const cross = Math.hypot(b * z - c * y, c * x - a * z, a * y - b * x)
  return RADIUS * Math.atan2(cross, a * x + b * y + c * z)
}

const TYPES = {
  shop: declare(
    'shop',
    {
      name: { type: 'string' },
      kind: { type: 'enumeration', enum: ['cafe', 'store'] },
      at: { type: 'location' },
      branch: { type: 'component', component: 'shared.branch' },
      branches: { type: 'component', component: 'shared.branch', repeatable: true },
      visits: {
        type: 'relation',
        relation: 'oneToMany',
        target: 'api::visit.visit',
        mappedBy: 'shop',
      },
    },
    { draftAndPublish: true },
  ),
  visit: declare('visit', {
    shop: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::shop.shop',
      inversedBy: 'visits',
    },
  }),
  stop: declare(
    'stop',
    {
      name: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      at: { type: 'location', pluginOptions: { i18n: { localized: true } } },
    },
    { localized: true },
  ),
  'components/shared/branch': { attributes: { at: { type: 'location' } } },
  'queries/shops-near': {
    type: 'shop',
    parameters: {
      latitude: { type: 'float', required: true },
      longitude: { type: 'float', required: true },
      cursor: { type: 'string', default: '' },
    },
    filters: {
      at: {
        $near: {
          latitude: { $param: 'latitude' },
          longitude: { $param: 'longitude' },
          maxDistance: 900_000,
        },
      },
    },
    fields: ['name'],
    sort: 'at:near',
    pagination: { cursor: { $param: 'cursor' }, pageSize: 3 },
  },
}

/** Few of them, so that several shops have equal distances. */
const SPOTS: readonly Location[] = [
  { latitude: 52.52, longitude: 13.405 },
  { latitude: 52.53, longitude: 13.405 },
  { latitude: -18.14, longitude: 178.44 },
  { latitude: -18.14, longitude: -179.9 },
  { latitude: 90, longitude: 0 },
  { latitude: -89.9, longitude: 120 },
  { latitude: 0, longitude: 180 },
]

const degrees = (limit: number): fc.Arbitrary<number> =>
  fc.integer({ min: -limit * 1000, max: limit * 1000 }).map((steps) => steps / 1000)
const locations: fc.Arbitrary<Location> = fc.oneof(
  fc.constantFrom(...SPOTS),
  fc.record({ latitude: degrees(90), longitude: degrees(180) }),
)

interface Shop {
  readonly id: number
  readonly name: string
  readonly kind: string
  readonly at: Location | null
  readonly branch: { readonly at: Location | null } | null
}

describe('an order by distance', () => {
  let server: TestServer
  let shops: readonly Shop[]

  before(async () => {
    server = await serve('nearest', { contentTypes: TYPES, locales: ['de'] })
    const given = fc.sample(
      fc.record({
        kind: fc.constantFrom('cafe', 'store'),
        at: fc.option(locations, { freq: 8 }),
        branch: fc.option(fc.record({ at: fc.option(locations) })),
      }),
      { numRuns: 90, seed: 37 },
    )
    const created: Shop[] = []
    for (const [index, data] of given.entries()) {
      const { status, body, text } = await server.post('/api/shops?populate=branch', {
        name: `Shop ${index}`,
        ...data,
      })
      expect(status, text).to.equal(201)
      created.push(body.data)
    }
    await server.post('/api/shops?status=draft', { name: 'Draft', at: SPOTS[0] })
    shops = created
  })

  after(() => server.close())

  const read = async (query: object): Promise<Json> => {
    const { status, body, text } = await server.get(
      `/api/shops?${stringify(query, { encodeValuesOnly: true })}`,
    )
    expect(status, text).to.equal(200)
    return body
  }

  /** Null for a shop whose distance is too close to the limit to know its side. */
  const naive = (center: Location, maxDistance: number | undefined, found: readonly Shop[]) =>
    found
      .flatMap(({ id, name, at }) =>
        at === null ? [] : [{ id, name, away: distance(at, center) }],
      )
      .filter(({ away }) => maxDistance === undefined || away <= maxDistance)
      .map((one) => ({ ...one, rounded: Math.round(one.away * 100) }))
      .sort((one, other) => one.rounded - other.rounded || one.id - other.id)

  const assertSame = (
    expected: ReturnType<typeof naive>,
    data: readonly Shop[],
    distances: readonly number[],
  ): void => {
    expect(data.map(({ name }) => name)).to.deep.equal(expected.map(({ name }) => name))
    expect(distances).to.have.length(data.length)
    for (const [index, { away }] of expected.entries()) {
      expect(distances[index]).to.be.closeTo(away, 0.01)
    }
  }

  const limits = fc.option(
    fc.double({ min: 2, max: 7.4, noNaN: true }).map((power) => 10 ** power),
    {
      nil: undefined,
    },
  )

  it('lists the same entries as a scan of all of them, in pages and by cursor', async () => {
    await fc.assert(
      fc.asyncProperty(
        locations,
        limits,
        fc.constantFrom(undefined, 'cafe'),
        fc.integer({ min: 4, max: 40 }),
        async (center, maxDistance, kind, pageSize) => {
          const among = shops.filter((shop) => kind === undefined || shop.kind === kind)
          const all = naive(center, maxDistance, among)
          const isUnsure = naive(center, undefined, among).some(
            ({ away }) =>
              maxDistance !== undefined &&
              Math.abs(away - maxDistance) <= 0.001 * maxDistance + 0.1,
          )
          fc.pre(!isUnsure)
          const filters = {
            at: { $near: { ...center, maxDistance } },
            ...(kind !== undefined && { kind }),
          }
          const query = { filters, sort: 'at:near', fields: ['name'] }
          const page = await read({ ...query, pagination: { page: 2, pageSize } })
          assertSame(all.slice(pageSize, 2 * pageSize), page.data, page.meta.distances)
          expect(page.meta.pagination.total).to.equal(all.length)
          const data: Shop[] = []
          const distances: number[] = []
          for (let cursor: string | null = ''; cursor !== null;) {
            const { data: some, meta } = await read({ ...query, pagination: { cursor, pageSize } })
            data.push(...some)
            distances.push(...meta.distances)
            cursor = meta.pagination.nextCursor
          }
          assertSame(all, data, distances)
        },
      ),
      { numRuns: modelRuns('NEAREST_RUNS', 15, 300) },
    )
  })

  it('sorts by the location of a component', async () => {
    const center = { latitude: 10, longitude: 10 }
    const { data, meta } = await read({
      filters: { branch: { at: { $near: center } } },
      sort: { 'branch.at': 'near' },
      pagination: { pageSize: 100 },
    })
    const all = naive(
      center,
      undefined,
      shops.map((shop) => ({ ...shop, at: shop.branch?.at ?? null })),
    )
    assertSame(all, data, meta.distances)
  })

  it('measures the shown locale, also if another one is closer', async () => {
    const { body } = await server.post('/api/stops', {
      name: 'far',
      at: { latitude: 60, longitude: 0 },
    })
    const path = `/api/stops/${body.data.documentId}?locale=de`
    await server.put(path, { name: 'close', at: { latitude: 0, longitude: 0 } })
    const read = async (query: string): Promise<Json> =>
      (
        await server.get(
          `/api/stops?filters[at][$near][latitude]=0&filters[at][$near][longitude]=0&sort=at:near&${query}`,
        )
      ).body
    const both = await read('locale=en&fallbackLocale=de')
    expect(both.data.map(({ name }: Json) => name)).to.deep.equal(['far'])
    expect(both.meta.distances[0]).to.be.greaterThan(6_000_000)
    const german = await read('locale=de&fallbackLocale=en')
    expect(german.meta.distances).to.deep.equal([0])
    const all = await read('locale=*')
    expect(all.data.map(({ name }: Json) => name)).to.deep.equal(['close', 'far'])
  })

  it('works in a named query, whose cursor belongs to one point', async () => {
    const at = `latitude=52.52&longitude=13.405`
    const { body, text } = await server.get(`/api/_q/shops-near?${at}`)
    expect(body.data, text).to.have.length(3)
    expect(body.meta.distances[0]).to.equal(0)
    const cursor = encodeURIComponent(body.meta.pagination.nextCursor)
    const next = await server.get(`/api/_q/shops-near?${at}&cursor=${cursor}`)
    expect(next.status, next.text).to.equal(200)
    expect(next.body.data[0].name).not.to.equal(body.data[0].name)
    const other = await server.get(`/api/_q/shops-near?latitude=1&longitude=2&cursor=${cursor}`)
    expect([other.status, other.body.error.message]).to.deep.equal([
      400,
      'pagination[cursor]: belongs to another order; start with an empty cursor',
    ])
  })

  it('is refused without one point of the same attribute, and beside other keys', async () => {
    const near = 'filters[at][$near][latitude]=1&filters[at][$near][longitude]=1'
    for (const [query, message] of [
      ['sort=at:near', /^sort: at:near needs the point of filters\[at\]\[\$near\]/],
      [`sort=branch.at:near&${near}`, /^sort: branch\.at:near needs the point/],
      ['sort=at:near&filters[at][$notNull]=true', /needs the point/],
      [`sort=at:near&${near.replaceAll('[at]', '[$or][0][at]')}&filters[$or][1][name]=x`, /\$or/],
      [`sort=at:near&${near.replaceAll('[at]', '[$not][at]')}`, /\$not/],
      [
        `sort=at:near&${near}&${near.replaceAll('[at]', '[$and][0][at]')}`,
        /^sort: at:near needs only one filters\[at\]\[\$near\]/,
      ],
      [`sort=at:near,name&${near}`, /^sort: near has no other keys beside it/],
      [`sort[0]=name&sort[1]=at:near&${near}`, /^sort: near has no other keys/],
      [`sort=name:near&${near}`, /^Invalid key name/],
      [`sort=nope:near&${near}`, /^Invalid key nope/],
      [`sort=at.x:near&${near}`, /^Invalid key at/],
      [`sort=branches.at:near&${near}`, /^Invalid key branches/],
      [`sort=visits.shop:near&${near}`, /^Invalid key visits/],
      [`sort=at&${near}`, /^Invalid key at: only a list sorts by a location, with near$/],
      [
        `sort=at:near&${near}&pagination[page]=1000&pagination[pageSize]=100`,
        /^pagination: .*cursor/,
      ],
      [`sort=at:near&${near}&pagination[start]=2147483647&pagination[limit]=9`, /^pagination: /],
      [
        `populate[visits][sort]=id&populate[visits][populate][shop][sort]=at:near`,
        /Invalid key at/,
      ],
    ] as const) {
      const { status, body, text } = await server.get(`/api/shops?${query}`)
      expect(status, `${query} ${text}`).to.equal(400)
      expect(body.error.message, query).to.match(message)
    }
  })
})
