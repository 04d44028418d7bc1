import { expect } from 'chai'
import * as fc from 'fast-check'
import { stringify } from 'qs'
import { addEntry, addMember, setRules } from '../people/rules-world.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const RELATION = { type: 'relation' }

const TYPES = {
  item: declare(
    'item',
    {
      title: { type: 'string', ...LOCALIZED },
      kind: { type: 'enumeration', enum: ['a', 'b', 'hidden'], alias: ['sort'], ...LOCALIZED },
      open: { type: 'boolean', ...LOCALIZED },
      size: { type: 'integer' },
      mood: { type: 'enumeration', enum: ['good', 'canary'] },
      secret: { type: 'boolean', private: true },
      category: { ...RELATION, relation: 'manyToOne', target: 'api::category.category' },
      badge: {
        ...RELATION,
        relation: 'oneToOne',
        target: 'api::badge.badge',
        mappedBy: 'item',
      },
      vault: { ...RELATION, relation: 'manyToOne', target: 'api::vault.vault' },
      tags: { ...RELATION, relation: 'manyToMany', target: 'api::category.category' },
      notes: { ...RELATION, relation: 'oneToMany', target: 'api::note.note', mappedBy: 'item' },
      crates: { ...RELATION, relation: 'manyToMany', target: 'api::vault.vault' },
    },
    { draftAndPublish: true, localized: true, search: { title: 1 } },
  ),
  category: declare(
    'category',
    { name: { type: 'string', ...LOCALIZED } },
    { draftAndPublish: true, localized: true },
  ),
  badge: declare('badge', {
    name: { type: 'string' },
    item: { ...RELATION, relation: 'oneToOne', target: 'api::item.item', inversedBy: 'badge' },
  }),
  note: declare('note', {
    name: { type: 'string' },
    item: { ...RELATION, relation: 'manyToOne', target: 'api::item.item', inversedBy: 'notes' },
  }),
  vault: declare('vault', { name: { type: 'string' } }),
  'queries/found': {
    type: 'item',
    rules: 'caller',
    parameters: { text: { type: 'string', required: true } },
    rank: { query: { $param: 'text' }, facets: ['category', 'kind'] },
    fields: ['title'],
  },
  'queries/found-vaults': {
    type: 'item',
    rules: 'caller',
    rank: { query: 'granite', facets: 'vault' },
    fields: ['title'],
  },
}

const RELATIONS = ['category', 'badge', 'tags', 'notes']
const FACETS = ['kind', 'open', 'sort', ...RELATIONS]

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })
const TITLES = ['Granite hills', 'granite', 'basalt and granite', 'basalt']
const VALUES = fc.record({
  title: fc.constantFrom(...TITLES),
  kind: orNull(fc.constantFrom('a', 'b')),
  open: orNull(fc.boolean()),
  size: fc.integer({ min: 0, max: 3 }),
})

