import type { Operation } from '@quire/merge/apply-operation'
import type { Row } from './storage.ts'

export type MutationBase = string | { readonly n: number } | null

export type EntryPatch = Readonly<Record<string, Operation>>

type Values = Readonly<Record<string, unknown>>

/** A change of one entry by the user, as the storage holds it. */
export interface Mutation {
  /** Numbers of a store are consecutive. */
  readonly n: number
  readonly op: 'create' | 'update' | 'delete' | 'publish'
  /** The content-type, by its name in the store. */
  readonly name: string
  /** The name on the server. */
  readonly type: string
  readonly documentId: string
  readonly locale: string | null
  /** Null for creations and for missing versions. */
  readonly base: MutationBase
  readonly patch: EntryPatch
  /** The values of the attributes of the patch before it. */
  readonly seen: Values
  readonly depends: readonly number[]
  /** The time of the change on the device. */
  readonly at: string
  readonly state: MutationState
}

export type MutationState =
  /** `isContained`: the stored row contains it already, but its outcome is unknown. */
  | { readonly kind: 'pending'; readonly isContained: boolean }
  /** Stored by the server, but not yet in the rows. */
  | {
      readonly kind: 'settled'
      readonly revision: string | null
      /** The entry has changes of others that the device has not seen. */
      readonly isRebased: boolean
      readonly round: number
    }
  /** `isUnsent`: its number must still be given up. */
  | { readonly kind: 'failed'; readonly failure: MutationFailure; readonly isUnsent: boolean }
  /** Taken back by the user before it was sent. */
  | { readonly kind: 'skipped' }

export interface MutationFailure {
  readonly outcome: 'conflict' | 'refused' | 'unknown'
  readonly code: string
  readonly attributes: readonly string[]
  readonly base: Values
  readonly mine: Values
  /** Null if the entry does not exist, or the user may not read it. */
  readonly theirs: Values | null
  readonly revision: string | null
  readonly error: FailureError | null
}

export interface FailureError {
  readonly status: number
  readonly message?: string
  readonly details?: unknown
}

/** Without the class of the error, which storages cannot hold. */
export function copyError({ status, message, details }: FailureError): FailureError {
  return {
    status,
    ...(message !== undefined && { message }),
    ...(details !== undefined && { details }),
  }
}

/** The user and the numbers of a store. */
export interface OutboxState {
  readonly user: string
  readonly client: string
  readonly log: string | null
  /** The number of the last mutation. */
  readonly last: number
  /** The number of the last mutation that was ever sent. */
  readonly sent: number
  /** The number of the last mutation with a stored outcome. */
  readonly ack: number
}

/** The type of rows that hold the outbox, next to the rows of content. */
export const OUTBOX = '$outbox'
const STATE = 'state'
/** A round that no sweep removes. */
const ROUND = Number.MAX_SAFE_INTEGER

export function mutationRow(mutation: Mutation): Row {
  return { ...place(mutation.n), round: ROUND, data: { ...mutation } }
}

export function stateRow(state: OutboxState): Row {
  return { type: OUTBOX, documentId: STATE, locale: null, round: ROUND, data: { ...state } }
}

export function isStateRow({ documentId }: Row): boolean {
  return documentId === STATE
}

export function place(n: number): Pick<Row, 'type' | 'documentId' | 'locale'> {
  return { type: OUTBOX, documentId: String(n), locale: null }
}

export const STATE_PLACE = { type: OUTBOX, documentId: STATE, locale: null } as const

/** Whether the user sees the mutation on top of the stored row. */
export function isShown({ state }: Mutation): boolean {
  return state.kind === 'settled' || (state.kind === 'pending' && !state.isContained)
}

/** Whether the server must still hear of it. */
export function isUnsent({ state }: Mutation): boolean {
  return (
    state.kind === 'pending' ||
    state.kind === 'skipped' ||
    (state.kind === 'failed' && state.isUnsent)
  )
}
