import { isRecord, isObject } from '../../base/is-record.ts'

/** The key of a placeholder, such as `{ "$param": "area" }`. */
const PLACE = '$param'

/** The enclosing condition is omitted. */
const ABSENT = Symbol('absent')

/** Parameter values, as in a query string. */
export type Given = ReadonlyMap<string, string | readonly string[]>

export function parameterIn(value: unknown): string | null {
  if (!isRecord(value)) return null
  const { [PLACE]: name, ...others } = value
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : null
}

export function parametersIn(value: unknown): readonly string[] {
  const name = parameterIn(value)
  if (name !== null) return [name]
  return isObject(value) ? Object.values(value).flatMap(parametersIn) : []
}

/** Converts numbers and booleans to texts. Omits conditions on missing parameters. Undefined for an empty result. */
export function fill(value: unknown, given: Given): unknown {
  const filled = fillOne(value, given)
  return filled === ABSENT ? undefined : filled
}

function fillOne(value: unknown, given: Given): unknown {
  const name = parameterIn(value)
  if (name !== null) return given.get(name) ?? ABSENT
  if (Array.isArray(value)) return orAbsent(value, present(value, given))
  if (isRecord(value)) {
    const members = Object.entries(value).flatMap(([key, inner]) => {
      const filled = fillOne(inner, given)
      return filled === ABSENT ? [] : [[key, filled] as const]
    })
    return members.length === 0 && Object.keys(value).length > 0
      ? ABSENT
      : Object.fromEntries(members)
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

function present(values: readonly unknown[], given: Given): readonly unknown[] {
  return values.map((one) => fillOne(one, given)).filter((one) => one !== ABSENT)
}

function orAbsent(declared: readonly unknown[], filled: readonly unknown[]): unknown {
  return filled.length === 0 && declared.length > 0 ? ABSENT : filled
}
