import { type Fault, ValidationError } from '../../base/errors.ts'

/** Maximum number of attempts. An attempt fails only if a concurrent creation took the generated uid. */
const ATTEMPTS = 100

/**
 * Repeats a creation with other uids if the generated ones are taken. `names` are the attributes
 * with generated values.
 */
export async function retryMadeUids<T>(
  names: readonly string[],
  create: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await create()
    } catch (error) {
      if (attempt === ATTEMPTS || !isTaken(error, names)) throw error
    }
  }
}

function isTaken(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof ValidationError) || error.errorCode !== 'value_not_unique') return false
  const faults = (error.details?.['errors'] ?? []) as readonly Fault[] // as `validationError` made them
  return faults.every(({ path: [name = '', ...deeper] }) => {
    return deeper.length === 0 && names.includes(name)
  })
}
