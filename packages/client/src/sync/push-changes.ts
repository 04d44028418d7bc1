import { QuireError } from '../quire-error.ts'
import { loadUploads } from '../uploads/load-uploads.ts'
import type { UploadScope } from '../uploads/upload-queued-file.ts'
import { isPending, type QueuedFile } from './file-queue.ts'
import { lastRoundOf } from './held-copy.ts'
import { isUnsent, type Mutation, type OutboxState, stateRow } from './mutation.ts'
import { type Outbox, putMutation } from './outbox.ts'
import { failureOf, settleOutcomes, type OutcomeLine, unknownOutcomes } from './settle-outcomes.ts'
import type { Change, Tables } from './storage.ts'
import { sizeOf } from './write-entry.ts'

export interface PushScope extends UploadScope {
  readonly outbox: Outbox
  readonly tables: Tables
  readonly status: 'draft' | 'published'
}

export interface Pusher {
  /**
   * Sends mutations and files until none is left. After a 401 it waits for `resume`.
   * @throws QuireError, TypeError without a network, PushDelayed, the error of the storage
   */
  flush(signal: AbortSignal): Promise<void>
  hasWork(): boolean
  resume(): void
}

/** A mutation or file was not tried. */
export class PushDelayed extends Error {
  override readonly name = 'PushDelayed'

  constructor() {
    super('The server could not process the changes yet')
  }
}

const MAX_MUTATIONS = 100
const MAX_BYTES = 1_040_000
/** The server works on a request for up to 20 seconds. */
const WAIT_MS = 10_000

interface Head {
  readonly log: string
  readonly last: number
}

export function openPusher(scope: PushScope): Pusher {
  let running: Promise<void> | null = null
  let isSignedOut = false
  const flush = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const next = nextRequest(scope, signal)
      if (next === null || isSignedOut) return
      await next().catch((error: unknown) => {
        isSignedOut = error instanceof QuireError && error.status === 401
        throw error
      })
    }
  }
  return {
    flush: (signal) => {
      running ??= flush(signal).finally(() => {
        running = null
      })
      return running
    },
    hasWork: () => !isSignedOut && nextRequest(scope, NEVER) !== null,
    resume: () => {
      isSignedOut = false
    },
  }
}

const NEVER = new AbortController().signal

/** Mutations go first, because files take longer. A mutation waits for the files that it names. */
function nextRequest(scope: PushScope, signal: AbortSignal): (() => Promise<void>) | null {
  const { outbox, files } = scope
  const pending = files.list().filter(isPending)
  const unsent = outbox.list().filter(isUnsent)
  const batch = nextBatch(unsent, pending)
  if (batch.length > 0) return () => pushBatch(scope, batch, signal)
  const [first] = unsent
  const file = (first && pending.find((one) => namesFile(first, one))) ?? pending[0]
  if (file === undefined) return null
  return async () => {
    const uploadQueuedFile = await loadUploads().catch(() => {
      throw new PushDelayed()
    })
    await uploadQueuedFile(scope, file, signal)
  }
}

function nextBatch(
  unsent: readonly Mutation[],
  pending: readonly QueuedFile[],
): readonly Mutation[] {
  const batch: Mutation[] = []
  let bytes = 0
  for (const mutation of unsent) {
    if (pending.some((file) => namesFile(mutation, file))) break
    bytes += sizeOf(lineOf(mutation))
    if (batch.length > 0 && (batch.length === MAX_MUTATIONS || bytes > MAX_BYTES)) break
    batch.push(mutation)
  }
  return batch
}

/** Searches components, zones and blocks too. An id has too many letters to occur elsewhere. */
function namesFile({ patch, state }: Mutation, { documentId }: QueuedFile): boolean {
  return state.kind === 'pending' && JSON.stringify(patch).includes(documentId)
}

