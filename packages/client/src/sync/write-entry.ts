import { utf8ToBytes } from '@noble/hashes/utils'
import { isDeepEqual } from '@quire/merge/is-deep-equal'
import type { ContentPlan, SyncedContent, TypePlan } from './content-plan.ts'
import { assertPatch, buildPatch, referredBy } from './build-patch.ts'
import { createdDocumentId, randomClientId, sha256Hex, singleDocumentId } from './derived-id.ts'
import type { FileQueue } from './file-queue.ts'
import type { HeldCopy } from './held-copy.ts'
import {
  type EntryPatch,
  type Mutation,
  type MutationBase,
  type OutboxState,
  stateRow,
} from './mutation.ts'
import { dropMutation, type Outbox, putMutation } from './outbox.ts'
import { patchedValues } from './show-mutations.ts'
import { type Change, makeRowKey, type Row, type Tables } from './storage.ts'

export interface WriteScope {
  readonly plan: ContentPlan<SyncedContent>
  readonly tables: Tables
  readonly outbox: Outbox
  readonly files: FileQueue
  readonly copy: HeldCopy
  /** The documentId of the user. Undefined if the store is for reading only. */
  readonly user: string | undefined
  readonly status: 'draft' | 'published'
  readonly now: () => Date
}

export interface WriteAddress {
  readonly name: string
  /** Undefined for a creation, and for single types. */
  readonly documentId?: string
  readonly locale: string
}

/**
 * The change of an entry: values, or operations by attribute. Null for a deletion or a publication. `seen` has the values
 * that the user saw, if the entry may have changed since then.
 */
export type WriteContent =
  { readonly data: object; readonly seen?: object } | { readonly patch: EntryPatch } | null

/** A request has at most 1 MiB, with the line about the client. */
const MAX_MUTATION_BYTES = 1_000_000
/** Beyond it, a digest stands for the text before. */
const MAX_SEEN_TEXT = 65_536
const MAX_DEPENDENCIES = 20
/** No revision. The server then compares values. */
const COMPARED = 'unknown'

/**
 * Stores a mutation. It is shown when the promise resolves, and survives a restart. `replaced` is
 * the number of a failed mutation that it replaces. Returns the documentId.
 * @throws Error if the entry is unknown or too large; the error of the storage
 */
export async function writeEntry(
  scope: WriteScope,
  op: Mutation['op'],
  address: WriteAddress,
  content: WriteContent,
  replaced: readonly Change[] = [],
): Promise<string> {
  let documentId = ''
  await scope.copy.update(() => {
    const state = nextState(scope)
    const mutation = mutationOf(scope, op, address, content, state)
    ;({ documentId } = mutation)
    return [...replaced, { op: 'put', row: stateRow(state) }, putMutation(mutation)]
  })
  return documentId
}

/** @throws Error without a user, or if the outbox belongs to another one */
function nextState({ user, outbox }: WriteScope): OutboxState {
  if (user === undefined) throw new Error('createStore needs `user` for changes')
  const state = outbox.state()
  if (state === null) {
    return { user, client: randomClientId(), log: null, last: 1, sent: 0, ack: 0 }
  }
  return { ...state, last: state.last + 1 }
}

function mutationOf(
  scope: WriteScope,
  op: Mutation['op'],
  address: WriteAddress,
  content: WriteContent,
  state: OutboxState,
): Mutation {
  const { plan, outbox, now } = scope
  const type = typeOf(plan, address.name)
  const { last: n } = state
  const documentId = documentIdOf(scope, op, address, state)
  const locale = isLocalized(type) ? address.locale : null
  const at = { type: type.name, documentId, locale }
  const row = op === 'create' ? undefined : rowOf(scope, op, address.name, at)
  const data = row?.data ?? {}
  const patch = patchOf(plan, type, content, data)
  const outdated = outdatedValues(plan, type, content, data)
  const base = baseOf(scope, op, { ...at, name: address.name }, outdated)
  const mutation: Mutation = {
    n,
    op,
    name: address.name,
    ...at,
    base,
    patch,
    seen: op === 'update' ? seenValues({ ...data, ...outdated }, patch) : {},
    depends: dependenciesOf(outbox, documentId, referredBy(type, patch)),
    at: now().toISOString(),
    state: { kind: 'pending', isContained: false },
  }
  if (sizeOf(mutation) > MAX_MUTATION_BYTES) throw new Error('The change is larger than 1 MB')
  return mutation
}

function typeOf(plan: ContentPlan<SyncedContent>, name: string): TypePlan {
  const type = plan.types[name]
  if (type === undefined) throw new Error(`${name}: no such content-type`)
  return type
}

function isLocalized({ links }: TypePlan): boolean {
  return Object.values(links).some((link) => 'localizations' in link)
}

function documentIdOf(
  { plan, tables }: WriteScope,
  op: Mutation['op'],
  { name, documentId }: WriteAddress,
  { user, client, last }: OutboxState,
): string {
  if (op === 'create') return createdDocumentId(user, client, last)
  if (documentId !== undefined) return documentId
  return tables.list(name, '*')[0]?.documentId ?? singleDocumentId(typeOf(plan, name).name)
}

