import * as fc from 'fast-check'
import { declare } from '../../support/server.ts'
import { type DeclaredAggregate, nameOfKey } from './group-entries.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const RELATION = { type: 'relation' }

export const TYPES = {
  item: declare(
    'item',
    {
      kind: { type: 'enumeration', enum: ['a', 'b', 'hidden'], ...LOCALIZED },
      open: { type: 'boolean', ...LOCALIZED },
      on: { type: 'date' },
      at: { type: 'datetime', ...LOCALIZED },
      clock: { type: 'time' },
      size: { type: 'integer', ...LOCALIZED },
      weight: { type: 'float', ...LOCALIZED },
      price: { type: 'decimal', ...LOCALIZED },
      big: { type: 'biginteger', ...LOCALIZED },
      secret: { type: 'integer' },
      category: {
        ...RELATION,
        relation: 'manyToOne',
        target: 'api::category.category',
        inversedBy: 'items',
      },
      tags: { ...RELATION, relation: 'manyToMany', target: 'api::tag.tag' },
      notes: { ...RELATION, relation: 'oneToMany', target: 'api::note.note', mappedBy: 'item' },
    },
    { draftAndPublish: true, localized: true },
  ),
  category: declare(
    'category',
    {
      name: { type: 'string', ...LOCALIZED },
      items: {
        ...RELATION,
        relation: 'oneToMany',
        target: 'api::item.item',
        mappedBy: 'category',
      },
    },
    { draftAndPublish: true, localized: true },
  ),
  day: declare('day', { name: { type: 'string', unique: true }, on: { type: 'date' } }),
  tag: declare('tag', { isHidden: { type: 'boolean' } }),
  note: declare('note', {
    text: { type: 'string' },
    item: {
      ...RELATION,
      relation: 'manyToOne',
      target: 'api::item.item',
      inversedBy: 'notes',
    },
  }),
}

export const RELATIONS = ['category', 'tags', 'notes'] as const
export const KEYS = [
  'kind',
  'open',
  'on:day',
  'on:month',
  'at:day',
  'at:month',
  ...RELATIONS,
] as const
const NUMBERS = ['size', 'weight', 'price', 'big'] as const
export const ORDERED = [...NUMBERS, 'on', 'at', 'clock'] as const

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })

const isOfMany = (key: string): boolean => key === 'tags' || key === 'notes'

export const AGGREGATES: readonly DeclaredAggregate[] = [
  ...KEYS.map((key) => ({
    groupBy: [key],
    avg: NUMBERS,
    sum: NUMBERS,
    min: ORDERED,
    max: ORDERED,
  })),
  ...fc.sample(
    fc
      .record({
        groupBy: fc.shuffledSubarray([...KEYS], { minLength: 2, maxLength: 3 }),
        avg: some(NUMBERS),
        sum: some(NUMBERS),
        min: some(ORDERED),
        max: some(ORDERED),
      })
      .filter(
        ({ groupBy }) =>
          new Set(groupBy.map(nameOfKey)).size === groupBy.length &&
          groupBy.filter(isOfMany).length < 2,
      ),
    { numRuns: 12, seed: 37 },
  ),
]

export const QUERIES = Object.fromEntries(
  AGGREGATES.map((aggregate, index) => [
    `queries/groups-${index}`,
    {
      type: 'item',
      rules: 'caller',
      parameters: {
        kind: { type: 'enumeration', enum: ['a', 'b', 'hidden'] },
        open: { type: 'boolean' },
      },
      filters: {
        kind: { $eq: { $param: 'kind' } },
        tags: { isHidden: { $eq: { $param: 'open' } } },
      },
      aggregate: { count: true, ...aggregate },
    },
  ]),
)

const DAYS = ['1999-12-31', '2000-02-29', '2000-03-01', '0000-02-29', '1970-01-01']
const MOMENTS = [
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '2024-02-29T12:00:00.000Z',
  '2024-03-01T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
]
export const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6 })

/** A quarter, because databases add other floats with different roundings. */
export const VALUES = fc.record({
  kind: orNull(fc.constantFrom('a', 'b')),
  open: orNull(fc.boolean()),
  on: orNull(fc.constantFrom(...DAYS)),
  at: orNull(fc.constantFrom(...MOMENTS)),
  clock: orNull(fc.constantFrom('00:00:00', '12:30:00', '23:59:59')),
  size: orNull(fc.integer({ min: -1_000, max: 2 ** 31 - 1 })),
  weight: orNull(fc.integer({ min: -400, max: 400 }).map((quarters) => quarters / 4)),
  price: orNull(fc.integer({ min: -9_999, max: 9_999 }).map((cents) => cents / 100)),
  big: orNull(fc.bigInt({ min: 2n ** 62n, max: 2n ** 63n - 1n }).map(String)),
})

export const CANARY = {
  kind: 'hidden',
  on: '2999-12-31',
  at: '2999-12-31T00:00:00.000Z',
  size: -987_654,
  weight: 987_654.25,
  price: 987_654.12,
  big: '9876543210',
}
