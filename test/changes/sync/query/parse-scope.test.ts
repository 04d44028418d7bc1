import { expect } from 'chai'
import { ValidationError } from '../../../../src/base/errors.ts'
import { parseScope, SYNC_LIMITS } from '../../../../src/changes/sync/query/parse-scope.ts'
import type { ContentTypePlan } from '../../../../src/schema/plan.ts'
import type { Data } from '../../../../src/schema/definition.ts'
import { planOf } from '../../../mongo/commits/log-world.ts'

const KNOWN = new Map<string, ContentTypePlan>([
  ['article', planOf('article')],
  ['tag', planOf('tag')],
])

const MANY = Array.from({ length: SYNC_LIMITS.types + 1 }, (_, index) => `type${index}`)

const REFUSED: readonly (readonly [label: string, asked: Data, sentence: RegExp])[] = [
  ['an unknown parameter', { types: 'tag', sort: 'name' }, /^sort: .*no such parameter/],
  ['no types', {}, /^types: .*expected names/],
  ['an empty name', { types: 'tag,' }, /^types: .*expected names/],
  ['a type that is not text', { types: ['tag', {}] }, /^types: .*expected names/],
  ['an unknown type', { types: 'tag,nothing' }, /^types: .*no content-type nothing/],
  ['too many types', { types: MANY }, /^types: at most 50/],
  ['too many locales', { types: 'tag', locale: MANY }, /^locale: .*at most 20/],
  ['an unknown status', { types: 'tag', status: 'new' }, /^status: .*draft or published/],
  ['a limit of 0', { types: 'tag', limit: '0' }, /^limit: .*from 1 to 1000/],
  ['a limit that is too high', { types: 'tag', limit: '1001' }, /^limit: .*from 1 to 1000/],
  ['a limit that is not text', { types: 'tag', limit: ['1'] }, /^limit: .*from 1 to 1000/],
  ['fields without a type', { types: 'tag', fields: 'name' }, /^fields: .*expected fields/],
  ['filters in a list', { types: 'tag', filters: [{}] }, /^filters: .*expected filters/],
  [
    'fields of another type',
    { types: 'tag', fields: { article: 'title' } },
    /^fields\[article\]: .*types does not name it/,
  ],
  ['an unknown field', { types: 'tag', fields: { tag: 'nothing' } }, /^Invalid key nothing/],
]

describe('the scope of a sync', () => {
  for (const [label, asked, sentence] of REFUSED) {
    it(`refuses ${label}`, () => {
      expect(() => parseScope(asked, KNOWN)).to.throw(ValidationError, sentence)
    })
  }

  it('contains the published versions of the default locale by default', () => {
    const asked = { types: 'tag, article,tag' }
    const { types, locales, status, limit } = parseScope(asked, KNOWN)
    expect(types.map(({ name, fields, filter }) => [name, fields, filter])).to.deep.equal([
      ['tag', 'all', null],
      ['article', 'all', null],
    ])
    expect([locales, status, limit]).to.deep.equal(['default', 'published', SYNC_LIMITS.usualRows])
  })

  it('accepts locales by name, all locales, drafts and a limit', () => {
    const asked = { types: ['tag'], status: 'draft', limit: '7' }
    const some = parseScope({ ...asked, locale: 'en,fr' }, KNOWN)
    expect([some.locales, some.status, some.limit]).to.deep.equal([['en', 'fr'], 'draft', 7])
    expect(parseScope({ ...asked, locale: '*' }, KNOWN).locales).to.equal('*')
  })
})
