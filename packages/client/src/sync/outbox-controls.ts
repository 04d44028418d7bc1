import type { Operation } from '@quire/merge/apply-operation'
import type { ContentType } from '../content.ts'
import {
  type EntryPatch,
  isUnsent,
  type Mutation,
  type MutationFailure,
  STATE_PLACE,
  OUTBOX,
} from './mutation.ts'
import { dropMutation } from './outbox.ts'
import { makeRowKey } from './storage.ts'
import { dropFile } from './file-queue.ts'
import { discardMutation, retryMutation, writeEntry, type WriteScope } from './write-entry.ts'

export interface WriteLocale<Locale> {
  /** @default the first locale of the store */
  readonly locale?: Locale
}

export interface UpdateOptions<S extends ContentType, Locale> extends WriteLocale<Locale> {
  /**
   * The values that the user saw when the change began. The server merges the change with those of
   * others since then. @default the current values
   */
  readonly seen?: Partial<S['update']>
}

export type PatchOf<S extends ContentType> = {
  readonly [Name in keyof S['update']]?: Operation
}

interface ChangeOfUser {
  /** Identifies the change. */
  readonly n: number
  readonly op: 'create' | 'update' | 'delete' | 'publish'
  /** The content-type, by its name in the store. */
  readonly type: string
  readonly documentId: string
  readonly locale: string | null
  readonly patch: EntryPatch
  /** The time of the change on the device. */
  readonly at: string
}

/** A change that the server has not confirmed yet. */
export interface PendingChange extends ChangeOfUser {
  /** If false, `$discard` can take it back. */
  readonly isSent: boolean
}

/** A change that the server did not apply. The app resolves it by `$retry` or `$discard`. */
export interface ChangeConflict extends ChangeOfUser, MutationFailure {}

export interface OutboxControls {
  readonly $pending: readonly PendingChange[]
  readonly $conflicts: readonly ChangeConflict[]
  /**
   * Sends a conflicting change again, on top of the entry as it is now, with `data` in place of its
   * own values. Returns the documentId, which is a new one for a creation.
   * @throws Error if there is no such conflict, or the entry was deleted
   */
  $retry(n: number, data?: object): Promise<string>
  /** Gives up a conflicting change, or a pending one. @throws Error if it was sent and is pending */
  $discard(n: number): Promise<void>
  /**
   * Deletes everything in the storage, for example on a sign-out.
   * @throws Error if there are pending changes or conflicts, unless `force` is true
   */
  $clear(options?: { readonly force?: boolean }): Promise<void>
}

interface LocaleOption {
  readonly locale?: string
}

interface SeenOption extends LocaleOption {
  readonly seen?: object
}

export function openWrites(scope: WriteScope, name: string, usual: string) {
  const write = async (
    op: 'update' | 'delete' | 'publish',
    documentId: string,
    { locale = usual }: LocaleOption,
    content: Parameters<typeof writeEntry>[3],
  ): Promise<void> => {
    await writeEntry(scope, op, { name, documentId, locale }, content)
  }
  return {
    create: (data: object, { locale = usual }: LocaleOption = {}) =>
      writeEntry(scope, 'create', { name, locale }, { data }),
    update: (documentId: string, data: object, { seen, ...options }: SeenOption = {}) =>
      write('update', documentId, options, withSeen(data, seen)),
    patch: (documentId: string, patch: EntryPatch, options: LocaleOption = {}) =>
      write('update', documentId, options, { patch }),
    delete: (documentId: string, options: LocaleOption = {}) =>
      write('delete', documentId, options, null),
    publish: (documentId: string, options: LocaleOption = {}) =>
      write('publish', documentId, options, null),
  }
}

export function openSingleWrites(scope: WriteScope, name: string, usual: string) {
  const write = async (
    op: 'update' | 'publish',
    { locale = usual }: LocaleOption,
    content: Parameters<typeof writeEntry>[3],
  ): Promise<void> => {
    await writeEntry(scope, op, { name, locale }, content)
  }
  return {
    update: (data: object, { seen, ...options }: SeenOption = {}) =>
      write('update', options, withSeen(data, seen)),
    patch: (patch: EntryPatch, options: LocaleOption = {}) => write('update', options, { patch }),
    publish: (options: LocaleOption = {}) => write('publish', options, null),
  }
}

function withSeen(data: object, seen: object | undefined) {
  return seen === undefined ? { data } : { data, seen }
}

/** Adds the controls to a store. A spread would evaluate the getters. */
export function withOutbox<Store extends object>(
  store: Store,
  scope: WriteScope,
): Store & OutboxControls {
  const { outbox } = scope
  const controls: OutboxControls = {
    get $pending() {
      const sent = outbox.state()?.sent ?? 0
      return outbox
        .list()
        .filter(({ state }) => state.kind === 'pending')
        .map((mutation) => ({ ...changeOf(mutation), isSent: mutation.n <= sent }))
    },
    get $conflicts() {
      return outbox.list().flatMap((mutation) => {
        const { state } = mutation
        return state.kind === 'failed' ? [{ ...changeOf(mutation), ...state.failure }] : []
      })
    },
    $retry: (n, data) => retryMutation(scope, n, data),
    $discard: async (n) => {
      await discardMutation(scope, n)
    },
    $clear: ({ force = false } = {}) => clear(scope, force),
  }
  return Object.defineProperties(store, Object.getOwnPropertyDescriptors(controls)) as Store &
    OutboxControls
}

function changeOf({ n, op, name, documentId, locale, patch, at }: Mutation): ChangeOfUser {
  return { n, op, type: name, documentId, locale, patch, at }
}

/** @throws Error */
async function clear({ copy, outbox, files }: WriteScope, isForced: boolean): Promise<void> {
  await copy.clear(() => {
    const mutations = outbox.list()
    const queued = files.list()
    const isKept =
      mutations.some((one) => isUnsent(one) || one.state.kind === 'failed') ||
      queued.some(({ state }) => state.kind !== 'stored')
    if (isKept && !isForced) {
      throw new Error('The store has changes that the server has not applied')
    }
    const dropped = [
      ...mutations.map(({ n }) => dropMutation(n)),
      ...queued.map(({ documentId }) => dropFile(documentId)),
    ]
    return [...dropped, { op: 'delete', type: OUTBOX, key: makeRowKey(STATE_PLACE) }]
  })
}
