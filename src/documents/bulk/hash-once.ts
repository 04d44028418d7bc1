import type { DocumentContext } from '../context.ts'

/**
 * The context of one line, which may be prepared more than once before it is stored: each of its passwords is hashed once.
 * Two lines share none, so that equal passwords have different hashes.
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
