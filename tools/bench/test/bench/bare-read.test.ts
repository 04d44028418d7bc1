import { expect } from 'chai'
import { encodeCursorAfter } from '../../src/bench/bare-read.ts'
import { makePost } from '../../src/bench/content.ts'
import { parseQuery } from '../../../../src/query/parse-query.ts'
import { planOf } from '../../../../test/fixtures/plans.ts'
import { rulesWith } from '../../../../test/fixtures/rules.ts'

describe('the requests of the bench', () => {
  it('contain cursors that Quire accepts', () => {
    const plan = planOf({ attributes: { text: { type: 'string' } } })
    const query = { pagination: { cursor: encodeCursorAfter(4711) } }
    expect(parseQuery(query, plan, rulesWith('en')).page).to.include({ kind: 'cursor' })
    expect(parseQuery(query, plan, rulesWith('en')).page).to.deep.include({ after: [4711] })
  })

  it('contain articles of about 800 bytes', () => {
    for (const index of [0, 1, 999]) {
      expect(JSON.stringify(makePost(index)).length).to.be.within(700, 900)
    }
  })
})
