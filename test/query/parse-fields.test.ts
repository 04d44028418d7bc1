import { expect } from 'chai'
import { parseFields } from '../../src/query/parse-fields.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'

const plan = planOf({
  attributes: {
    title: { type: 'string' },
    views: { type: 'integer' },
    secret: { type: 'string', private: true },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
  },
})

describe('parseFields', () => {
  const accepted: readonly (readonly [string, unknown, unknown])[] = [
    ['undefined as all', undefined, 'all'],
    ['a star as all', '*', 'all'],
    ['a list of one star as all', ['*'], 'all'],
    ['one name', 'title', ['title']],
    ['names with commas and spaces', 'views, title', ['views', 'title']],
    ['a list in its order', ['views', 'title'], ['views', 'title']],
    ['a repetition once', ['title', 'views', 'title'], ['title', 'views']],
    ['system attributes', 'createdAt,documentId', ['createdAt', 'documentId']],
  ]
  for (const [label, input, expected] of accepted) {
    it(`reads ${label}`, () => {
      expect(parseFields(input, plan)).to.deep.equal(expected)
    })
  }

  const key = (name: string, path: string | null): object => ({
    key: name,
    path,
    source: 'query',
    param: 'fields',
  })
  const refusedKeys: readonly (readonly [string, unknown, string, object])[] = [
    ['an unknown attribute', ['nope'], 'Invalid key nope', key('nope', null)],
    ['a private attribute', 'secret', 'Invalid key secret', key('secret', 'secret')],
    ['a relation', 'others', 'Invalid key others', key('others', 'others')],
    ['a dotted path', 'title.x', 'Invalid key title.x; did you mean title?', key('title.x', null)],
    ['creator fields', 'updatedBy', 'Invalid key updatedBy', key('updatedBy', 'updatedBy')],
    ['a star together with a name', 'title,*', 'Invalid key *', key('*', null)],
    ['an inherited name', '__proto__', 'Invalid key __proto__', key('__proto__', null)],
    ['a projection operator', '$slice', 'Invalid key $slice', key('$slice', null)],
    ['an empty name in a list', [''], 'Invalid key ', key('', null)],
  ]
  for (const [label, input, message, details] of refusedKeys) {
    it(`refuses ${label}`, () => {
      const error = thrownBy(() => parseFields(input, plan))
      expect([error.status, error.message]).to.deep.equal([400, message])
      expect(error.details).to.deep.equal(details)
    })
  }

  for (const input of ['', { a: 'title' }, [['title']], null, 7, [null]]) {
    it(`refuses ${JSON.stringify(input)}`, () => {
      expect(thrownBy(() => parseFields(input, plan)).message).to.equal(
        'Invalid fields parameter. Expected a string or an array of strings',
      )
    })
  }
})
