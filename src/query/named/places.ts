import type { Data } from '../../schema/definition.ts'

/** What stands in a declared query for a value that requests give: `{ "$param": "area" }`. */
const PLACE = '$param'

/** A parameter that was not given: what it stands in is left out. */
const ABSENT = Symbol('absent')

/** Values of parameters, as a query string has them. */
export type Given = ReadonlyMap<string, string | readonly string[]>

/** The parameter that a value of a declaration stands for; null for any other value. */
export function parameterIn(value: unknown): string | null {
  if (!isObject(value)) return null
  const { [PLACE]: name, ...others } = value
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : null
}

/** The parameters that a declaration names, anywhere in it. */
export function parametersIn(value: unknown): readonly string[] {
  const name = parameterIn(value)
  if (name !== null) return [name]
  return isTree(value) ? Object.values(value).flatMap(parametersIn) : []
}

/**
 * A declaration as a query string would have it: values in the places of parameters, numbers and flags as texts. A
 * condition on a parameter that was not given is left out, with what is empty without it; undefined if nothing is left.
 */
export function fill(value: unknown, given: Given): unknown {
  const filled = fillOne(value, given)
  return filled === ABSENT ? undefined : filled
}

function fillOne(value: unknown, given: Given): unknown {
  const name = parameterIn(value)
  if (name !== null) return given.get(name) ?? ABSENT
  if (Array.isArray(value)) return orAbsent(value, present(value, given))
  if (isObject(value)) {
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

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isObject(value: unknown): value is Data {
  return isTree(value) && !Array.isArray(value)
}
