import { expect } from 'chai'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { compileQueries } from '../../../src/query/named/compile-queries.ts'
import { bindQuery, type BoundRules } from '../../../src/query/named/named-query.ts'
import type { Query } from '../../../src/query/query.ts'
import type { Data, DeclarationFile } from '../../../src/schema/definition.ts'
import { measureAnswer } from '../../../src/query/answer-size.ts'
import { adviseQueries, declaredIndexes } from '../../../src/mongo/indexes/advise-queries.ts'
import { compile, componentFile, typeFile } from '../../schema/define.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const USER = 'plugin::users-permissions.user'

const TYPES = [
  typeFile(
    'article',
    {
      title: { type: 'string' },
      area: { type: 'enumeration', enum: ['ios', 'web'] },
      views: { type: 'integer' },
      on: { type: 'date' },
      secret: { type: 'string', private: true },
      hidden: { type: 'integer', private: true },
      seo: { type: 'component', component: 'shared.seo' },
      cover: { type: 'media' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      author: { type: 'relation', relation: 'manyToOne', target: USER },
      friends: { type: 'relation', relation: 'manyToMany', target: USER },
    },
    { options: { draftAndPublish: true }, ...LOCALIZED },
  ),
  typeFile('start', { title: { type: 'string' } }, { kind: 'singleType' }),
  typeFile('tag', { name: { type: 'string', unique: true } }),
  typeFile('page', { title: { type: 'string' } }, { options: { search: { title: 1 } } }),
  componentFile('shared.seo', { title: { type: 'string' } }),
]

function queryFile(content: unknown, name = 'feed'): DeclarationFile {
  return { file: `content-types/queries/${name}.json`, kind: 'query', uid: name, content }
}

function compiled(content: object, name?: string) {
  const schema = compile(...TYPES, queryFile(content, name))
  const [query] = compileQueries(schema).values()
  if (query === undefined) throw new Error('there is none')
  return { query, schema }
}

/** Returns the startup faults for this file, without its name. */
function faultsOf(content: unknown, name?: string): readonly string[] {
  try {
    compileQueries(compile(...TYPES, queryFile(content, name)))
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.faults.map((fault) => fault.replace(/^.*?\.json: /, ''))
  }
}

const RULES: BoundRules = {
  defaultLimit: 25,
  maxLimit: 100,
  locales: { defaultCode: 'en', all: [{ code: 'en' }, { code: 'de' }], has: isLocale },
  mayRead: () => true,
  mayReadDrafts: () => false,
  components: new Map(),
  contentTypes: new Map(),
  fileHolder: null,
  answer: measureAnswer({ maxEntries: 1_000, maxBytes: 1_000_000 }),
}

function isLocale(code: string): boolean {
  return code === 'en' || code === 'de'
}

function bind(content: object, asked: Data = {}): Query {
  return bindQuery(compiled(content).query, asked, RULES)
}

const AREA = { type: 'enumeration', enum: ['ios', 'web'] }
const BY_AREA_COUNTED = { groupBy: ['area'], count: true }
const BY_AREA = { area: { $eq: { $param: 'area' } } }

describe('compileQueries', () => {
  it('reports every fault of a file with its path and a suggestion', () => {
    expect(
      faultsOf({
        type: 'article',
        fitlers: {},
        parameters: {
          status: { type: 'string' },
          n: { type: 'number' },
          'a-b': { type: 'string' },
        },
      }),
    ).to.deep.equal([
      'fitlers: no such key; did you mean filters?',
      'parameters.status: every query has this parameter by itself',
      'parameters.n.type: must be one of string, enumeration, integer, biginteger, float, decimal, boolean, date, time, datetime',
      'parameters.a-b: must be a letter, then letters, digits and _',
    ])
    expect(
      faultsOf({
        type: 'article',
        filters: { titel: 'x', views: { $contains: '1' } },
        fields: ['vieuws'],
        sort: 'titles',
        populate: { tag: true, seo: { fields: ['titel'] } },
        pagination: { pagesize: 3 },
      }),
    ).to.deep.equal([
      'filters.titel: Invalid key titel; did you mean title?',
      'filters.views: filters[views][$contains]: integer attributes have no $contains',
      'fields: Invalid key vieuws; did you mean views?',
      'sort: Invalid key titles; did you mean title?',
      'populate.tag: Invalid key tag; did you mean tags?',
      'populate.seo: populate.seo.fields: Invalid key titel; did you mean title?',
      'pagination.pagesize: no such key; did you mean pageSize?',
    ])
  })

  const cases: Readonly<Record<string, readonly [object, string]>> = {
    'a type that is not there': [
      { type: 'artcle' },
      'type: there is no content-type artcle; did you mean article?',
    ],
    'a parameter that is not declared': [
      { type: 'article', parameters: { area: AREA }, filters: { area: { $param: 'aera' } } },
      'parameters: aera is not declared; did you mean area?',
    ],
    'a parameter of another type than what it is compared with': [
      {
        type: 'article',
        parameters: { n: { type: 'string' } },
        filters: { views: { $gt: { $param: 'n' } } },
      },
      'filters.views: filters[views][$gt]: Expected an integer, got "text"',
    ],
    'relevance in a type without search': [
      { type: 'article', rank: 'alps' },
      'rank: search: this content-type has no option search',
    ],
    'a searched attribute that is not searched': [
      { type: 'page', rank: { query: 'alps', fields: 'titel' } },
      'rank: search[fields]: titel is not searched',
    ],
    'a facet of a text': [
      { type: 'page', rank: { query: 'alps', facets: 'title' } },
      'rank: search[facets]: title has no facet',
    ],
    'a parameter in facets': [
      {
        type: 'page',
        parameters: { by: { type: 'string' } },
        rank: { query: 'alps', facets: { $param: 'by' } },
      },
      'rank.facets: no parameter can stand here (by), but in filters, search, rank and pagination',
    ],
    'a default that is no value': [
      {
        type: 'article',
        parameters: { area: { ...AREA, default: 'tv' } },
        filters: BY_AREA,
      },
      'parameters.area.default: area: expected one of ios, web',
    ],
    'a parameter in what is shown': [
      { type: 'article', parameters: { n: { type: 'string' } }, fields: [{ $param: 'n' }] },
      'fields.0: must be a string',
    ],
    'null as an operand': [
      { type: 'article', filters: { title: { $eq: null } } },
      'filters.title.$eq: null is no operand; use $null: true',
    ],
    'private attributes': [{ type: 'article', fields: ['secret'] }, 'fields: Invalid key secret'],
    'conditions on private attributes': [
      { type: 'article', filters: { secret: 'x' } },
      'filters.secret: Invalid key secret',
    ],
    'users as a whole': [
      { type: 'article', populate: { author: true } },
      'populate: author shows users: name the fields that are to be seen',
    ],
    'users as a whole by a star': [
      { type: 'article', populate: '*' },
      'populate: author shows users: name the fields that are to be seen',
    ],
    'entries of whatever type': [
      { type: 'article', populate: { cover: { populate: '*' } } },
      'populate: related holds entries of any type: leave it out',
    ],
    'unknown keys of an aggregate': [
      { type: 'article', aggregate: { groupBy: ['area'], cuont: true } },
      'aggregate.cuont: no such key; did you mean count?',
    ],
    'an aggregate without groups': [
      { type: 'article', aggregate: { count: true } },
      'aggregate.groupBy: is required',
    ],
    'an aggregate of nothing': [
      { type: 'article', aggregate: { groupBy: ['area'], count: false } },
      'aggregate: needs "count": true, avg, min, max or sum',
    ],
    'too many groups': [
      {
        type: 'article',
        aggregate: { groupBy: ['area', 'on:day', 'tags', 'author'], count: true },
      },
      'aggregate.groupBy: must contain less than or equal to 3 items',
    ],
    'a parameter in an aggregate': [
      { type: 'article', aggregate: { groupBy: [{ $param: 'key' }], count: true } },
      'aggregate.groupBy.0: must be a string',
    ],
    'groups by an unknown attribute': [
      { type: 'article', aggregate: { groupBy: ['aera'], count: true } },
      'aggregate.groupBy.0: Invalid key aera; did you mean area?',
    ],
    'groups by a private attribute': [
      { type: 'article', aggregate: { groupBy: ['area', 'secret'], count: true } },
      'aggregate.groupBy.1: Invalid key secret',
    ],
    'groups by a text': [
      { type: 'article', aggregate: { groupBy: ['title'], count: true } },
      'aggregate.groupBy.0: Invalid key title: expected a relation, an enumeration, a boolean or a date',
    ],
    'groups by a file': [
      { type: 'article', aggregate: { groupBy: ['cover'], count: true } },
      'aggregate.groupBy.0: Invalid key cover: expected a relation, an enumeration, a boolean or a date',
    ],
    'groups by moments': [
      { type: 'article', aggregate: { groupBy: ['on'], count: true } },
      'aggregate.groupBy.0: Invalid key on: dates are grouped by on:day or on:month',
    ],
    'groups by years': [
      { type: 'article', aggregate: { groupBy: ['on:year'], count: true } },
      'aggregate.groupBy.0: Invalid key on: dates are grouped by on:day or on:month',
    ],
    'days of an enumeration': [
      { type: 'article', aggregate: { groupBy: ['area:day'], count: true } },
      'aggregate.groupBy.0: Invalid key area: only dates have :day and :month',
    ],
    'groups by one attribute twice': [
      { type: 'article', aggregate: { groupBy: ['on:day', 'on:month'], count: true } },
      'aggregate.groupBy: contains on twice',
    ],
    'groups by two relations to many': [
      { type: 'article', aggregate: { groupBy: ['tags', 'friends'], count: true } },
      'aggregate.groupBy: at most 1 relation to many: tags, friends',
    ],
    'sums of dates': [
      { type: 'article', aggregate: { groupBy: ['area'], sum: ['views', 'on'] } },
      'aggregate.sum.1: Invalid key on: sum expects a number',
    ],
    'the lowest text': [
      { type: 'article', aggregate: { groupBy: ['area'], min: ['title'] } },
      'aggregate.min.0: Invalid key title: min expects a number, a date or a time',
    ],
    'the lowest private number': [
      { type: 'article', aggregate: { groupBy: ['area'], min: ['hidden'] } },
      'aggregate.min.0: Invalid key hidden',
    ],
    'an order of groups': [
      { type: 'article', sort: 'title', aggregate: BY_AREA_COUNTED },
      'sort: has no meaning in a query with aggregate',
    ],
    'groups in all locales': [
      { type: 'article', locale: '*', aggregate: BY_AREA_COUNTED },
      'locale: an aggregate reads one locale',
    ],
    'groups in the locales of a condition': [
      { type: 'article', filters: { locale: { $in: ['en', 'de'] } }, aggregate: BY_AREA_COUNTED },
      'filters: an aggregate reads one locale; use locale',
    ],
    'groups of one entry': [
      { type: 'article', single: true, aggregate: BY_AREA_COUNTED },
      'single: one entry cannot be grouped',
    ],
    'groups of a single type': [
      { type: 'start', aggregate: { groupBy: ['createdAt:day'], count: true } },
      'type: one entry cannot be grouped',
    ],
    'pages of one entry': [
      { type: 'article', single: true, pagination: { pageSize: 2 } },
      'pagination: one entry has no pages',
    ],
  }
  for (const [label, [content, fault]] of Object.entries(cases)) {
    it(`refuses ${label}`, () => {
      expect(faultsOf(content)[0]).to.equal(fault)
    })
  }

  it('refuses invalid file names and contents that are not objects', () => {
    expect(faultsOf({ type: 'article' }, 'Home_Feed')[0]).to.match(/^a query is named by its file/)
    for (const content of [null, [], 'x', 1]) expect(faultsOf(content)).to.have.length(1)
  })
})

describe('bindQuery', () => {
  const feed = {
    type: 'article',
    parameters: {
      area: AREA,
      tags: { type: 'string', list: true },
      from: { type: 'date', default: '2026-01-01' },
      page: { type: 'integer' },
    },
    filters: {
      ...BY_AREA,
      tags: { name: { $in: { $param: 'tags' } } },
      on: { $gte: { $param: 'from' } },
    },
    fields: ['title'],
    pagination: { page: { $param: 'page' }, pageSize: 5, withCount: false },
  }

  it('inserts values and omits conditions without a value', () => {
    const { filter, page } = bind(feed, { area: 'ios', tags: ['a', 'b'], page: '3' })
    expect(JSON.stringify(filter)).to.match(/"ios".*"a","b".*2026-01-01/)
    expect(page).to.deep.equal({ kind: 'page', page: 3, pageSize: 5, withCount: false })
    const without = bind(feed).filter
    expect(without).to.include({ kind: 'compare', operator: 'gte' })
    expect(bind(feed).page).to.include({ page: 1 })
  })

  const refused: Readonly<Record<string, readonly [Data, RegExp]>> = {
    'an unknown parameter': [{ aera: 'ios' }, /^Invalid key aera; did you mean area\?$/],
    'what the dialect has': [{ filters: { title: 'x' } }, /^Invalid key filters/],
    populate: [{ populate: '*' }, /^Invalid key populate/],
    'no value of an enumeration': [{ area: 'tv' }, /^area: expected one of ios, web$/],
    'an object in place of a value': [{ area: { $ne: 'x' } }, /^area: expected one value$/],
    'a list in place of a value': [{ area: ['ios', 'web'] }, /^area: expected one value$/],
    'an object in a list': [{ tags: [{ $ne: 'x' }] }, /^tags\[0\]: expected one value$/],
    'no date': [{ from: 'yesterday' }, /^from: /],
    'a NUL character': [{ tags: ['a\0'] }, /^tags\[0\]: .*NUL/],
    'an unknown locale': [{ locale: 'fr' }, /^locale: fr is not one of en, de$/],
    'every locale': [{ locale: '*' }, /^locale: \* is not one of/],
    'an unknown status': [{ status: 'archived' }, /^status: expected/],
  }
  for (const [label, [asked, message]] of Object.entries(refused)) {
    it(`refuses ${label}`, () => {
      expect(() => bind(feed, asked)).to.throw(message)
    })
  }

  it('requires required parameters', () => {
    const one = {
      type: 'article',
      parameters: { area: { ...AREA, required: true } },
      filters: BY_AREA,
    }
    expect(() => bind(one)).to.throw(/^area: is required$/)
    expect(bind(one, { area: 'web' }).filter).to.include({ operand: 'web' })
  })

  it('uses only the locale of the file if it has one', () => {
    expect(bind(feed, { locale: 'de' }).version.locales).to.deep.equal(['de'])
    const fixed = { type: 'article', locale: 'de', fallbackLocale: ['nl', 'en'] }
    expect(bind(fixed).version).to.deep.include({ locales: ['de', 'en'], firstOnly: true })
    expect(() => bind(fixed, { locale: 'en' })).to.throw(/^Invalid key locale/)
    expect(() => bind({ type: 'tag' }, { locale: 'en' })).to.throw(/^Invalid key locale/)
    expect(() => bind({ type: 'tag' }, { status: 'draft' })).to.throw(/^Invalid key status/)
  })

  it('parses conditions without parameters once', () => {
    const { query } = compiled({ type: 'article', filters: { area: 'ios' } })
    expect(bindQuery(query, {}, RULES).filter).to.equal(query.filter)
  })
})

describe('adviseQueries', () => {
  const advised = (content: object): readonly string[] => {
    const { schema } = compiled(content)
    return adviseQueries(compileQueries(schema), declaredIndexes(schema))
  }

  it('suggests an index for a query without one', () => {
    const feed = { type: 'article', parameters: { area: AREA }, filters: BY_AREA, sort: 'on:desc' }
    expect(advised(feed)).to.deep.equal([
      'query feed: no index serves it; declare api::article.article: "indexes": [["area","on:desc"]] in its options',
    ])
  })

  it('returns no advice for a query with an index', () => {
    expect(advised({ type: 'article', sort: 'publishedAt:desc' })).to.deep.equal([])
    expect(advised({ type: 'tag', single: true, filters: { name: 'x' } })).to.deep.equal([])
    expect(advised({ type: 'article', filters: { tags: { name: 'x' } } })).to.deep.equal([])
    expect(advised({ type: 'article', filters: { documentId: 'x' } })).to.deep.equal([])
  })

  it('ranks by a text, and sorts without it', () => {
    const ranked = {
      type: 'page',
      parameters: { text: { type: 'string' }, after: { type: 'string', default: '' } },
      rank: { query: { $param: 'text' }, fields: 'title' },
      sort: 'title',
      pagination: { cursor: { $param: 'after' } },
    }
    expect(bind(ranked, { text: 'alps' }).search).to.deep.include({
      text: 'alps',
      attributes: new Map([[0, 1]]),
    })
    const { search, sort } = bind(ranked)
    expect(search).to.equal(undefined)
    expect(sort[0]?.attribute.name).to.equal('title')
  })
})
