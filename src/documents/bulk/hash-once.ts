import type { DocumentContext } from '../context.ts'

/**
 * Returns a context for one line that caches password hashes, because a line may be prepared several times. Lines
 * never share a cache, so that equal passwords have different hashes.
 */
export function hashingOnce(context: DocumentContext): DocumentContext {
  const hashes = new Map<string, Promise<string>>()
  const hashPassword = (password: string): Promise<string> => {
    const hash = hashes.get(password) ?? context.hashPassword(password)
    hashes.set(password, hash)
    return hash
  }
  return { ...context, hashPassword }
}
