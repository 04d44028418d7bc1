import { ConflictError } from '../../errors.ts'
import { isDuplicateKey } from '../connection/database-error.ts'

const ATTEMPTS = 5

/**
 * Runs a write again when another came between what it read and what it wrote: read anew, the same
 * request finds the version that it meant to create, or names the value that is taken by now.
 * @throws ConflictError when an index refuses it again and again: it is unique by what these content-types
 * do not know, as while processes with newer ones run beside this.
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
