import { expect } from 'chai'
import { ValidationError } from '../../src/base/errors.ts'
import type { Data } from '../../src/schema/definition.ts'
import { validatorsOf } from './define.ts'

const LINK = {
  label: { type: 'string', required: true },
  secret: { type: 'string', private: true },
}
const ATTRIBUTES = {
  title: { type: 'string', required: true, minLength: 2, maxLength: 5 },
  amount: { type: 'integer', required: true, min: 1, max: 10 },
  code: { type: 'string', regex: '^[A-Z]+$' },
  mail: { type: 'email' },
  slug: { type: 'uid' },
  kind: { type: 'enumeration', enum: ['a'] },
  pass: { type: 'password', minLength: 6 },
  price: { type: 'decimal', min: 1 },
  big: { type: 'biginteger', min: '5' },
  day: { type: 'date', required: true },
  one: { type: 'component', component: 'shared.link', required: true },
  list: {
    type: 'component',
    component: 'shared.link',
    repeatable: true,
    required: true,
    min: 1,
    max: 2,
  },
  zone: { type: 'dynamiczone', components: ['shared.link'], max: 1 },
  author: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' },
}
const COMPLETE: Data = {
  title: 'abc',
  amount: 5,
  day: new Date('2024-02-29'),
  one: { id: 1, label: 'x' },
  list: [{ id: 2, label: 'y' }],
}

const { draft, publishable } = validatorsOf(
  ATTRIBUTES,
  { 'shared.link': LINK },
  { draftAndPublish: true },
)

interface Listed {
  readonly path: readonly string[]
  readonly message: string
  readonly value?: unknown
}

function faults(validate: () => unknown): readonly Listed[] {
  try {
    validate()
  } catch (error) {
    if (error instanceof ValidationError) {
      return (error.details?.['errors'] ?? []) as readonly Listed[]
    }
    throw error
  }
  return []
}

describe('a draft', () => {
  const fine: readonly Data[] = [
    {},
    { title: null, amount: null, one: null, list: [] },
    { title: 'a', amount: 0 },
    { code: 'lower', mail: 'not yet', slug: 'to do!' },
    { mail: '' },
    { price: 0, big: '4' },
    { one: {}, list: [{}], zone: [{ __component: 'shared.link' }] },
    { list: [{ label: 'a' }, { label: 'b' }, { label: 'c' }] },
  ]
  for (const data of fine) {
    it(`may be ${JSON.stringify(data)}`, () => {
      expect(faults(() => draft(data, { creating: true }))).to.deep.equal([])
      expect(faults(() => draft(data, { creating: false }))).to.deep.equal([])
    })
  }

  const wrong: readonly [Data, string][] = [
    [{ title: 5 }, 'title must be a `string` type, but the final value was: `5`.'],
    [{ title: 'abcdef' }, 'title must be at most 5 characters'],
    [{ amount: 1.5 }, 'amount must be an integer'],
    [{ amount: 11 }, 'amount must be less than or equal to 10'],
    [{ amount: -3e9 }, 'amount must be greater than or equal to -2147483648'],
    [{ kind: 'b' }, 'kind must be one of the following values: a, '],
    [{ pass: 'short' }, 'pass must be at least 6 characters'],
    [{ list: null }, 'list must be a `array` type, but the final value was: `null`.'],
    [{ one: { label: 5 } }, 'one.label must be a `string` type, but the final value was: `5`.'],
  ]
  for (const [data, message] of wrong) {
    it(`may not be ${JSON.stringify(data)}`, () => {
      const found = faults(() => draft(data, { creating: true }))
      expect(found.map((fault) => fault.message)).to.deep.equal([message])
    })
  }

  it('may not contain a date in the wrong format', () => {
    expect(() => draft({ day: 'soon' }, { creating: true })).to.throw(
      ValidationError,
      'day: Invalid format, expected yyyy-MM-dd',
    )
  })
})

