import { expect } from 'chai'
import type {
  AdministratorPrincipal,
  Grants,
  Principal,
} from '../../../src/people/access/principal.ts'
import {
  type ListRequest,
  type ListQuery,
  listQueries,
} from '../../../src/http/reads/list-queries.ts'
import type { Context } from '../../../src/http/router/state.ts'
import type { LocaleRules } from '../../../src/query/query.ts'
import { pagePlan, planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { thrownBy } from '../../fixtures/errors.ts'

const plan = pagePlan()
const { locales, ...limits } = rulesWith('en', 'fr')
const api = { ...limits, answer: { maxEntries: 100, maxBytes: 1_000 } }
const FIND = ['page', 'tag', 'category'].map((name) => `api::${name}.${name}.find`)
const ALL: Grants = new Set(FIND)

interface Asked {
  readonly grants?: Grants
  readonly rules?: LocaleRules
  readonly format?: string
  readonly of?: ListRequest['plan']
  readonly kind?: Principal['kind']
}

describe('listQueries', () => {
  let read: (asked: ListRequest) => ListQuery

  beforeEach(() => {
    const schema = { contentTypes: new Map(), components: new Map() }
    read = listQueries({ api, schema } as never)
  })

  function ask(querystring: string, asked: Asked = {}): ListQuery {
    const { grants = ALL, rules = locales, format = '', of = plan, kind = 'anonymous' } = asked
    const localesOf: AdministratorPrincipal['localesOf'] = () => new Set(['en'])
    const state = { principal: { kind, grants, localesOf } }
    const ctx = { state, querystring, get: () => format } as unknown as Context
    return read({ ctx, plan: of, locales: rules })
  }

  const QUERIES = [
    '',
    'filters[title][$in][0]=a&filters[title][$in][1]=b&locale=fr',
    'filters[tags][name][$contains]=x&sort=title:desc,category.name&status=draft',
    'populate[category][fields]=name&populate[sections][populate]=*&populate[links]=true',
    'populate=*&pagination[start]=5&pagination[limit]=2&fields=title',
    'sort=title&pagination[cursor]=&pagination[pageSize]=3&pagination[withCount]=false',
    'locale=fr&fallback=en',
  ]

  it('returns an equal query for a cached query string', () => {
    for (const text of QUERIES) {
      const first = ask(text)
      const again = ask(text)
      expect(plain(again), text).to.deep.equal(plain(first))
      expect(again.query.filter, 'the same, not read anew').to.equal(first.query.filter)
      expect(again.types).to.equal(first.types)
    }
  })

  it('uses a new size limit and the current draft permissions on every hit', () => {
    const { reader: first } = ask('status=draft').query
    const { reader: again } = ask('status=draft').query
    first.answer.read(500)
    expect(again.answer.bytes).to.equal(0)
    expect(again.mayReadDrafts('api::tag.tag')).to.equal(false)
    const grants = new Set([...FIND, 'api::tag.tag.readDrafts'])
    const { reader: other } = ask('status=draft', { grants }).query
    expect(other.mayReadDrafts('api::tag.tag')).to.equal(true)
  })

  it('parses again for other permissions, locales, content-types or formats', () => {
    const text = 'filters[tags][name]=x&populate=tags'
    const first = ask(text)
    const others: Readonly<Record<string, Asked>> = {
      'equal permissions of another role': { grants: new Set(FIND) },
      'locales that were loaded anew': { rules: { ...locales } },
      'a schema that was read anew': { of: pagePlan() },
      'the older format': { format: 'v4' },
    }
    for (const [which, asked] of Object.entries(others)) {
      const other = ask(text, asked)
      expect(other.query.filter, which).to.not.equal(first.query.filter)
      expect(other.query.reader.locales, which).to.equal(asked.rules ?? locales)
    }
    expect(ask(text, { format: 'v4' }).query.reader.format).to.equal('v4')
  })

  it('never reuses the permissions of another caller', () => {
    const text = 'filters[tags][name]=x&populate=tags'
    const bounded: Asked = { grants: new Set(FIND.filter((action) => !action.includes('tag'))) }
    for (let round = 0; round < 3; round += 1) {
      expect(ask(text).query.populate).to.have.length(1)
      expect(thrownBy(() => ask(text, bounded))).to.have.property('status', 400)
    }
  })

  it('does not cache for administrators, because their permissions depend on locales', () => {
    const asked: Asked = { kind: 'administrator', grants: ALL }
    const text = 'filters[title]=x'
    const first = ask(text, asked)
    expect(ask(text, asked).query.filter).to.not.equal(first.query.filter)
    expect(ask(text).query.filter).to.not.equal(first.query.filter)
  })

  it('caches only the newest queries and no long ones', () => {
    const first = ask('filters[title]=first')
    for (let number = 0; number < 200; number += 1) ask(`filters[title]=${number}`)
    expect(ask('filters[title]=first').query.filter).to.not.equal(first.query.filter)
    const last = ask('filters[title]=199')
    expect(ask('filters[title]=199').query.filter).to.equal(last.query.filter)
    const text = `filters[title]=${'x'.repeat(2_000)}`
    const long = ask(text)
    expect(ask(text).query.filter).to.not.equal(long.query.filter)
  })

  it('separates content-types', () => {
    expect(ask('').query.plan).to.equal(plan)
    const other = planOf()
    expect(ask('', { of: other }).query.plan).to.equal(other)
  })
})

/** Removes functions and counters, which cannot be compared. */
function plain({ query, types }: ListQuery): object {
  const { format, locale, chain, status, locales: rules } = query.reader
  return { query: { ...query, reader: { format, locale, chain, status, rules } }, types }
}
