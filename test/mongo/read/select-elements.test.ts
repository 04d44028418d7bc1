import { expect } from 'chai'
import { compileElementSelection } from '../../../src/mongo/read/translate-filter.ts'
import { toBson } from '../../../src/mongo/versions/stored-value.ts'
import { parseFilters } from '../../../src/query/parse-filters.ts'
import { parseSort } from '../../../src/query/parse-sort.ts'
import { OPERATORS } from '../../../src/query/query.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { fits, meaningOf, operandsOf, SAMPLES, TYPES } from '../../fixtures/operator-samples.ts'
import { pagePlan, planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'

const plan = planOf()
const holder = { ...plan, displayName: plan.uid, storedUid: plan.uid }
const rules = rulesWith('en')

describe('compileElementSelection', () => {
  for (const type of TYPES) {
    const { stored, operands } = SAMPLES[type]
    const values = [null, ...stored]
    const elements: readonly Data[] = values.map((value, n) => ({ n, [type]: toBson(value) }))

    for (const operator of OPERATORS.filter((operator) => fits(type, operator))) {
      it(`matches the database for $${operator} on ${type}`, () => {
        for (const [text, operand] of operandsOf(type, operator, operands)) {
          const filter = parseFilters({ [type]: { [`$${operator}`]: text } }, plan, rules)
          const found = compileElementSelection(holder, { filter, sort: [] })(elements).map(
            ({ n }) => n,
          )
          const meant = values.flatMap((value, n) =>
            meaningOf(type, operator)(value, operand as never) ? [n] : [],
          )
          expect(found, JSON.stringify(text)).to.deep.equal(meant)
        }
      })
    }
  }

  it('sorts by the lowest of several values ascending and the highest descending', () => {
    const sections = pagePlan().attributes.get('sections')
    const list =
      sections?.kind === 'dynamiczone' ? sections.components().get('sections.list') : null
    if (list === undefined || list === null) throw new Error('the page has no such section')
    const elements = [['b', 'c'], ['d', 'a'], []].map((labels) => ({
      links: labels.map((label) => ({ label })),
    }))
    const order = (sort: string): readonly number[] =>
      compileElementSelection(list, { filter: null, sort: parseSort(sort, list, rules) })(
        elements,
      ).map((element) => elements.indexOf(element as (typeof elements)[number]))
    expect(order('links.label')).to.deep.equal([2, 1, 0])
    expect(order('links.label:desc')).to.deep.equal([1, 0, 2])
  })
})
