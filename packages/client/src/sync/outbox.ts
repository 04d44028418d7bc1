import {
  isShown,
  isStateRow,
  isUnsent,
  type Mutation,
  mutationRow,
  OUTBOX,
  type OutboxState,
  place,
  STATE_PLACE,
} from './mutation.ts'
import { type Change, makeRowKey, type Row } from './storage.ts'

/** The mutations of a store, in memory. */
export interface Outbox {
  /** Null before the first mutation. */
  state(): OutboxState | null
  /** In the order of their numbers. */
  list(): readonly Mutation[]
  get(n: number): Mutation | undefined
  /** The shown mutations of one row, in order. */
  shownFor(key: string): readonly Mutation[]
  /** The keys of rows with mutations. */
  keys(): ReadonlySet<string>
  hasUnsent(): boolean
  /** Returns the keys of the rows with changed mutations. */
  apply(changes: readonly Change[]): ReadonlySet<string>
  replace(rows: readonly Row[]): void
}

export function openOutbox(): Outbox {
  const mutations = new Map<number, Mutation>()
  const byKey = new Map<string, Set<number>>()
  let state: OutboxState | null = null

  const remove = (n: number): string | null => {
    const mutation = mutations.get(n)
    if (mutation === undefined) return null
    const key = keyOfMutation(mutation)
    mutations.delete(n)
    const numbers = byKey.get(key)
    numbers?.delete(n)
    if (numbers?.size === 0) byKey.delete(key)
    return key
  }
  const put = (mutation: Mutation): string => {
    const key = keyOfMutation(mutation)
    mutations.set(mutation.n, mutation)
    const numbers = byKey.get(key) ?? new Set()
    byKey.set(key, numbers.add(mutation.n))
    return key
  }
  const applyOne = (change: Change): string | null => {
    if (change.op === 'delete' && change.type === OUTBOX) {
      if (change.key !== makeRowKey(STATE_PLACE)) return remove(numberOf(change.key))
      state = null
    } else if (change.op === 'put' && change.row.type === OUTBOX) {
      if (!isStateRow(change.row)) return put(change.row.data as unknown as Mutation)
      state = change.row.data as unknown as OutboxState
    }
    return null
  }
  const inOrder = (numbers: Iterable<number>): readonly Mutation[] =>
    [...numbers].sort((one, other) => one - other).flatMap((n) => mutations.get(n) ?? [])
  return {
    state: () => state,
    list: () => inOrder(mutations.keys()),
    get: (n) => mutations.get(n),
    shownFor: (key) => inOrder(byKey.get(key) ?? []).filter(isShown),
    keys: () => new Set(byKey.keys()),
    hasUnsent: () => [...mutations.values()].some(isUnsent),
    apply: (changes) => new Set(changes.flatMap((change) => applyOne(change) ?? [])),
    replace: (rows) => {
      mutations.clear()
      byKey.clear()
      state = null
      for (const row of rows) applyOne({ op: 'put', row })
    },
  }
}

export function keyOfMutation({ type, documentId, locale }: Mutation): string {
  return makeRowKey({ type, documentId, locale })
}

export function putMutation(mutation: Mutation): Change {
  return { op: 'put', row: mutationRow(mutation) }
}

export function dropMutation(n: number): Change {
  return { op: 'delete', type: OUTBOX, key: makeRowKey(place(n)) }
}

function numberOf(key: string): number {
  return Number(key.split(' ')[1])
}
