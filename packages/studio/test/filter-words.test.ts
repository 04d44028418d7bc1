import { expect } from 'chai'
import { ATTRIBUTE_TYPES } from '@quire/schema/attributes'
import { type Attributes } from '../src/api/attributes.ts'
import { toFilters } from '../src/screens/list/filter-groups.ts'
import { readListSearch } from '../src/screens/list/list-search.ts'
import {
  type FilterWord,
  operatorsOf,
  filteredStages,
  filteredState,
  STAGE,
  STATE,
  takesValue,
} from '../src/screens/list/filter-words.ts'

const ATTRIBUTES: Attributes = {
  title: { type: 'string' },
  slug: { type: 'uid' },
  views: { type: 'integer' },
  shown: { type: 'boolean' },
  at: { type: 'datetime' },
  author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
  cover: { type: 'media' },
  kind: { type: 'enumeration', enum: ['novel', 'poem'] },
  sections: { type: 'dynamiczone', components: [] },
}

const CONTEXT = { attributes: ATTRIBUTES, me: 'ada', match: undefined }

const ROWS: readonly (readonly [FilterWord, unknown])[] = [
  [{ at: 'title', is: 'contains', to: 'a' }, { title: { $containsi: 'a' } }],
  [{ at: 'title', is: 'is', to: 'A' }, { title: { $eqi: 'A' } }],
  [{ at: 'slug', is: 'is', to: 'a' }, { slug: { $eq: 'a' } }],
  [{ at: 'views', is: 'atLeast', to: '100' }, { views: { $gte: '100' } }],
  [{ at: 'shown', is: 'is', to: 'true' }, { shown: { $eq: 'true' } }],
  [{ at: 'at', is: 'after', to: '2026-01-31T12:00Z' }, { at: { $gt: '2026-01-31T12:00:00.000Z' } }],
  [{ at: 'author', is: 'is', to: 'abc' }, { author: { documentId: { $eq: 'abc' } } }],
  [{ at: 'author', is: 'isEmpty' }, { author: { documentId: { $null: true } } }],
  [{ at: 'kind', is: 'isOneOf', among: ['novel', 'poem'] }, { kind: { $in: ['novel', 'poem'] } }],
  [{ at: 'kind', is: 'isNoneOf', among: ['poem'] }, { kind: { $notIn: ['poem'] } }],
  [{ at: '$createdBy', is: 'is', to: '$me' }, { createdBy: { $eq: 'ada' } }],
  [{ at: '$updatedBy', is: 'is', to: 'ben', as: 'Ben' }, { updatedBy: { $eq: 'ben' } }],
  [{ at: 'cover', is: 'isNotEmpty' }, { cover: { id: { $notNull: true } } }],
]

describe('filters in words', () => {
  for (const [word, condition] of ROWS) {
    it(`sends ${word.at} ${word.is} ${word.to ?? ''} to the server`, () => {
      expect(toFilters([word], CONTEXT)).to.deep.equal({ $and: [condition] })
    })
  }

  it('ignores unknown attributes, unknown operators and missing values', () => {
    const words: readonly FilterWord[] = [
      { at: 'gone', is: 'is', to: 'x' },
      { at: 'sections', is: 'is', to: 'x' },
      { at: 'shown', is: 'contains', to: 'x' },
      { at: 'title', is: 'contains', to: '' },
      { at: 'title', is: 'is' },
      { at: 'title', is: 'isOneOf', among: ['a'] },
      { at: 'kind', is: 'isOneOf', among: [] },
      { at: 'kind', is: 'isOneOf', to: 'novel' },
      { at: STATE, is: 'is', to: 'draft' },
      { at: '$createdBy', is: 'is' },
      { at: '$createdBy', is: 'contains', to: 'a' },
    ]
    expect(toFilters(words, CONTEXT)).to.equal(undefined)
  })

  it('returns the filtered state', () => {
    expect(filteredState([])).to.equal(undefined)
    expect(filteredState([{ at: STATE, is: 'is', to: 'draft' }])).to.equal('draft')
    expect(filteredState([{ at: STATE, is: 'is', to: 'published' }])).to.equal('published')
  })

  it('returns the filtered stages that the type declares', () => {
    const declared = ['draft', 'in-review', 'ready']
    const stages = (word: Omit<FilterWord, 'at'>) =>
      filteredStages([{ at: STAGE, ...word }], declared)
    expect(filteredStages([], declared)).to.equal(undefined)
    expect(stages({ is: 'is', to: 'ready' })).to.deep.equal(['ready'])
    expect(stages({ is: 'isOneOf', among: ['ready', 'gone', 'draft'] })).to.deep.equal([
      'draft',
      'ready',
    ])
    expect(stages({ is: 'isOneOf', among: ['gone'] })).to.equal(undefined)
    expect(stages({ is: 'isNoneOf', among: ['ready'] })).to.equal(undefined)
    expect(filteredStages([{ at: STAGE, is: 'is', to: 'ready' }])).to.equal(undefined)
  })

  it('has operators for each type that can be filtered, a usable default first', () => {
    const without = ATTRIBUTE_TYPES.filter((type) => operatorsOf({ type }).length === 0)
    expect(without).to.deep.equal(['password', 'component', 'dynamiczone'])
    expect(operatorsOf({ type: 'media' }).some(takesValue)).to.equal(false)
  })
})

describe('the URL of a list', () => {
  it('round-trips', () => {
    const search = {
      q: 'maps',
      sort: 'title:asc',
      locale: 'de',
      filters: [
        { at: 'title', is: 'contains', to: 'a' },
        { at: 'kind', is: 'isOneOf', among: ['novel'] },
        { of: [{ at: 'title', is: 'is', to: 'b' }] },
      ],
      match: 'any',
      columns: ['title', 'updatedAt'],
      after: 'abc',
      skipped: 50,
      within: true,
    }
    expect(readListSearch(search)).to.deep.equal(search)
  })

  it('ignores invalid values', () => {
    const hostile = {
      q: '',
      sort: 'a;b',
      filters: [
        { at: 1 },
        null,
        { at: 'x', is: 'y' },
        { at: 'x', is: 'isOneOf', among: 'y' },
        { at: 'x', is: 'isOneOf', among: [1] },
        { of: [] },
        { of: [{ at: 1 }] },
        { of: [{ of: [{ at: 'x', is: 'isEmpty' }] }] },
        { of: [{ at: STATE, is: 'is', to: 'draft' }] },
      ],
      match: 'all',
      columns: ['title', 1],
      after: [],
      skipped: -1,
      within: 'x',
    }
    expect(Object.values(readListSearch(hostile))).to.deep.equal(Array(9).fill(undefined))
    const word = { at: 'title', is: 'isEmpty' }
    const state = { at: STATE, is: 'is', to: 'draft' }
    const one = { filters: [word], match: 'any' }
    expect(readListSearch(one).match, 'of one filter').to.equal(undefined)
    const withState = { filters: [word, state], match: 'any' }
    expect(readListSearch(withState).match, 'of the state').to.equal(undefined)
    const both = { filters: [{ ...word, of: 1 }, word] }
    expect(() => toFilters(readListSearch(both).filters ?? [], CONTEXT)).to.not.throw()
    expect(readListSearch({ q: 12 })).to.include({ q: '12', sort: undefined })
  })
})
