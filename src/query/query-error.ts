import { shownName, ValidationError } from '../base/errors.ts'
import { dottedPath } from './dotted-path.ts'

export type QueryParameter = 'filters' | 'sort' | 'fields' | 'populate'

/**
 * `parent` is the dotted path of the holder, null at the root. `hint` must not reveal members that
 * the caller cannot use.
 */
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

/** For a key that exists, but is private, forbidden or of the wrong kind. */
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

/** `path` has brackets, as in the URL. */
export function invalidValue(path: string, message: string): ValidationError {
  return new ValidationError(`${path}: ${message}`, {}, { code: 'invalid_query' })
}
