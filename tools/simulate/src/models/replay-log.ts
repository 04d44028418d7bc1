import type { NumberedCommit } from '../../../../src/mongo/commits/read-commits.ts'

/** Returns the versions of a client that followed the log from its start. */
export function replayLog(log: readonly NumberedCommit[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>()
  for (const { items } of log) {
    for (const { type, documentId, locale, status, op, revision } of items) {
      const key = `${type} ${documentId}:${locale}:${status}`
      if (op === 'delete') held.delete(key)
      else held.set(key, String(revision))
    }
  }
  return held
}
