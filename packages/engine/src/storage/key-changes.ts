import type { Document } from '../bson/values.ts'
import type { Index } from './collection.ts'
import { makeIndexKeys } from './index-keys.ts'
import type { IndexKey } from './index-keys.ts'

export interface KeyChange {
  readonly before: readonly IndexKey[]
  readonly after: readonly IndexKey[]
}

export type KeyChanges = Map<number, KeyChange>

export interface DocumentVersions {
  readonly before: Document | null
  readonly after: Document | null
}

export const NO_CHANGE: KeyChange = { before: [], after: [] }

/** Computes no keys if all indexed fields are identical. */
export function makeKeyChange(index: Index, versions: DocumentVersions): KeyChange {
  if (keepsKeys(index, versions)) return NO_CHANGE
  const { before, after } = versions
  return {
    before: before ? makeIndexKeys(index, before) : [],
    after: after ? makeIndexKeys(index, after) : [],
  }
}

function keepsKeys({ reads }: Index, { before, after }: DocumentVersions): boolean {
  if (!reads || !before || !after) return false
  for (const name of reads) if (before[name] !== after[name]) return false
  return true
}

export function addKeyChanges(known: KeyChanges, later: KeyChanges): void {
  for (const [index, next] of later) {
    if (next === NO_CHANGE) continue
    const first = known.get(index)
    const { before } = first && first !== NO_CHANGE ? first : next
    known.set(index, { before, after: next.after })
  }
}

/** Above this number a set is faster than comparing all pairs. */
const MAX_COMPARED_PAIRS = 64

export function subtractKeys(
  keys: readonly IndexKey[],
  others: readonly IndexKey[],
): readonly IndexKey[] {
  if (others.length === 0 || keys.length === 0) return keys
  if (keys.length * others.length <= MAX_COMPARED_PAIRS)
    return keys.filter(({ bytes }) => !others.some((other) => other.bytes.equals(bytes)))
  const known = new Set(others.map(({ bytes }) => bytes.toString('latin1')))
  return keys.filter(({ bytes }) => !known.has(bytes.toString('latin1')))
}
