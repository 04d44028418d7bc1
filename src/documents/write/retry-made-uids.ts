import { type Fault, ValidationError } from '../../errors.ts'

/** Each failure is a creation elsewhere that succeeded, and a proposal knows a hundred names. */
const ATTEMPTS = 100

/**
 * Runs a creation again when another one took a uid that was made for it meanwhile: the next attempt makes the next one.
 * `names` are the uids that the creation makes.
 * @throws what `create` throws otherwise
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
