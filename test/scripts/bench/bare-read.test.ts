import { expect } from 'chai'
import { cursorAfter } from '../../../scripts/bench/bare-read.ts'
import { postData } from '../../../scripts/bench/content.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'

describe('the requests of the bench', () => {
  it('contain cursors that Quire accepts', () => {
    const plan = planOf({ attributes: { text: { type: 'string' } } })
    const query = { pagination: { cursor: cursorAfter(4711) } }
    expect(parseQuery(query, plan, rulesWith('en')).page).to.include({ kind: 'cursor' })
    expect(parseQuery(query, plan, rulesWith('en')).page).to.deep.include({ after: [4711] })
  })

  it('contain articles of about 800 bytes', () => {
    for (const index of [0, 1, 999]) {
      expect(JSON.stringify(postData(index)).length).to.be.within(700, 900)
    }
  })
})