type Place = Pick<Row, 'type' | 'documentId' | 'locale'>

/** The row as it is shown. Undefined if the mutation adds it. @throws Error if the entry is unknown */
function rowOf(
  { plan, tables }: WriteScope,
  op: Mutation['op'],
  name: string,
  place: Place,
): Row | undefined {
  const row = tables.shown(name, makeRowKey(place))
  if (row !== undefined) return row
  const type = typeOf(plan, name)
  const mayAdd = type.kind === 'single' || tables.localesOf(name, place.documentId).length > 0
  if (op === 'update' && mayAdd) return undefined
  throw new Error(`${place.documentId}: the store has no such entry`)
}

/** Later mutations are based on the result of the earlier ones. */
function baseOf(
  { outbox, tables }: WriteScope,
  op: Mutation['op'],
  { name, ...place }: Place & { readonly name: string },
  outdated: Row['data'],
): MutationBase {
  if (op === 'create') return null
  if (Object.keys(outdated).length > 0) return COMPARED
  const key = makeRowKey(place)
  const before = outbox.shownFor(key).at(-1)
  if (before !== undefined) {
    const { n, state } = before
    const isKnown = state.kind === 'settled' && !state.isRebased && state.revision !== null
    return isKnown ? state.revision : { n }
  }
  const row = tables.confirmed(name, key)
  // Rows of earlier versions of this package have no revision.
  return row === undefined ? null : (row.revision ?? COMPARED)
}

function patchOf(
  plan: ContentPlan<SyncedContent>,
  type: TypePlan,
  content: WriteContent,
  shown: Row['data'],
): EntryPatch {
  if (content === null) return {}
  if ('data' in content) return buildPatch(plan, type, content.data, shown)
  assertPatch(type, content.patch)
  return content.patch
}

/** The values that the user saw and that the entry no longer has. */
function outdatedValues(
  plan: ContentPlan<SyncedContent>,
  type: TypePlan,
  content: WriteContent,
  shown: Row['data'],
): Row['data'] {
  if (content === null || !('data' in content) || content.seen === undefined) return {}
  const seen = Object.entries(buildPatch(plan, type, content.seen, shown))
  return Object.fromEntries(
    seen.flatMap(([name, operation]) => {
      const isOutdated =
        'set' in operation && !isDeepEqual(operation.set ?? null, shown[name] ?? null)
      return isOutdated ? [[name, operation.set]] : []
    }),
  )
}

function seenValues(data: Row['data'], patch: EntryPatch): Row['data'] {
  return Object.fromEntries(
    Object.keys(patch).map((name) => {
      const value = data[name] ?? null
      const isLong = typeof value === 'string' && value.length > MAX_SEEN_TEXT
      return [name, isLong ? { sha256: sha256Hex(value) } : value]
    }),
  )
}

/** The pending creations that a patch refers to. */
function dependenciesOf(
  outbox: Outbox,
  documentId: string,
  referred: ReadonlySet<string>,
): readonly number[] {
  if (referred.size === 0) return []
  const creations = outbox
    .list()
    .filter(({ op, state }) => op === 'create' && state.kind === 'pending')
    .filter((one) => one.documentId !== documentId && referred.has(one.documentId))
  return creations.slice(0, MAX_DEPENDENCIES).map(({ n }) => n)
}

/** In bytes of UTF-8. */
export function sizeOf(value: unknown): number {
  return utf8ToBytes(JSON.stringify(value)).length
}

/** Takes a mutation back that was not sent, or forgets a failed one. @throws Error if it was sent */
export function discardMutation({ copy, outbox }: WriteScope, n: number): Promise<boolean> {
  return copy.update(() => {
    const mutation = outbox.get(n)
    const sent = outbox.state()?.sent ?? 0
    if (mutation === undefined) return null
    const { state } = mutation
    if (state.kind === 'failed' && !state.isUnsent) return [dropMutation(n)]
    if (state.kind === 'failed' || (state.kind === 'pending' && n > sent)) {
      return [putMutation({ ...mutation, state: { kind: 'skipped' } })]
    }
    if (state.kind === 'pending') throw new Error(`Change ${n} was sent already`)
    return null
  })
}

/**
 * Sends a failed mutation again, on top of the entry as it is now, with `data` in place of its own
 * values. Returns the documentId, which is a new one for a creation.
 * @throws Error if there is none, or if the entry was deleted
 */
export async function retryMutation(scope: WriteScope, n: number, data?: object): Promise<string> {
  const failed = scope.outbox.get(n)
  if (failed?.state.kind !== 'failed') throw new Error(`${n}: no such conflict`)
  const { op, name, documentId, locale, patch, state } = failed
  const address = { name, documentId, locale: locale ?? '' }
  const replaced = state.isUnsent
    ? putMutation({ ...failed, state: { kind: 'skipped' } })
    : dropMutation(n)
  const isWrite = op === 'create' || op === 'update'
  const content = isWrite ? (data === undefined ? { patch } : { data }) : null
  return writeEntry(scope, op, address, content, [replaced])
}

/** The values of a mutation on top of the values before it. */
export function valuesOf({ patch, seen }: Mutation): Record<string, unknown> {
  return patchedValues(seen, patch)
}
