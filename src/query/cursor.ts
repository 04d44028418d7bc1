import { SCALAR_KINDS } from '../schema/values/attribute-kinds.ts'
import type { ScalarType } from '../schema/definition.ts'
import { ValidationError } from '../base/errors.ts'
import { invalidValue } from './query-error.ts'
import { sortPath } from './query-names.ts'
import type { SortKey } from './query.ts'

/** A URL cannot carry sort values of these types. */
const WITHOUT_CURSOR: ReadonlySet<ScalarType> = new Set<ScalarType>(['json', 'blocks', 'location'])

/** Null for an empty cursor (the first page). `sort` ends in `id`. @throws ValidationError, also for another order */
export function parseCursor(input: unknown, sort: readonly SortKey[]): readonly unknown[] | null {
  const unfit = sort.find(
    ({ attribute, through }) => through.length > 0 || WITHOUT_CURSOR.has(attribute.type),
  )
  if (unfit !== undefined) {
    throw invalidValue('pagination[cursor]', `no cursor in an order by ${sortPath(unfit)}`)
  }
  if (input === '') return null
  const [order, values] = decode(input)
  if (order !== signature(sort)) {
    throw invalidValue('pagination[cursor]', 'belongs to another order; start with an empty cursor')
  }
  if (values.length !== sort.length) throw notOurs()
  return sort.map(({ attribute }, index) => fromText(values[index], attribute.type))
}

export function toCursor(sort: readonly SortKey[], values: readonly unknown[]): string {
  const texts = values.map((value, index) => toText(value, sort[index]?.attribute.type))
  return Buffer.from(JSON.stringify([signature(sort), texts])).toString('base64url')
}

/** Stored names, so that a cursor stays valid when an attribute is renamed. */
function signature(sort: readonly SortKey[]): string {
  return sort.map(({ attribute, direction }) => `${attribute.storedName}:${direction}`).join(',')
}

function toText(value: unknown, type: ScalarType | undefined): string | null {
  if (value === null || value === undefined || type === undefined) return null
  // Decimal128 prints its digits. All other stored forms are primitives.
  return value instanceof Date ? value.toISOString() : `${value as string | number | bigint}`
}

function fromText(text: unknown, type: ScalarType): unknown {
  if (text === null) return null
  if (typeof text !== 'string' || text.includes('\0')) throw notOurs()
  try {
    return SCALAR_KINDS[type].fromQuery(text)
  } catch (error) {
    if (error instanceof ValidationError) throw notOurs()
    throw error
  }
}

function decode(input: unknown): readonly [string, readonly unknown[]] {
  if (typeof input !== 'string') throw notOurs()
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(input, 'base64url').toString('utf8'))
  } catch {
    throw notOurs()
  }
  if (!Array.isArray(parsed)) throw notOurs()
  const [order, values] = parsed as readonly unknown[]
  if (typeof order !== 'string' || !Array.isArray(values)) throw notOurs()
  return [order, values]
}

function notOurs(): ValidationError {
  return invalidValue('pagination[cursor]', 'is not a cursor of this server')
}
