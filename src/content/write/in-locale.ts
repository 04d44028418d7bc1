import { ValidationError } from '../../base/errors.ts'

/** Adds the locale to the details. */
export function inLocale(error: ValidationError, locale: string): ValidationError {
  const { message, details, errorCode: code, faults } = error
  return new ValidationError(message, { ...details, locale }, { code, faults })
}
