import { isDeadlock, isDuplicateKey } from './database-error.ts'

const ATTEMPTS = 5

/**
 * Runs a write again when another came between what it read and what it wrote: read anew, the same
 * request finds the version that it meant to create, or names the value that is taken by now.
 */
export async function retryCollisions<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      const isCollision = isDuplicateKey(error) || isDeadlock(error)
      if (!isCollision || attempt === ATTEMPTS) throw error
    }
  }
}
