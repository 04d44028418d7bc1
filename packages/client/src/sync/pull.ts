import { QuireError } from '../quire-error.ts'
import type { Call } from '../call.ts'
import type { HeldCopy, CommitStep } from './held-copy.ts'
import type { Mark } from './storage.ts'
import { toCommitStep, type SyncPage } from './sync-page.ts'

export interface SyncSource {
  readonly send: (call: Call) => Promise<unknown>
  readonly scope: Readonly<Record<string, unknown>>
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
  { send, scope }: SyncSource,
  copy: HeldCopy,
  { wait, signal }: { readonly wait: number; readonly signal: AbortSignal },
): Promise<Pulled> {
  const held = copy.mark()
  const query = queryOf(scope, held, wait)
  let page: SyncPage
  try {
    const call = { method: 'GET', path: '_sync', query, signal, isKept: false } as const
    page = (await send({ ...call, waitMs: 1_000 * wait })) as SyncPage
  } catch (error) {
    const begun = beginningAfter(error, held)
    if (begun !== null) await copy.commit(held, begun)
    if (begun === null || begun.changes.length > 0) throw error
    return { more: true, isNews: true, lost: error as QuireError }
  }
  const isNews = page.items.length > 0 || page.next !== held.token || held.isStale
  if (isNews) await copy.commit(held, toCommitStep(page, held))
  return { more: page.more || copy.mark().token === null, isNews, lost: null }
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
