import { shownName, ValidationError } from '../base/errors.ts'
import { dottedPath } from './dotted-path.ts'

export type QueryParameter = 'filters' | 'sort' | 'fields' | 'populate'

/**
 * A key that means nothing where it stands. `parent` is the dotted path of what holds it, null at the root. `hint`
 * ends the message, and names nothing that the caller may not use.
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

/** A key that exists but may not be used here: private, forbidden, or of the wrong kind. */
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

/** A value that cannot be what the parameter needs; `path` is bracketed as in the URL. */
export function invalidValue(path: string, message: string): ValidationError {
  return new ValidationError(`${path}: ${message}`, {}, { code: 'invalid_query' })
}
