import {
  copyError,
  type FailureError,
  isShown,
  type Mutation,
  type MutationFailure,
} from './mutation.ts'
import { dropMutation, keyOfMutation, type Outbox, putMutation } from './outbox.ts'
import { patchedValues } from './show-mutations.ts'
import { type Change, makeRowKey, type Row, type Tables } from './storage.ts'
import type { PushedRows, SyncPage } from './sync-page.ts'

type Values = Readonly<Record<string, unknown>>

/** A line of the response of the server. */
export interface OutcomeLine {
  readonly n: number
  readonly outcome: 'applied' | 'merged' | 'conflict' | 'refused' | 'retry'
  readonly revision?: string | null
  readonly rebased?: boolean
  readonly code?: string
  readonly attributes?: readonly string[]
  readonly base?: Values
  readonly mine?: Values
  readonly theirs?: Values | null
  readonly error?: FailureError
}

interface Places {
  readonly outbox: Outbox
  readonly tables: Tables
}

/** The changes that store the outcomes of mutations. */
export function settleOutcomes(
  { outbox, tables }: Places,
  lines: readonly OutcomeLine[],
  round: number,
): readonly Change[] {
  const revisions = new Map(
    lines.flatMap(({ n, revision = null, rebased = false }) =>
      revision === null || rebased ? [] : [[n, revision] as const],
    ),
  )
  const outcomes = new Map(lines.map((line) => [line.n, line]))
  return outbox.list().flatMap((mutation): readonly Change[] => {
    const line = outcomes.get(mutation.n)
    if (line !== undefined) return [settle(tables, mutation, line, round)]
    return rebase(mutation, revisions)
  })
}

function settle(tables: Tables, mutation: Mutation, line: OutcomeLine, round: number): Change {
  const { n, state } = mutation
  if (state.kind === 'skipped') return dropMutation(n)
  if (state.kind === 'failed')
    return putMutation({ ...mutation, state: { ...state, isUnsent: false } })
  const { outcome, revision = null } = line
  if (outcome === 'conflict' || outcome === 'refused') {
    const failure = failureOf(mutation, { ...line, outcome })
    return putMutation({ ...mutation, state: { kind: 'failed', failure, isUnsent: false } })
  }
  const row = tables.confirmed(mutation.name, keyOfMutation(mutation))
  if (isInRow(mutation, row, revision)) return dropMutation(n)
  const isRebased = line.rebased === true
  return putMutation({ ...mutation, state: { kind: 'settled', revision, isRebased, round } })
}

function isInRow({ op, state }: Mutation, row: Row | undefined, revision: string | null): boolean {
  if (state.kind === 'pending' && state.isContained) return true
  if (row === undefined) return op === 'delete'
  return revision !== null && row.revision === revision
}

/** The server forgets the numbers of settled mutations, but not revisions. */
function rebase(mutation: Mutation, revisions: ReadonlyMap<number, string>): readonly Change[] {
  const { base, state } = mutation
  if (state.kind !== 'pending' || base === null || typeof base === 'string') return []
  const revision = revisions.get(base.n)
  return revision === undefined ? [] : [putMutation({ ...mutation, base: revision })]
}

type Told = Pick<OutcomeLine, 'code' | 'attributes' | 'theirs' | 'revision'> & {
  readonly outcome: MutationFailure['outcome']
  readonly error?: FailureError
}

export function failureOf(mutation: Mutation, told: Told): MutationFailure {
  const { outcome, code = outcome, attributes = [], theirs = null, revision = null, error } = told
  const mine = patchedValues(mutation.seen, mutation.patch)
  return {
    outcome,
    code,
    attributes,
    base: mutation.seen,
    mine,
    theirs,
    revision,
    error: error === undefined ? null : copyError(error),
  }
}

/** The server may have applied mutations up to this number, or not. Their responses are lost. */
export function unknownOutcomes(outbox: Outbox, last: number): readonly Change[] {
  return outbox.list().flatMap((mutation) => {
    const { n, state } = mutation
    if (n > last) return []
    if (state.kind === 'skipped' || state.kind === 'settled') return [dropMutation(n)]
    if (state.kind === 'failed') {
      return [putMutation({ ...mutation, state: { ...state, isUnsent: false } })]
    }
    const failure = failureOf(mutation, { outcome: 'unknown', code: 'unknown_outcome' })
    return [putMutation({ ...mutation, state: { kind: 'failed', failure, isUnsent: false } })]
  })
}

/** Ends mutations as soon as the rows of a page contain them. */
export function containedIn(
  outbox: Outbox,
  { items, pushed }: Pick<SyncPage, 'items' | 'pushed'>,
  /** The round that the page completes. Null if it completes none. */
  swept: number | null,
): readonly Change[] {
  const mutations = outbox.list().filter(({ n }) => pushed?.failed?.includes(n) !== true)
  if (mutations.length === 0) return []
  const rows = new Map(
    items.flatMap((item) =>
      item.op === 'reset' ? [] : [[makeRowKey(item), revisionOf(item)] as const],
    ),
  )
  return mutations.flatMap((mutation) => {
    const { state } = mutation
    const isOver = state.kind === 'settled' && swept !== null && state.round < swept
    if (!isOver && !isContained(mutation, rows, pushed)) return []
    return state.kind === 'pending'
      ? [putMutation({ ...mutation, state: { ...state, isContained: true } })]
      : [dropMutation(mutation.n)]
  })
}

function revisionOf(item: SyncPage['items'][number]): string | null {
  return item.op === 'put' ? (item.revision ?? null) : null
}

function isContained(
  mutation: Mutation,
  rows: ReadonlyMap<string, string | null>,
  { rows: inRows = 0, copy = 0 }: Partial<PushedRows> = {},
): boolean {
  const { n, state } = mutation
  if (!isShown(mutation)) return false
  if (n <= copy) return true
  const revision = rows.get(keyOfMutation(mutation))
  if (revision === undefined || n <= inRows) return revision !== undefined
  return state.kind === 'settled' && revision !== null && revision === state.revision
}
