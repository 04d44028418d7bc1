import { shownName, ValidationError } from '../base/errors.ts'
export type QueryParameter = 'filters' | 'sort' | 'fields' | 'populate' | 'aggregate'

/** `parent` is null at the root. `hint` must not reveal members that the caller cannot use. */
export function unknownKey(
  key: string,
  parent: string | null,
  param: QueryParameter,
  hint = '',
): ValidationError {
  const where = parent === null ? '' : ` at ${parent}`
  return new ValidationError(
    `Invalid key ${shownName(key)}${where}${hint}`,
    {
      key,
      path: parent,
      source: 'query',
      param,
    },
    { code: 'invalid_key' },
  )
}

export function unusableKey(
  key: string,
  parent: string | null,
  param: QueryParameter,
  hint = '',
): ValidationError {
  const path = dottedPath(parent, key)
  const where = parent === null ? '' : ` at ${path}`
  return new ValidationError(
    `Invalid key ${shownName(key)}${where}${hint}`,
    { key, path, source: 'query', param },
    { code: 'invalid_key' },
  )
}

/** Computed attributes are not stored, so the database cannot compare them. */
export function computedKey(
  key: string,
  parent: string | null,
  param: 'filters' | 'sort',
): ValidationError {
  const verb = param === 'sort' ? 'sorted' : 'filtered'
  return unusableKey(key, parent, param, `: computed attributes cannot be ${verb}`)
}

export function invalidValue(path: string, message: string): ValidationError {
  return new ValidationError(`${path}: ${message}`, {}, { code: 'invalid_query' })
}

export function dottedPath(parent: string | null, name: string): string {
  return parent === null ? name : `${parent}.${name}`
}
