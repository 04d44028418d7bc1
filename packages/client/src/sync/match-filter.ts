import type { Location, LocationFilter } from '../content.ts'
import { toComparable, compareValues } from './compare-values.ts'
import { isNear, isWithin } from './match-area.ts'
import { followLink, type EntryPlace, type QueryContext } from './query-context.ts'

type Conditions = Readonly<Record<string, unknown>>

/** Filters have the same semantics as on the server. @throws Error for an unknown operator */
export function matchesFilter(reach: QueryContext, place: EntryPlace, filter: object): boolean {
  return Object.entries(filter).every(([name, asked]: [string, unknown]) => {
    if (asked === undefined) return true
    switch (name) {
      case '$and':
        return listOf(asked).every((one) => matchesFilter(reach, place, one as object))
      case '$or':
        return listOf(asked).some((one) => matchesFilter(reach, place, one as object))
      case '$not':
        return !matchesFilter(reach, place, asked as object)
      default:
        return matchesMember(reach, place, name, asked)
    }
  })
}

/** One target of the link must match all conditions. */
function matchesMember(
  reach: QueryContext,
  place: EntryPlace,
  name: string,
  asked: unknown,
): boolean {
  const link = place.shape.links[name]
  if (link !== undefined) {
    return followLink(reach, place, name, link).some((one) =>
      matchesFilter(reach, one, asked as object),
    )
  }
  if (name.startsWith('$')) throw new Error(`${name}: no such operator`)
  const isPlain = asked === null || typeof asked !== 'object' || asked instanceof Date
  const conditions = isPlain ? { $eq: asked } : (asked as Conditions)
  return Object.entries(conditions).every(
    ([operator, operand]) =>
      operand === undefined ||
      (operator === '$not'
        ? !matchesMember(reach, place, name, operand)
        : holds(operator, place.data[name], operand, place.shape.kinds[name])),
  )
}

type Kind = Parameters<typeof toComparable>[1]

function holds(operator: string, value: unknown, operand: unknown, kind: Kind): boolean {
  const test = OPERATORS[operator]
  if (test === undefined) throw new Error(`${operator}: no such operator`)
  return test(value ?? null, operand, kind)
}

type Operator = (value: unknown, operand: unknown, kind: Kind) => boolean

const isEqual: Operator = (value, operand, kind) =>
  compareValues(toComparable(value, kind), toComparable(operand, kind)) === 0

/** Missing values do not match order comparisons. */
const ordered =
  (isMet: (order: number) => boolean): Operator =>
  (value, operand, kind) =>
    value !== null && isMet(compareValues(toComparable(value, kind), toComparable(operand, kind)))

const isOneOf: Operator = (value, operand, kind) =>
  listOf(operand).some((one) => isEqual(value, one, kind))

const isAtLeast = ordered((order) => order >= 0)
const isAtMost = ordered((order) => order <= 0)

/** Uses a regular expression like the server, so that letter case is treated in the same way. */
const found =
  (before: string, after: string, flags: string): Operator =>
  (value, operand) =>
    typeof value === 'string' && new RegExp(before + literal(operand) + after, flags).test(value)

const not =
  (operator: Operator): Operator =>
  (value, operand, kind) =>
    !operator(value, operand, kind)

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: isEqual,
  $ne: not(isEqual),
  $in: isOneOf,
  $notIn: not(isOneOf),
  $null: (value, operand) => (value === null) === operand,
  $notNull: (value, operand) => (value !== null) === operand,
  $lt: ordered((order) => order < 0),
  $lte: isAtMost,
  $gt: ordered((order) => order > 0),
  $gte: isAtLeast,
  $between: (value, operand, kind) => {
    const [from, to] = listOf(operand)
    return isAtLeast(value, from, kind) && isAtMost(value, to, kind)
  },
  $near: (value, operand) => value !== null && isNear(value as Location, operand as Near),
  $within: (value, operand) => value !== null && isWithin(value as Location, operand as Within),
  $eqi: found('^', '$', 'iu'),
  $nei: not(found('^', '$', 'iu')),
  $contains: found('', '', 'u'),
  $notContains: not(found('', '', 'u')),
  $containsi: found('', '', 'iu'),
  $notContainsi: not(found('', '', 'iu')),
  $startsWith: found('^', '', 'u'),
  $startsWithi: found('^', '', 'iu'),
  $endsWith: found('', '$', 'u'),
  $endsWithi: found('', '$', 'iu'),
}

type Near = NonNullable<LocationFilter['$near']>
type Within = NonNullable<LocationFilter['$within']>

function literal(operand: unknown): string {
  return String(operand).replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
