import { expect } from 'chai'
import { parseEntryQuery, parseQuery } from '../../src/query/parse-query.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'
import { rulesWith } from '../fixtures/rules.ts'

const plan = planOf({ localized: true, draftAndPublish: true })
const rules = rulesWith('en')

const orderOf = (sort: unknown): readonly string[] =>
  parseQuery({ sort }, plan, rules).sort.map(
    ({ attribute, direction }) => `${attribute.name}:${direction}`,
  )

describe('parseQuery', () => {
  it('reads the first page of all entries by default', () => {
    const query = parseQuery({}, plan, rules)
    expect(query).to.deep.include({
      plan,
      filter: null,
      fields: 'all',
      page: { kind: 'page', page: 1, pageSize: 25, withCount: true },
      version: { locales: ['en'], status: 'published' },
    })
    expect(orderOf(undefined)).to.deep.equal(['id:asc'])
  })

  it('ends every sort with the id exactly once', () => {
    expect(orderOf('string:desc')).to.deep.equal(['string:desc', 'id:desc'])
    expect(orderOf('id:desc')).to.deep.equal(['id:desc'])
    expect(orderOf('id:desc,string')).to.deep.equal(['id:desc', 'string:asc'])
  })

  it('ignores unknown parameters', () => {
    const odd = { foo: 'x', _limit: '1', $where: 'sleep(1)', publicationState: 'preview' }
    // The reader contains functions, which never compare equal.
    expect({ ...parseQuery(odd, plan, rules), reader: null }).to.deep.equal({
      ...parseQuery({}, plan, rules),
      reader: null,
    })
  })

  it('requires both filters and search to match', () => {
    const { filter } = parseQuery({ filters: { integer: '1' }, _q: 'x' }, plan, rules)
    expect(filter).to.have.property('kind', 'all')
    expect(filter).to.have.property('of').that.has.length(2)
  })

  it('binds a cursor to the executed sort', () => {
    const { page } = parseQuery({ sort: 'string', pagination: { cursor: '' } }, plan, rules)
    expect(page).to.deep.equal({ kind: 'cursor', after: null, pageSize: 25, withCount: true })
    expect(
      thrownBy(() => parseQuery({ sort: 'json', pagination: { cursor: '' } }, plan, rules)).message,
    ).to.match(/^pagination\[cursor\]: /)
  })
})

describe('parseEntryQuery', () => {
  it('reads filters, search and fields but ignores pagination', () => {
    const read = parseEntryQuery(
      { filters: { integer: '1' }, fields: 'string', sort: 'string', pagination: 'x', page: '1' },
      plan,
      rules,
    )
    expect(read.fields).to.deep.equal(['string'])
    expect(read.filter).to.include({ kind: 'compare', operator: 'eq', operand: 1 })
  })

  it('refuses invalid parameters', () => {
    expect(
      thrownBy(() => parseEntryQuery({ filters: { nope: '1' } }, plan, rules)).message,
    ).to.equal('Invalid key nope')
    expect(thrownBy(() => parseEntryQuery({ fields: '' }, plan, rules)).status).to.equal(400)
    expect(thrownBy(() => parseEntryQuery({ sort: 'nope' }, plan, rules)).status).to.equal(400)
  })
})
