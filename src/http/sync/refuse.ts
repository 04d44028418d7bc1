import { ValidationError } from '../../base/errors.ts'
import type { SyncScope } from '../../changes/sync/query/parse-scope.ts'

/** A token may contain a deleted locale. @throws ValidationError for an unknown locale in a new scope */
export function assertLocales({ locales }: SyncScope, known: { has(code: string): boolean }): void {
  if (typeof locales === 'string') return
  const unknown = locales.find((code) => !known.has(code))
  if (unknown !== undefined) throw invalidToken(`locale: there is no locale ${unknown}`)
}

export function invalidToken(message: string): ValidationError {
  return new ValidationError(message, {}, { code: 'invalid_query' })
}
