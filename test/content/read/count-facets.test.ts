import { expect } from 'chai'
import * as fc from 'fast-check'
import { countFacets } from '../../../src/content/read/count-facets.ts'
import type { SearchQuery } from '../../../src/content/read/find-searched.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const KINDS = Array.from({ length: 101 }, (_, at) => `k${String(at).padStart(3, '0')}`)

const { contentTypes } = compileSchema({
  contentTypes: [
    {
      ...contentType(
        'page',
        { localized: false, draftAndPublish: false },
        {
          title: { type: 'string' },
          kind: { type: 'enumeration', enum: KINDS },
          tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
          notes: {
            type: 'relation',
            relation: 'oneToMany',
            target: 'api::note.note',
            mappedBy: 'page',
          },
        },
      ),
      search: { title: 1 },
    },
    contentType('tag', { localized: false, draftAndPublish: false }, {}),
    contentType(
      'note',
      { localized: false, draftAndPublish: false },
      {
        page: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'api::page.page',
          inversedBy: 'notes',
        },
      },
    ),
  ],
  components: [],
})

interface Row {
  readonly _id: string
  readonly documentId: string
}

function rowOf(documentId: string, id: number) {
  const key = { locale: '', status: 'published' } as const
  return { _id: `${documentId}::published`, id, documentId, ...key }
}

const tagOf = (id: number): string => `tag${id}`

type Value = string | null

/** The most frequent values first, then null, then the others in their order. */
function countNaively(values: readonly Value[]): readonly object[] {
  const all = [...new Set(values)].map((value) => {
    return { value, count: values.filter((one) => one === value).length }
  })
  return all.toSorted(
    (one, other) => other.count - one.count || ((one.value ?? '') < (other.value ?? '') ? -1 : 1),
  )
}

describe('counts of facets', () => {
  let test: TestDatabase
  let query: SearchQuery

  before(async () => {
    test = await openTestDatabase('count_facets')
    await syncIndexes(test.database, [...compileCollections({ contentTypes }).values()])
    const plan = contentTypes.get('api::page.page')
    if (plan === undefined) throw new Error('there is no page')
    const asked = { search: { query: 'x', facets: 'kind,tags,notes' } }
    query = parseQuery(asked, plan, rulesWith('en')) as SearchQuery
    await insert(
      'page',
      [...KINDS, 'k050', null].map((kind, id) => ({ ...rowOf(`d${id}`, id), kind })),
    )
  })
  after(() => test.drop())

  const insert = async (type: string, rows: readonly Row[]): Promise<void> => {
    const { collectionName = '' } = contentTypes.get(`api::${type}.${type}`) ?? {}
    await test.database.collection<Row>(collectionName).insertMany([...rows])
  }

  const count = (ids: readonly string[], isEstimated = false) =>
    countFacets(test.database, query, ids, isEstimated)
  const all = Array.from({ length: KINDS.length + 2 }, (_, id) => `d${id}::published`)

  it('have at most 100 values, the most frequent ones first', async () => {
    const { kind } = await count(all)
    expect(kind?.counts.slice(0, 3)).to.deep.equal([
      { value: 'k050', count: 2 },
      { value: null, count: 1 },
      { value: 'k000', count: 1 },
    ])
    expect([kind?.counts.length, kind?.capped]).to.deep.equal([100, true])
    const { kind: fewer } = await count(all.slice(0, 100))
    expect([fewer?.counts.length, fewer?.capped]).to.deep.equal([100, undefined])
  })

  it('include the named versions only', async () => {
    const { kind } = await count(all.slice(3, 4))
    expect(kind).to.deep.equal({ counts: [{ value: 'k003', count: 1 }] })
    expect(await count([])).to.deep.equal({
      kind: { counts: [] },
      tags: { counts: [] },
      notes: { counts: [] },
    })
  })

  it('are the sums of batches, each entry once per target', async () => {
    const links = fc.array(fc.nat({ max: 11 }), { maxLength: 4 })
    const given = fc.sample(links, { numRuns: 4_500, seed: 37 })
    const rows = given.map((tags, id) => {
      return { ...rowOf(`e${id}`, id), kind: KINDS[id % 7] ?? '', tags: tags.map(tagOf) }
    })
    await insert('page', rows)
    // The others are targets that do not exist.
    await insert(
      'tag',
      Array.from({ length: 10 }, (_, id) => rowOf(tagOf(id), id)),
    )
    const ids = rows.map(({ _id }) => _id)
    const { kind, tags } = await count(ids)
    const seen = given.map((all) => [...new Set(all)].filter((id) => id < 10).map(tagOf))
    const expected = countNaively(seen.flatMap((all) => (all.length === 0 ? [null] : all)))
    expect(tags).to.deep.equal({ counts: expected })
    expect(kind).to.deep.equal({ counts: countNaively(rows.map((row) => row.kind)) })
  })

  it('are estimates if a batch of entries has more than 10,000 targets', async () => {
    const { _id, documentId } = rowOf('many', 0)
    await insert('page', [{ ...rowOf('many', 0) }])
    const rows = Array.from({ length: 10_001 }, (_, id) => rowOf(`n${id}`, id))
    await insert(
      'note',
      rows.map((row) => ({ ...row, page: documentId })),
    )
    const { notes } = await count([_id])
    expect([notes?.counts.length, notes?.capped, notes?.estimated]).to.deep.equal([100, true, true])
  })

  it('are estimates if a search checked a part of the entries', async () => {
    const { kind } = await count(all.slice(0, 1), true)
    expect(kind).to.deep.equal({ counts: [{ value: 'k000', count: 1 }], estimated: true })
  })
})
