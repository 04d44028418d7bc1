import { createHash } from 'node:crypto'
import { isRecord } from '../../base/is-record.ts'
import type { PushedOutcome } from '../../mongo/system/push-clients.ts'
import type { Mutation } from './push-request.ts'

/** Identifies the outcome of a mutation. */
export function outcomeKey(mutation: Mutation): Pick<PushedOutcome, 'n' | 'documentId' | 'digest'> {
  const { n, documentId } = mutation
  return { n, documentId, digest: digestOf(mutation) }
}

/**
 * Whether the outcome belongs to the mutation. A device that was restored from a backup may use a number again. `base`,
 * `seen` and `depends` may differ, because earlier outcomes change them. A number that is given up keeps its outcome.
 */
export function isOutcomeOf({ n, digest }: PushedOutcome, mutation: Mutation): boolean {
  if (n !== mutation.n) return false
  return mutation.op === 'skip' || digest === undefined || digest === digestOf(mutation)
}

function digestOf(mutation: Mutation): string {
  const { op, type, documentId, locale } = mutation
  const patch = 'patch' in mutation ? Object.fromEntries(mutation.patch) : null
  const text = JSON.stringify([op, type, documentId, locale, patch], sortMembers)
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH)
}

const DIGEST_LENGTH = 22

/** Storages may change the order of members. */
function sortMembers(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