describe('the facets of a search', () => {
  let server: TestServer
  let ann: string
  let hidden: string

  before(async () => {
    server = await serve('search_facets', {
      contentTypes: TYPES,
      locales: ['de'],
      environment: { RATE_LIMIT: 'off' },
    })
    const categories: string[] = []
    for (const name of ['one', 'two', 'draft', 'canary']) {
      const status = name === 'draft' ? '?status=draft' : ''
      categories.push((await addEntry(server, `/api/categorys${status}`, { name })).documentId)
    }
    hidden = String(categories[3])
    const german = await server.put(`/api/categorys/${categories[0]}?locale=de`, { name: 'eins' })
    expect(german.status, german.text).to.equal(200)
    const links = fc.record({
      category: orNull(fc.constantFrom(...categories)),
      tags: fc.shuffledSubarray(categories),
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
      await addInverse(item.documentId, chance)
    }
    await addHidden()
    ann = (await addMember(server, 'ann')).token
    const where = { $or: [{ kind: { $ne: 'hidden' } }, { kind: { $null: true } }] }
    const fields = ['title', 'kind', 'open', 'size', 'vault', 'crates', ...RELATIONS]
    await setRules(
      server,
      'authenticated',
      [
        { action: 'api::item.item.find', where, fields },
        { action: 'api::category.category.find', where: { name: { $ne: 'canary' } } },
        { action: 'api::badge.badge.find', where: { name: { $ne: 'canary' } } },
        { action: 'api::note.note.find', where: { name: { $ne: 'canary' } } },
      ],
      ['query::found', 'query::found-vaults'],
    )
    await server.indexed()
  })

  after(() => server.close())

  const addInverse = async (item: string, chance: number): Promise<void> => {
    const name = chance === 2 ? 'canary' : 'badge'
    if (chance < 5) await addEntry(server, '/api/badges', { name, item })
    for (const note of ['canary', name].slice(0, chance % 3)) {
      await addEntry(server, '/api/notes', { name: note, item })
    }
  }

  const addHidden = (): Promise<Json> =>
    addEntry(server, '/api/items', {
      title: 'granite',
      kind: 'hidden',
      category: hidden,
      tags: [hidden],
    })

  const totalOf = async (query: string): Promise<number> => {
    const { body } = await server.get(`/api/items?${query}&pagination[pageSize]=1`)
    return body.meta.pagination.total
  }

  const read = async (path: string, query: object, token: string | undefined): Promise<Json> => {
    const { status, body, text } = await server.get(
      `${path}?${stringify(query, { encodeValuesOnly: true })}`,
      token === undefined ? {} : { token },
    )
    expect(status, text).to.equal(200)
    return body
  }

  it('are the counts of a scan of all entries that the caller finds', async () => {
    const callers = fc.constantFrom(
      { isAnn: true, status: undefined },
      { isAnn: false, status: 'draft' },
      { isAnn: false, status: 'published' },
    )
    const versions = fc.constantFrom(
      { locale: 'en' },
      { locale: 'de' },
      { locale: 'de', fallbackLocale: 'en' },
    )
    const property = fc.asyncProperty(
      callers,
      versions,
      fc.constantFrom('granite', 'basalt', 'hil', '"and granite"', 'absent'),
      fc.constantFrom(undefined, { size: 1 }, { category: { name: { $ne: 'one' } } }),
      fc.subarray(FACETS, { minLength: 1, maxLength: 5 }),
      async ({ isAnn, status }, version, query, filters, facets) => {
        const token = isAnn ? ann : undefined
        const asked = { ...version, status, filters }
        const { meta } = await read(
          '/api/items',
          { ...asked, search: { query, facets: facets.join() }, pagination: { pageSize: 1 } },
          token,
        )
        const populate = Object.fromEntries(
          RELATIONS.map((name) => [name, { fields: ['documentId'] }]),
        )
        const all = { search: query, populate, pagination: { pageSize: 100 } }
        const { data } = await read('/api/items', { ...asked, ...all }, token)
        expect(meta.pagination.total).to.equal(data.length)
        expect(meta.search.facets).to.deep.equal(
          Object.fromEntries(facets.map((name) => [name, { counts: countValues(data, name) }])),
        )
      },
    )
    await fc.assert(property, { numRuns: modelRuns('SEARCH_RUNS', 40, 400) })
  })

  it('keep their counts when hidden entries are added', async () => {
    const query = { search: { query: 'granite', facets: 'kind,open,category,tags' } }
    const before = await read('/api/items', query, ann)
    const all = await totalOf('search=granite')
    for (let count = 0; count < 3; count += 1) await addHidden()
    await server.indexed()
    expect(await totalOf('search=granite')).to.equal(all + 3)
    const after = await read('/api/items', query, ann)
    expect(after).to.deep.equal(before)
    expect(JSON.stringify(after.meta.search)).to.not.include(hidden).and.not.include('"hidden"')
    const unruled = await read('/api/items', query, undefined)
    expect(JSON.stringify(unruled.meta.search)).to.include(hidden).and.include('"hidden"')
  })

  it('are part of named queries, under the rules of the caller', async () => {
    const { meta } = await read('/api/_q/found', { text: 'granite' }, ann)
    const asked = { search: { query: 'granite', facets: 'category,kind' } }
    const listed = await read('/api/items', asked, ann)
    expect(meta.search).to.deep.equal(listed.meta.search)
    expect(JSON.stringify(meta)).to.not.include(hidden)
    expect((await server.get('/api/_q/found-vaults', { token: ann })).status).to.equal(403)
  })

  it('refuse hidden attributes like unknown ones, and those with other values', async () => {
    for (const name of [
      'mood',
      'secret',
      'vault',
      'crates',
      'title',
      'size',
      'absent',
      '__proto__',
    ]) {
      const path = `/api/items?search[query]=granite&search[facets]=kind,${name}`
      const { status, body } = await server.get(path, { token: ann })
      expect([status, body.error?.message]).to.deep.equal([
        400,
        `search[facets]: ${name} has no facet`,
      ])
    }
  })

  const REFUSED: readonly (readonly [string, string])[] = [
    ['search[facets]=a,b,c,d,e,f', 'expected at most 5 attributes, such as category'],
    ['search[facets][kind]=a', 'expected at most 5 attributes, such as category'],
    ['search[facets]=', ' has no facet'],
    ['search[facets]=kind&locale=*', 'a search in several languages has no facets; use locale'],
    [
      'search[facets]=kind&filters[locale]=de',
      'a search in several languages has no facets; use locale',
    ],
  ]
  for (const [query, message] of REFUSED) {
    it(`refuse ${query}`, async () => {
      const { status, body } = await server.get(`/api/items?search[query]=granite&${query}`)
      expect(status).to.equal(400)
      expect(body.error.message).to.equal(`search[facets]: ${message}`)
    })
  }
})

type Value = string | boolean | null

/** The most frequent values first, then null, then the others in their order. */
function countValues(entries: readonly Json[], name: string): readonly object[] {
  const counts = new Map<Value, number>()
  for (const { [name]: found } of entries) {
    const all: readonly Json[] = Array.isArray(found) && found.length > 0 ? found : [found]
    for (const one of all) {
      const value: Value = Array.isArray(one) ? null : (one?.documentId ?? one ?? null)
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }
  return [...counts]
    .toSorted(([one, many], [other, more]) => more - many || (isBefore(one, other) ? -1 : 1))
    .map(([value, count]) => ({ value, count }))
}

function isBefore(one: Value, other: Value): boolean {
  if (one === null || other === null) return one === null
  return one < other
}