describe('a version to publish', () => {
  it('may be complete', () => {
    expect(faults(() => publishable(COMPLETE))).to.deep.equal([])
  })

  it('may contain system fields', () => {
    const stored = { ...COMPLETE, _id: 'x:en:draft', id: 3, locale: '', updatedAt: new Date() }
    expect(faults(() => publishable(stored))).to.deep.equal([])
  })

  for (const absent of [undefined, null]) {
    it(`requires required attributes instead of ${absent}`, () => {
      const names = ['title', 'amount', 'day', 'one', 'list']
      const version = Object.fromEntries(names.map((name) => [name, absent]))
      expect(faults(() => publishable(version))).to.deep.equal([
        {
          path: ['title'],
          message: 'title must be a `string` type, but the final value was: `null`.',
          name: 'ValidationError',
          value: null,
        },
        {
          path: ['amount'],
          message: 'amount must be a `number` type, but the final value was: `null`.',
          name: 'ValidationError',
          value: null,
        },
        { path: ['day'], message: 'day must be defined.', name: 'ValidationError', value: null },
        {
          path: ['one'],
          message: 'one must be a `object` type, but the final value was: `null`.',
          name: 'ValidationError',
          value: null,
        },
        { path: ['list'], message: 'list must be defined.', name: 'ValidationError' },
      ])
    })
  }

  const rows: readonly [Data, readonly string[], string][] = [
    [{ title: 'a' }, ['title'], 'title must be at least 2 characters'],
    [{ amount: 0 }, ['amount'], 'amount must be greater than or equal to 1'],
    [{ code: 'x' }, ['code'], 'code must match the following: "/^[A-Z]+$/"'],
    [{ mail: 'x' }, ['mail'], 'mail must be a valid email'],
    [{ mail: '' }, ['mail'], 'mail cannot be empty'],
    [{ slug: 'a b' }, ['slug'], 'slug must match the following: "/^[A-Za-z0-9-_.~]*$/"'],
    [{ price: { toString: () => '0.5' } }, ['price'], 'price must be greater than or equal to 1'],
    [{ big: 4n }, ['big'], 'big must be greater than or equal to 5'],
    [{ big: { toString: () => '4' } }, ['big'], 'big must be greater than or equal to 5'],
    [
      { one: { id: 1 } },
      ['one', 'label'],
      'one.label must be a `string` type, but the final value was: `null`.',
    ],
    [
      { zone: [{ __component: 'shared.link', id: 1 }] },
      ['zone', '0', 'label'],
      'zone[0].label must be a `string` type, but the final value was: `null`.',
    ],
    [{ list: [] }, ['list'], 'list field must have at least 1 items'],
    [
      { zone: [{ __component: 'shared.gone' }] },
      ['zone', '0', '__component'],
      'zone[0].__component must be one of the following values: shared.link',
    ],
  ]
  for (const [data, path, message] of rows) {
    it(`is refused: ${message}`, () => {
      const found = faults(() => publishable({ ...COMPLETE, ...stored(data) }))
      expect(found.map((fault) => [fault.path, fault.message])).to.deep.equal([[path, message]])
    })
  }

  it('is refused with values as in a response, without private attributes', () => {
    const list = [1, 2, 3].map((id) => ({ id, label: 'x', secret: 's' }))
    const [tooSmall, tooMany] = faults(() => publishable({ ...COMPLETE, list, big: 4n }))
    expect(tooSmall?.value).to.equal('4')
    expect(tooMany?.value).to.deep.equal([{ label: 'x' }, { label: 'x' }, { label: 'x' }])
  })

  it('may contain a hashed password', () => {
    expect(faults(() => publishable({ ...COMPLETE, pass: 'hash' }))).to.deep.equal([])
  })
})

/** The database driver returns objects without the Object prototype. */
function stored(data: Data): Data {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const isDigits =
        typeof value === 'object' && value !== null && Object.hasOwn(value, 'toString')
      return [name, isDigits ? Object.assign(Object.create({}), value) : value]
    }),
  )
}
