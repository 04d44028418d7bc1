import { expect } from 'chai'
import { matchNamed, mostVersions } from '../../../src/mongo/read/read-unique.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'

const attributes = {
  slug: { type: 'uid' },
  code: { type: 'string', unique: true },
  title: { type: 'string' },
} as const
const plan = planOf({ attributes, draftAndPublish: true })
const localized = planOf({ attributes, localized: true })

const matchOf = (filters: Data, of = plan): object => {
  const { filter, version } = parseQuery({ filters, locale: '*' }, of, rulesWith('en', 'fr'))
  return matchNamed(filter, version)
}

function most(filters: Data, { of = plan, ...also }: Data & { of?: typeof plan } = {}): number {
  const { filter, version } = parseQuery({ filters, ...also }, of, rulesWith('en', 'fr'))
  return mostVersions(filter, version)
}

describe('mostVersions', () => {
  const ONE: readonly (readonly [string, Data])[] = [
    ['a uid', { slug: { $eq: 'a' } }],
    ['a unique attribute in short notation', { code: 'a' }],
    ['a documentId', { documentId: 'a'.repeat(24) }],
    ['an id', { id: '3' }],
    ['a list of one', { slug: { $in: ['a'] } }],
    ['a uid with another condition', { slug: 'a', title: { $contains: 'b' } }],
    ['a uid in one of the conditions of $and', { $and: [{ title: 'b' }, { slug: 'a' }] }],
    ['a uid in an $or with one branch', { $or: [{ slug: 'a' }] }],
  ]
  for (const [label, filters] of ONE) {
    it(`is one for ${label}`, () => {
      expect(most(filters)).to.equal(1)
    })
  }

  const MORE: readonly (readonly [string, Data, Data, number])[] = [
    ['for each value of a list', { slug: { $in: ['a', 'b', 'c'] } }, {}, 3],
    ['for each branch of $or', { $or: [{ slug: 'a' }, { code: 'b' }] }, {}, 2],
    ['for each locale', { slug: 'a' }, { of: localized, locale: '*' }, 2],
    ['for each locale of a document', { documentId: 'x' }, { of: localized, locale: '*' }, 2],
    ['for an id in all locales', { id: '3' }, { of: localized, locale: '*' }, 1],
    ['for the documentId of a draft', { documentId: 'x' }, { status: 'draft' }, 1],
  ]
  for (const [label, filters, also, expected] of MORE) {
    it(`counts one version ${label}`, () => {
      expect(most(filters, also)).to.equal(expected)
    })
  }

  const UNBOUNDED: readonly (readonly [string, Data, Data])[] = [
    ['no filter', {}, {}],
    ['an attribute that is not unique', { title: 'a' }, {}],
    ['drafts, which may share a value', { slug: 'a' }, { status: 'draft' }],
    ['the empty text, which may repeat', { slug: '' }, {}],
    ['a list with the empty text', { slug: { $in: ['a', ''] } }, {}],
    ['null', { slug: { $null: 'true' } }, {}],
    ['another operator', { slug: { $ne: 'a' } }, {}],
    ['$not', { $not: { slug: 'a' } }, {}],
    ['an $or with an open branch', { $or: [{ slug: 'a' }, { title: 'b' }] }, {}],
  ]
  for (const [label, filters, also] of UNBOUNDED) {
    it(`is unbounded for ${label}`, () => {
      expect(most(filters, also)).to.equal(Infinity)
    })
  }
})

describe('matchNamed', () => {
  it('returns the version ids for a filter on documentId', () => {
    expect(matchOf({ documentId: 'a' })).to.deep.equal({ _id: { $eq: 'a::published' } })
    const both = { $and: [{ title: 'b' }, { documentId: { $in: ['a', 'b'] } }] }
    expect(matchOf(both)).to.deep.equal({ _id: { $in: ['a::published', 'b::published'] } })
    expect(matchOf({ documentId: 'a' }, localized)).to.deep.equal({
      _id: { $in: ['a:en:published', 'a:fr:published'] },
    })
  })

  it('returns no condition if other documents may match', () => {
    const open = [
      {},
      { documentId: { $ne: 'a' } },
      { $not: { documentId: 'a' } },
      { $or: [{ documentId: 'a' }, { title: 'b' }] },
      { title: 'a' },
      { slug: 'a' },
    ]
    for (const filters of open) expect(matchOf(filters)).to.deep.equal({})
  })
})
