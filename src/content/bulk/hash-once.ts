import type { DocumentContext } from '../context.ts'

/** Caches the hashes of one line, which may be prepared twice. Sharing them would expose equal passwords. */
export function hashingOnce(context: DocumentContext): DocumentContext {
  const hashes = new Map<string, Promise<string>>()
  const hashPassword = (password: string): Promise<string> => {
    const hash = hashes.get(password) ?? context.hashPassword(password)
    hashes.set(password, hash)
    return hash
  }
  return { ...context, hashPassword }
}
