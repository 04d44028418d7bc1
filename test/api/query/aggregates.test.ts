import { expect } from 'chai'
import * as fc from 'fast-check'
import { stringify } from 'qs'
import { modelRuns } from '../../support/model-runs.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import {
  AGGREGATES,
  CANARY,
  KEYS,
  ORDERED,
  orNull,
  QUERIES,
  RELATIONS,
  TYPES,
  VALUES,
} from './aggregate-world.ts'
import { type DeclaredAggregate, groupEntries, nameOfKey } from './group-entries.ts'
import { addEntry, addMember, setRules } from '../people/rules-world.ts'

describe('an aggregate', () => {
  let server: TestServer
  let ann: string
  const hidden: string[] = []

  before(async () => {
    server = await serve('aggregates', {
      contentTypes: {
        ...TYPES,
        ...QUERIES,
        'queries/open-groups': {
          type: 'item',
          rules: 'none',
          aggregate: { groupBy: ['category'], count: true, max: ['size'] },
        },
        'queries/secret-sums': {
          type: 'item',
          rules: 'caller',
          aggregate: { groupBy: ['kind'], sum: ['secret'] },
        },
        'queries/by-day': { type: 'day', aggregate: { groupBy: ['on:day'], count: true } },
        'queries/many-groups': {
          type: 'note',
          aggregate: { groupBy: ['createdAt:day', 'item'], count: true },
          rules: 'caller',
        },
      },
      locales: ['de'],
      environment: { RATE_LIMIT: 'off' },
    })
    const categories: string[] = []
    for (const name of ['one', 'two', 'draft', 'canary']) {
      const status = name === 'draft' ? '?status=draft' : ''
      const { documentId } = await addEntry(server, `/api/categorys${status}`, { name })
      categories.push(documentId)
    }
    const german = await server.put(`/api/categorys/${categories[0]}?locale=de`, { name: 'eins' })
    expect(german.status, german.text).to.equal(200)
    const tags: string[] = []
    for (const isHidden of [false, false, true, true, null]) {
      tags.push((await addEntry(server, '/api/tags', { isHidden })).documentId)
    }
    hidden.push(String(categories[3]), String(tags[2]), String(tags[3]))
    const links = fc.record({
      category: orNull(fc.constantFrom(...categories.slice(0, 3))),
      tags: fc.subarray(tags),
    })
    const given = fc.sample(fc.tuple(VALUES, links, VALUES, fc.integer({ min: 0, max: 9 })), {
      numRuns: 30,
      seed: 37,
    })
    for (const [values, linked, german, chance] of given) {
      const status = chance === 0 ? '?status=draft' : ''
      const item = await addEntry(server, `/api/items${status}`, { ...values, ...linked })
      const path = `/api/items/${item.documentId}`
      if (chance > 5) await server.put(`${path}?locale=de`, { ...german, ...linked })
      if (chance === 3) await server.put(`${path}?status=draft`, german)
      for (let count = 0; count < chance % 3; count += 1) {
        const text = count === 0 ? 'note' : 'canary'
        await addEntry(server, '/api/notes', { text, item: item.documentId })
      }
    }
    await addEntry(server, '/api/items', {
      ...CANARY,
      category: categories[3],
      tags: tags.slice(2, 4),
    })
    ann = (await addMember(server, 'ann')).token
    await setRules(server, 'public', [], ['query::open-groups'])
    await setRules(
      server,
      'authenticated',
      [
        {
          action: 'api::item.item.find',
          where: { $or: [{ kind: { $ne: 'hidden' } }, { kind: { $null: true } }] },
          fields: [...new Set([...KEYS.map(nameOfKey), ...ORDERED])],
        },
        { action: 'api::tag.tag.find', where: { isHidden: { $ne: true } } },
        { action: 'api::note.note.find', where: { text: { $ne: 'canary' } } },
      ],
      [
        'api::category.category.find',
        'query::secret-sums',
        ...AGGREGATES.map((_, index) => `query::groups-${index}`),
      ],
    )
  })

  after(() => server.close())

  const read = async (path: string, query: object, token: string | undefined): Promise<Json> => {
    const { status, body, text } = await server.get(
      `${path}?${stringify(query, { encodeValuesOnly: true })}`,
      token === undefined ? {} : { token },
    )
    expect(status, text).to.equal(200)
    return body
  }

  const callers = fc.oneof(
    fc.record({
      isAnn: fc.constant(true),
      status: fc.constant(undefined),
      publicationFilter: fc.constant(undefined),
    }),
    fc.record({
      isAnn: fc.constant(false),
      status: fc.constantFrom('draft', 'published'),
      publicationFilter: fc.constantFrom(undefined, undefined, 'modified', 'never-published'),
    }),
  )

  it('returns the groups of a scan of all entries that the caller sees', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: AGGREGATES.length - 1 }),
        callers,
        fc.constantFrom({}, { locale: 'en' }, { locale: 'de' }, FALLBACK),
        fc.constantFrom(undefined, 'a', 'hidden'),
        fc.constantFrom(undefined, undefined, 'true', 'false'),
        async (index, { isAnn, status, publicationFilter }, locale, kind, isHidden) => {
          const token = isAnn ? ann : undefined
          const version = { ...locale, status, publicationFilter }
          const found = await read(
            `/api/_q/groups-${index}`,
            { ...version, kind, open: isHidden },
            token,
          )
          const filters = { kind, ...(isHidden !== undefined && { tags: { isHidden } }) }
          const populate = Object.fromEntries(
            RELATIONS.map((name) => [name, { fields: ['documentId'] }]),
          )
          const { data } = await read(
            '/api/items',
            { ...version, filters, populate, pagination: { pageSize: 100 } },
            token,
          )
          expect(found.meta).to.deep.equal({ capped: false })
          assertSame(found.data, groupEntries(data, AGGREGATES[index] as DeclaredAggregate))
        },
      ),
      { numRuns: modelRuns('AGGREGATE_RUNS', 40, 600) },
    )
  })

  it('contains no value of a hidden entry or target', async () => {
    for (const [index] of AGGREGATES.entries()) {
      for (const locale of ['en', 'de']) {
        const { text } = await server.get(`/api/_q/groups-${index}?locale=${locale}`, {
          token: ann,
        })
        for (const value of [...hidden, '2999-12', '-987654', '987654.', '9876543210', 'hidden']) {
          expect(text).to.not.include(value)
        }
      }
    }
  })

  it('shows everything published with rules none, and nothing of drafts', async () => {
    const { data } = await read('/api/_q/open-groups', {}, undefined)
    const open = await server.get('/api/_q/open-groups', { token: null })
    expect(open.body.data).to.deep.equal(data)
    expect(open.body.data.map(({ group }: Json) => group.category)).to.include(hidden[0])
    const draft = await server.get('/api/_q/open-groups?status=draft', { token: null })
    expect(draft.status).to.equal(403)
  })

  it('refuses attributes that a rule hides like private ones', async () => {
    const { status, body } = await server.get('/api/_q/secret-sums', { token: ann })
    expect([status, body.error.message]).to.deep.equal([400, 'Invalid key secret'])
    expect((await server.get('/api/_q/secret-sums')).status).to.equal(200)
  })

  it('cuts the groups after 1,000 and says so', async () => {
    const lines = Array.from({ length: 1_001 }, (_, day) => {
      const on = new Date(day * 86_400_000).toISOString().slice(0, 10)
      return JSON.stringify({ op: 'upsert', type: 'day', key: { name: on }, data: { on } })
    })
    const write = async (some: readonly string[]): Promise<void> => {
      const headers = { 'Content-Type': 'application/x-ndjson' }
      const { status, text } = await server.send('POST', '/api/_bulk', {
        headers,
        body: `${some.join('\n')}\n`,
      })
      expect(status, text).to.equal(200)
    }
    await write(lines.slice(0, 1_000))
    const all = await read('/api/_q/by-day', {}, undefined)
    expect([all.data.length, all.meta]).to.deep.equal([1_000, { capped: false }])
    await write(lines.slice(1_000))
    const cut = await read('/api/_q/by-day', {}, undefined)
    expect([cut.data.length, cut.meta]).to.deep.equal([1_000, { capped: true }])
    expect(cut.data).to.deep.equal(all.data)
    expect(cut.data[999].group).to.deep.equal({ on: '1972-09-26' })
  })

  it('needs find of the type and of each target', async () => {
    const { status } = await server.get('/api/_q/many-groups', { token: ann })
    expect(status).to.equal(403)
  })

  it('refuses unknown parameters, several locales and pages', async () => {
    for (const query of [
      'locale=*',
      'pagination[page]=2',
      'sort=kind',
      'populate=*',
      'groupBy=on',
    ]) {
      const { status } = await server.get(`/api/_q/groups-0?${query}`)
      expect(status, query).to.equal(400)
    }
  })

  it('changes its entity tag with the groups only', async () => {
    const path = '/api/_q/groups-0?kind=b'
    const before = await server.get(path)
    const tag = String(before.headers['etag'])
    const same = await server.send('GET', path, { headers: { 'if-none-match': tag } })
    expect(same.status).to.equal(304)
    await addEntry(server, '/api/items', { kind: 'a' })
    expect((await server.get(path)).headers['etag']).to.equal(tag)
    await addEntry(server, '/api/items', { kind: 'b' })
    const after = await server.send('GET', path, { headers: { 'if-none-match': tag } })
    expect(after.status).to.equal(200)
    expect(after.headers['etag']).to.not.equal(tag)
  })
})

const FALLBACK = { locale: 'de', fallbackLocale: 'en' }

/** Averages of big integers differ in the last digit from the quotient of two roundings. */
function assertSame(found: readonly Json[], expected: readonly Json[]): void {
  const rounded = (groups: readonly Json[]): unknown =>
    groups.map(({ avg, ...rest }) => {
      const { big, ...others } = avg
      return {
        ...rest,
        avg: { ...others, ...(big !== undefined && { big: big?.toPrecision(14) ?? null }) },
      }
    })
  expect(rounded(found), JSON.stringify([found, expected])).to.deep.equal(rounded(expected))
}