async function pushBatch(
  scope: PushScope,
  batch: readonly Mutation[],
  signal: AbortSignal,
): Promise<void> {
  const { outbox } = scope
  const state = outbox.state()
  if (state === null) return
  await noteSent(scope, state, batch.at(-1)?.n ?? 0)
  let lines: readonly [Head, ...OutcomeLine[]]
  try {
    const call = { method: 'POST', path: '_push', waitMs: WAIT_MS, signal } as const
    const answer = await scope.send({
      ...call,
      lines: [headOf(scope, state), ...batch.map(lineOf)],
    })
    lines = answer as readonly [Head, ...OutcomeLine[]]
  } catch (error) {
    const changes =
      error instanceof QuireError
        ? changesAfter(error, scope.outbox, { batch, sent: state.sent })
        : null
    if (changes === null) throw error
    await updateFor(scope, state.client, changes)
    return
  }
  const [{ log }, ...outcomes] = lines
  const end = outcomes.findIndex(({ outcome }) => outcome === 'retry')
  const final = end === -1 ? outcomes : outcomes.slice(0, end)
  await updateFor(scope, state.client, (current, round) => [
    ...settleOutcomes(scope, final, round),
    putState({ ...current, log, ack: Math.max(current.ack, final.at(-1)?.n ?? 0) }),
  ])
  if (final.length === 0) throw new PushDelayed()
}

type MakeChanges = (state: OutboxState, round: number) => readonly Change[]

/** Does nothing if the outbox was cleared in the meantime. */
async function updateFor(
  { copy, outbox }: PushScope,
  client: string,
  make: MakeChanges,
): Promise<void> {
  await copy.update(() => {
    const state = outbox.state()
    return state?.client === client ? make(state, lastRoundOf(copy)) : null
  })
}

function putState(state: OutboxState): Change {
  return { op: 'put', row: stateRow(state) }
}

/** After the loss of its log, the server must not confuse sent mutations with new ones. */
async function noteSent(scope: PushScope, { client, sent }: OutboxState, n: number): Promise<void> {
  if (n <= sent) return
  await updateFor(scope, client, (state) => [putState({ ...state, sent: n })])
}

function headOf({ status }: PushScope, { client, log, ack }: OutboxState): object {
  // Without a log, a client that has given up numbers starts after them.
  return { client, log, status, ...(log === null ? { start: ack } : { ack }) }
}

function lineOf(mutation: Mutation): object {
  const { n, op, type, documentId, locale, base, patch, seen, depends, state } = mutation
  if (state.kind !== 'pending') return { n, op: 'skip' }
  return {
    n,
    op,
    type,
    documentId,
    ...(locale !== null && { locale }),
    ...(op !== 'create' && { base }),
    ...((op === 'create' || op === 'update') && { patch }),
    ...(op === 'update' && { seen }),
    ...(depends.length > 0 && { depends }),
  }
}

/** A request that the server has refused as a whole, so that it changed nothing. */
interface Refused {
  readonly batch: readonly Mutation[]
  /** The number of the last mutation that was sent before this request. */
  readonly sent: number
}

/** The way on after an error that a retry cannot solve. Null if there is none. */
function changesAfter(
  error: QuireError,
  outbox: Outbox,
  { batch, sent }: Refused,
): MakeChanges | null {
  const details = (error.details ?? {}) as Details
  if (error.code === 'push_log_changed') {
    return (state) => [
      ...unknownOutcomes(outbox, sent),
      putState({ ...state, log: null, ack: sent, sent }),
    ]
  }
  if (error.code === 'push_gap') {
    const { last = 0 } = details
    const isAhead = batch.some(({ n }) => n <= last)
    if (!isAhead) return null
    return (state) => [
      ...unknownOutcomes(outbox, last),
      putState({ ...state, last: Math.max(state.last, last), ack: last }),
    ]
  }
  return error.status === 400 ? changesAfterFault(error, batch, details) : null
}

/** The response names the line that the server does not understand. */
function changesAfterFault(
  error: QuireError,
  batch: readonly Mutation[],
  details: Details,
): MakeChanges | null {
  const line = Number(details.errors?.[0]?.path[0])
  const refused = batch[line - 2]
  if (refused?.state.kind !== 'pending') return null
  return () => {
    const failure = failureOf(refused, { outcome: 'refused', code: error.code ?? '', error })
    return [putMutation({ ...refused, state: { kind: 'failed', failure, isUnsent: true } })]
  }
}

interface Details {
  readonly last?: number
  readonly errors?: readonly { readonly path: readonly string[] }[]
}
