import { expect } from 'chai'
import { parseSort, SORT_LIMITS } from '../../src/query/parse-sort.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'

const plan = planOf({
  attributes: {
    title: { type: 'string' },
    views: { type: 'integer' },
    secret: { type: 'string', private: true },
    password: { type: 'password' },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
  },
})

const parse = (input: unknown): readonly string[] =>
  parseSort(input, plan, { mayRead: () => true }).map(
    ({ attribute, direction }) => `${attribute.name}:${direction}`,
  )

describe('parseSort', () => {
  const accepted: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['undefined', undefined, []],
    ['an empty text', '', []],
    ['an attribute, ascending by default', 'title', ['title:asc']],
    ['a direction', 'title:desc', ['title:desc']],
    ['a direction in capitals', 'title:DESC', ['title:desc']],
    [
      'several attributes with spaces after commas',
      'title, views:desc',
      ['title:asc', 'views:desc'],
    ],
    ['spaces anywhere', ' title : desc , views ', ['title:desc', 'views:asc']],
    ['spaces in an object', { ' title ': ' desc ' }, ['title:desc']],
    ['a trailing comma', 'title,', ['title:asc']],
    ['a list', ['title', 'views:desc'], ['title:asc', 'views:desc']],
    [
      'a list of texts with commas',
      ['title,views', 'id:desc'],
      ['title:asc', 'views:asc', 'id:desc'],
    ],
    ['an object', { title: 'desc' }, ['title:desc']],
    [
      'an object with several attributes',
      { views: 'asc', title: 'DESC' },
      ['views:asc', 'title:desc'],
    ],
    ['a list of objects', [{ title: 'desc' }, { views: 'asc' }], ['title:desc', 'views:asc']],
    ['system attributes', 'createdAt:desc,documentId', ['createdAt:desc', 'documentId:asc']],
    ['a repeated attribute once', 'title,views,title:desc', ['title:asc', 'views:asc']],
    ['an empty list', [], []],
  ]
  for (const [label, input, expected] of accepted) {
    it(`reads ${label}`, () => {
      expect(parse(input)).to.deep.equal(expected)
    })
  }

  const key = (name: string, path: string | null): object => ({
    key: name,
    path,
    source: 'query',
    param: 'sort',
  })
  const refusedKeys: readonly (readonly [string, unknown, string, object])[] = [
    ['an unknown attribute', 'nope', 'Invalid key nope', key('nope', null)],
    ['a leading minus', '-views', 'Invalid key -views; did you mean views?', key('-views', null)],
    ['a private attribute', 'secret', 'Invalid key secret', key('secret', 'secret')],
    ['a password', 'password:desc', 'Invalid key password', key('password', 'password')],
    ['a relation itself', 'others', 'Invalid key others', key('others', 'others')],
    ['creator fields', 'createdBy', 'Invalid key createdBy', key('createdBy', 'createdBy')],
    ['the locale of a type without locales', 'locale', 'Invalid key locale', key('locale', null)],
    ['an inherited name', 'constructor', 'Invalid key constructor', key('constructor', null)],
    ['an operator', '$where', 'Invalid key $where', key('$where', null)],
  ]
  for (const [label, input, message, details] of refusedKeys) {
    it(`refuses ${label}`, () => {
      const error = thrownBy(() => parse(input))
      expect([error.status, error.name, error.message]).to.deep.equal([
        400,
        'ValidationError',
        message,
      ])
      expect(error.details).to.deep.equal(details)
    })
  }

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    [
      'an unknown direction',
      'title:up',
      /^Invalid order\. order can only be one of asc\|desc\|ASC\|DESC$/,
    ],
    ['an empty direction', 'title:', /^Invalid order/],
    ['a direction in mixed case', { title: 'Desc' }, /^Invalid order/],
    ['an inherited name as a direction', 'title:toString', /^Invalid order/],
    ['a list that mixes texts and objects', [{ title: 'asc' }, 'views'], /^sort: /],
    ['a number', 7, /^sort: /],
    ['null', null, /^sort: /],
    ['null as a direction', { title: null }, /^sort: /],
    ['a list as a direction', { title: ['asc'] }, /^sort: /],
  ]
  for (const [label, input, message] of refused) {
    it(`refuses ${label} with an explanation`, () => {
      const error = thrownBy(() => parse(input))
      expect([error.status, error.name]).to.deep.equal([400, 'ValidationError'])
      expect(error.message).to.match(message)
    })
  }

  describe('through relations', () => {
    const related = planOf({
      attributes: {
        title: { type: 'string' },
        parent: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' },
        others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
        files: { type: 'media', multiple: true },
      },
    })
    const through = (sort: unknown): readonly number[] =>
      parseSort(sort, related, { mayRead: () => true }).map((key) => key.through.length)

    const bounded: readonly (readonly [string, unknown, number])[] = [
      ['one to-many relation', 'others.title', 1],
      ['one to-many relation after a to-one relation', 'parent.others.title', 2],
      ['two to-many relations', 'others.others.title', 2],
      [
        'two to-many relations with to-one relations between',
        'parent.others.parent.others.title',
        4,
      ],
      ['a to-many relation followed by to-one relations', 'others.parent.parent.title', 3],
      ['as many relations as the limit', `${'parent.'.repeat(SORT_LIMITS.relations)}title`, 5],
    ]
    for (const [label, sort, length] of bounded) {
      it(`sorts by ${label}`, () => expect(through(sort)).to.deep.equal([length]))
    }

    const unbounded: readonly (readonly [string, unknown])[] = [
      ['three to-many relations', 'others.others.others.title'],
      [
        'three to-many relations with to-one relations between',
        'others.parent.others.parent.others.title',
      ],
      [
        'three to-many relations as an object',
        { others: { others: { others: { title: 'asc' } } } },
      ],
      ['more relations than the to-many limit', 'others.others.parent.others.title'],
      ['two paths with two to-many relations', 'others.others.title,others.others.id'],
      ['more relations than the limit', `${'parent.'.repeat(SORT_LIMITS.relations + 1)}title`],
    ]
    for (const [label, sort] of unbounded) {
      it(`refuses ${label} and reports the path`, () => {
        const error = thrownBy(() => through(sort))
        expect([error.status, error.name]).to.deep.equal([400, 'ValidationError'])
        expect(error.message).to.match(
          /^sort: \w+\.[\w.]+ leads through (more than \d|two) relations/,
        )
      })
    }
  })

  it('refuses more sort keys than the limit', () => {
    const names = Array.from({ length: SORT_LIMITS.keys + 1 }, (_, index) => `a${index}`)
    const wide = planOf({
      attributes: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    })
    expect(parseSort(names.slice(1), wide, { mayRead: () => true })).to.have.length(
      SORT_LIMITS.keys,
    )
    expect(thrownBy(() => parseSort(names, wide, { mayRead: () => true })).message).to.match(
      /at most 20 attributes/,
    )
  })
})
