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
  it('asks for the first page of everything when nothing is said', () => {
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

  it('ends every order in the id, once', () => {
    expect(orderOf('string:desc')).to.deep.equal(['string:desc', 'id:desc'])
    expect(orderOf('id:desc')).to.deep.equal(['id:desc'])
    expect(orderOf('id:desc,string')).to.deep.equal(['id:desc', 'string:asc'])
  })

  it('ignores what it does not know', () => {
    const odd = { foo: 'x', _limit: '1', $where: 'sleep(1)', publicationState: 'preview' }
    // What the reader may see comes with functions, which are never equal.
    expect({ ...parseQuery(odd, plan, rules), reader: null }).to.deep.equal({
      ...parseQuery({}, plan, rules),
      reader: null,
    })
  })

  it('asks for both when filters and a search are given', () => {
    const { filter } = parseQuery({ filters: { integer: '1' }, _q: 'x' }, plan, rules)
    expect(filter).to.have.property('kind', 'all')
    expect(filter).to.have.property('of').that.has.length(2)
  })

  it('makes a cursor for the order as it is executed', () => {
    const { page } = parseQuery({ sort: 'string', pagination: { cursor: '' } }, plan, rules)
    expect(page).to.deep.equal({ kind: 'cursor', after: null, pageSize: 25, withCount: true })
    expect(
      thrownBy(() => parseQuery({ sort: 'json', pagination: { cursor: '' } }, plan, rules)).message,
    ).to.match(/^pagination\[cursor\]: /)
  })
})

describe('parseEntryQuery', () => {
  it('reads filters, a search and fields, and no page', () => {
    const read = parseEntryQuery(
      { filters: { integer: '1' }, fields: 'string', sort: 'string', pagination: 'x', page: '1' },
      plan,
      rules,
    )
    expect(read.fields).to.deep.equal(['string'])
    expect(read.filter).to.include({ kind: 'compare', operator: 'eq', operand: 1 })
  })

  it('refuses what it does not understand', () => {
    expect(
      thrownBy(() => parseEntryQuery({ filters: { nope: '1' } }, plan, rules)).message,
    ).to.equal('Invalid key nope')
    expect(thrownBy(() => parseEntryQuery({ fields: '' }, plan, rules)).status).to.equal(400)
    expect(thrownBy(() => parseEntryQuery({ sort: 'nope' }, plan, rules)).status).to.equal(400)
  })
})
