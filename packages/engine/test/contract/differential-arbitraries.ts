import * as fc from 'fast-check'
import { Double, Long } from 'mongodb'
import type { Document } from 'mongodb'

// Documents, filters, sorts and updates of the shapes that Quire sends, with few names and values,
// so that filters match. Decimals are left to the contract: DocumentDB does not match an equal
// double (2026).

const scalars = fc.constantFrom<unknown>(
  null, true, false, 0, 1, 2, -1, 1.5, new Double(1), new Double(-0), Long.ONE, Long.fromString('9007199254740993'),
  '', 'a', 'A', 'ab', 'é', '1', new Date(0), new Date(1),
) // prettier-ignore

const names = fc.constantFrom('a', 'b')

const { value } = fc.letrec<{ value: unknown; list: unknown[]; document: Document }>((tie) => ({
  value: fc.oneof({ depthSize: 'xsmall' }, scalars, tie('list'), tie('document')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  document: fc.dictionary(names, tie('value'), { maxKeys: 2, noNullPrototype: true }),
}))

export const documents: fc.Arbitrary<Document> = fc.dictionary(names, value, {
  maxKeys: 2,
  noNullPrototype: true,
})

const paths = fc.constantFrom('a', 'b', 'a.a', 'a.b', 'b.a')

const conditions: fc.Arbitrary<Document> = fc.oneof(
  fc.tuple(fc.constantFrom('$eq', '$ne'), value).map(([name, operand]) => ({ [name]: operand })),
  fc
    .tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), scalars)
    .map(([name, operand]) => ({ [name]: operand })),
  fc
    .tuple(fc.constantFrom('$in', '$nin'), fc.array(scalars, { maxLength: 3 }))
    .map(([name, operand]) => ({ [name]: operand })),
  fc.boolean().map((exists) => ({ $exists: exists })),
  fc
    .tuple(fc.constantFrom('a', '^a', 'B$', '^$'), fc.constantFrom('', 'i'))
    .map(([$regex, $options]) => ({ $regex, $options })),
)

const elementConditions: fc.Arbitrary<Document> = fc.oneof(
  conditions,
  fc.tuple(names, conditions).map(([name, condition]) => ({ [name]: condition })),
)

const leaves: fc.Arbitrary<Document> = fc
  .tuple(
    paths,
    fc.oneof(
      conditions,
      conditions.map((condition) => ({ $not: condition })),
      elementConditions.map((condition) => ({ $elemMatch: condition })),
    ),
  )
  .map(([path, condition]) => ({ [path]: condition }))

export const filters: fc.Arbitrary<Document> = fc.oneof(
  { weight: 3, arbitrary: leaves },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('$and', '$or', '$nor'),
        fc.array(leaves, { minLength: 1, maxLength: 3 }),
      )
      .map(([name, of]) => ({ [name]: of })),
  },
)

const directions = fc.constantFrom<1 | -1>(1, -1)

export const sorts: fc.Arbitrary<readonly (readonly [string, 1 | -1])[]> = fc
  .uniqueArray(fc.tuple(paths, directions), {
    minLength: 1,
    maxLength: 2,
    selector: ([path]) => path,
  })
  // A path and a path below it cannot be sorted together. `_id` makes the order total.
  .map((fields) => [...fields.slice(0, fields[0]?.[0].includes('.') ? 1 : 2), ['_id', 1]])

export const updates: fc.Arbitrary<Document> = fc
  .tuple(
    fc.constantFrom('$set', '$inc', '$push', '$addToSet', '$min', '$max'),
    paths,
    value,
    fc.constantFrom<unknown>(1, new Double(0.5), Long.ONE),
  )
  .map(([name, path, operand, amount]) => ({
    [name]: { [path]: name === '$inc' ? amount : operand },
  }))

function holds(value: unknown, test: (value: unknown) => boolean): boolean {
  return (
    test(value) ||
    (Array.isArray(value)
      ? value.some((element) => holds(element, test))
      : value?.constructor === Object && Object.values(value).some((child) => holds(child, test)))
  )
}

/** DocumentDB sorts an empty array as null, not below it. */
export function hasEmptyList(rows: readonly Document[]): boolean {
  return holds(rows, (value) => Array.isArray(value) && value.length === 0)
}

/** DocumentDB adds to a boolean, which MongoDB refuses. */
export function addsToBoolean(rows: readonly Document[], update: Document): boolean {
  return '$inc' in update && holds(rows, (value) => typeof value === 'boolean')
}

/**
 * For MongoDB an array within an array is also a document, with indexes as names. For DocumentDB it
 * is not.
 */
export function asksListsForNames(rows: readonly Document[], asked: readonly Document[]): boolean {
  return (
    holds(
      rows,
      (value) => Array.isArray(value) && value.some((element) => Array.isArray(element)),
    ) && /"\$elemMatch":\{"[ab]"/.test(JSON.stringify(asked))
  )
}

/**
 * DocumentDB sorts by two arrays of one document, each path by its own element. MongoDB refuses
 * that.
 */
export function sortsByTwoLists(
  rows: readonly Document[],
  sort: readonly (readonly [string, 1 | -1])[],
): boolean {
  const roots = sort.map(([path]) => path.slice(0, 1))
  return rows.some((row) => roots.filter((root) => holds(row[root], Array.isArray)).length > 1)
}

/**
 * For MongoDB a missing value is at least and at most null. DocumentDB differs within `$elemMatch`.
 */
export function asksElementsForNull(asked: readonly Document[]): boolean {
  return /"\$elemMatch":\{"[ab]":\{"\$[gl]te":null/.test(JSON.stringify(asked))
}
