import { QuireError } from '../quire-error.ts'
import type { Call } from '../call.ts'
import type { FileQueue } from './file-queue.ts'
import type { HeldCopy, CommitStep } from './held-copy.ts'
import { isShown } from './mutation.ts'
import type { Outbox } from './outbox.ts'
import { containedIn } from './settle-outcomes.ts'
import type { Change, Mark } from './storage.ts'
import { toCommitStep, type SyncPage } from './sync-page.ts'
import { arrivedIn } from './upload-files.ts'

export interface SyncSource {
  readonly send: (call: Call) => Promise<unknown>
  readonly scope: Readonly<Record<string, unknown>>
  readonly outbox: Outbox
  readonly files: FileQueue
}

interface Wanted {
  readonly wait: number
  readonly signal: AbortSignal
}

interface Pulled {
  readonly more: boolean
  readonly isNews: boolean
  /** The reason of a restart, otherwise null. */
  readonly lost: QuireError | null
}

/**
 * @throws QuireError, TypeError without a network, the error of the storage. The copy stays
 * unchanged.
 */
export async function pullPage(
  source: SyncSource,
  copy: HeldCopy,
  wanted: Wanted,
): Promise<Pulled> {
  copy.pulls += 1
  try {
    return await pull(source, copy, wanted)
  } finally {
    copy.pulls -= 1
  }
}

async function pull(source: SyncSource, copy: HeldCopy, { wait, signal }: Wanted): Promise<Pulled> {
  const { send, scope, outbox } = source
  const held = copy.mark()
  const query = queryOf(scope, held, wait)
  let page: SyncPage
  try {
    const call = { method: 'GET', path: '_sync', query, signal, isKept: false } as const
    const headers = headersOf(outbox)
    page = (await send({ ...call, headers, waitMs: 1_000 * wait })) as SyncPage
  } catch (error) {
    const begun = beginningAfter(error, held)
    if (begun !== null) await copy.commit(held, () => begun)
    if (begun === null || begun.changes.length > 0) throw error
    return { more: true, isNews: true, lost: error as QuireError }
  }
  const isNews = page.items.length > 0 || page.next !== held.token || held.isStale
  await storePage(source, copy, { held, page, isNews })
  return { more: page.more || copy.mark().token === null, isNews, lost: null }
}

interface PulledPage {
  readonly held: Mark
  readonly page: SyncPage
  readonly isNews: boolean
}

/** In the same step, mutations and files that the rows contain are no longer shown. */
async function storePage(
  { outbox, files }: Pick<SyncSource, 'outbox' | 'files'>,
  copy: HeldCopy,
  { held, page, isNews }: PulledPage,
): Promise<void> {
  const isComplete = held.isComplete && !held.isStale
  const swept = isComplete || page.more ? null : held.round
  const contained = (): readonly Change[] => [
    ...containedIn(outbox, page, swept),
    ...arrivedIn(files, page, swept),
  ]
  if (!isNews && contained().length === 0) return
  await copy.commit(held, () => {
    const { changes, mark } = toCommitStep(page, held)
    return { changes: [...changes, ...contained()], mark }
  })
}

/** While sent mutations are shown, pages must name the mutations in their rows. */
function headersOf(outbox: Outbox): Readonly<Record<string, string>> {
  const state = outbox.state()
  if (state === null) return {}
  const isAwaited = outbox.list().some((one) => one.n <= state.sent && isShown(one))
  return isAwaited ? { 'Quire-Client': state.client } : {}
}

function queryOf(scope: SyncSource['scope'], { token }: Mark, wait: number): object {
  if (token === null) return scope
  return wait > 0 ? { token, wait } : { token }
}

/** The step after a refusal that a retry cannot solve. Null if there is none. */
function beginningAfter(error: unknown, held: Mark): CommitStep | null {
  if (!(error instanceof QuireError)) return null
  const mark = { ...held, token: null, round: held.round + 1, version: held.version + 1 }
  // The token is too old or invalid. The rows remain visible until the new copy is complete.
  if (held.token !== null && (error.status === 410 || error.status === 400)) {
    return { changes: [], mark: { ...mark, isStale: true } }
  }
  // The principal has no permission any more, so the content is deleted.
  if (error.status === 403 && (held.token !== null || held.isComplete || held.isStale)) {
    const changes = [{ op: 'sweep', round: mark.round } as const]
    return { changes, mark: { ...mark, isComplete: false, isStale: false } }
  }
  return null
}
