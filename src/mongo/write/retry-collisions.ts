import { ConflictError } from '../../base/errors.ts'
import { isDuplicateKey } from '../connection/database-error.ts'

const ATTEMPTS = 5

/**
 * Retries a write after a duplicate key error. The retry reads again, so it finds the concurrently
 * created version or reports the taken value.
 * @throws ConflictError after five attempts: the index is not declared by these content-types, for
 * example while newer processes are running
 */
export async function retryCollisions<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      if (attempt < ATTEMPTS) continue
      const message = 'A unique index that these content-types do not declare rejected the write'
      throw new ConflictError(message, {}, { cause: error, code: 'undeclared_unique_index' })
    }
  }
}
