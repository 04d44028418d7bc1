import { expect } from 'chai'
import { parseEntryQuery, parseQuery } from '../../src/query/parse-query.ts'
import { PUBLICATION_FILTERS } from '../../src/query/query.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'
import { rulesWith } from '../fixtures/rules.ts'

const plan = planOf({ draftAndPublish: true })
const rules = rulesWith('en')

describe('parsePublication', () => {
  it('reads every documented value', () => {
    for (const publicationFilter of PUBLICATION_FILTERS) {
      expect(parseQuery({ publicationFilter }, plan, rules).publication).to.deep.equal([
        publicationFilter,
      ])
      const { reader } = parseEntryQuery({ publicationFilter }, plan, rules)
      expect(reader.publicationFilter).to.equal(publicationFilter)
    }
  })

  it('applies hasPublishedVersion per document for any status', () => {
    for (const status of ['draft', 'published']) {
      const read = (hasPublishedVersion: string) =>
        parseQuery({ status, hasPublishedVersion }, plan, rules).publication
      expect(read('true')).to.deep.equal(['has-published-version-document'])
      expect(read('false')).to.deep.equal(['never-published-document'])
    }
  })

  it('combines both parameters', () => {
    const both = { publicationFilter: 'modified', hasPublishedVersion: 'true' }
    expect(parseQuery(both, plan, rules).publication).to.deep.equal([
      'modified',
      'has-published-version-document',
    ])
  })

  it('ignores both parameters for a type without draft & publish', () => {
    const both = { publicationFilter: 'modified', hasPublishedVersion: 'true' }
    expect(parseQuery(both, planOf(), rules).publication).to.deep.equal([])
  })

  for (const [name, value] of [
    ['publicationFilter', 'changed'],
    ['publicationFilter', ''],
    ['publicationFilter', 'MODIFIED'],
    ['publicationFilter', ['modified', 'modified']],
    ['publicationFilter', { $eq: 'modified' }],
    ['hasPublishedVersion', '1'],
    ['hasPublishedVersion', '0'],
    ['hasPublishedVersion', 't'],
    ['hasPublishedVersion', ''],
    ['hasPublishedVersion', 'TRUE'],
    ['hasPublishedVersion', ['true']],
  ] as const) {
    it(`refuses ${name}=${JSON.stringify(value)} on lists and single entries`, () => {
      for (const of of [plan, planOf()]) {
        for (const parse of [parseQuery, parseEntryQuery]) {
          const { message } = thrownBy(() => parse({ [name]: value }, of, rules))
          expect(message).to.match(new RegExp(`^${name}: expected`))
        }
      }
    })
  }
})
