import { ValidationError } from '../../base/errors.ts'

/** The same error with the locale that it is about in its details. */
export function inLocale(error: ValidationError, locale: string): ValidationError {
  const { message, details, errorCode: code, faults } = error
  return new ValidationError(message, { ...details, locale }, { code, faults })
}
