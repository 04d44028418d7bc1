import { QuireError } from '../quire-error.ts'
import type { Call } from '../call.ts'
import type { HeldCopy, Step } from './held-copy.ts'
import type { Mark } from './storage.ts'
import { stepOf, type SyncPage } from './sync-page.ts'

export interface Source {
  readonly send: (call: Call) => Promise<unknown>
  /** The parameters of a first request. */
  readonly scope: Readonly<Record<string, unknown>>
}

/** What came of a page. */
interface Pulled {
  readonly more: boolean
  readonly isNews: boolean
  /** Why it begins anew; null where it goes on. */
  readonly lost: QuireError | null
}

/**
 * Asks for a page and stores it with its token.
 * @throws QuireError, TypeError without a network, what the storage throws: then nothing has changed
 */
export async function pullPage(
  { send, scope }: Source,
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
  if (isNews) await copy.commit(held, stepOf(page, held))
  return { more: page.more || copy.mark().token === null, isNews, lost: null }
}

function queryOf(scope: Source['scope'], { token }: Mark, wait: number): object {
  if (token === null) return scope
  return wait > 0 ? { token, wait } : { token }
}

/** What to do about a refusal, where asking again would be refused again; null: nothing. */
function beginningAfter(error: unknown, held: Mark): Step | null {
  if (!(error instanceof QuireError)) return null
  const mark = { ...held, token: null, round: held.round + 1, version: held.version + 1 }
  // The log does not go back so far, or the token is none any more: what is held is shown until all has come again.
  if (held.token !== null && (error.status === 410 || error.status === 400)) {
    return { changes: [], mark: { ...mark, isStale: true } }
  }
  // Nothing of it may be read any more.
  if (error.status === 403 && (held.token !== null || held.isComplete || held.isStale)) {
    const changes = [{ op: 'sweep', round: mark.round } as const]
    return { changes, mark: { ...mark, isComplete: false, isStale: false } }
  }
  return null
}
