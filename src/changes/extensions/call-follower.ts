import type { AfterCommit } from '../../extensions/commit-follower.ts'
import type { ContentService, ExtensionPrincipal } from '../../extensions/content-service.ts'
import type { CommittedDocument, DocumentCommits } from './delivery-rows.ts'

export interface FollowerCalls {
  readonly extension: string
  readonly handlers: ReadonlyMap<string, AfterCommit>
  /** `depth` is the length of the chain of extensions that the writes of this call continue. */
  readonly content: (call: {
    readonly depth: number
    readonly signal: AbortSignal
  }) => ContentService
  readonly onFailure: (failed: { readonly type: string; readonly error: unknown }) => void
  readonly stopping: AbortSignal
  readonly timeoutMs: number
}

export type CallOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string; readonly isFinal: boolean }
  | { readonly kind: 'stopped' }

const DONE: CallOutcome = { kind: 'done' }
const STOPPED: CallOutcome = { kind: 'stopped' }

/** Two extensions that change each other's documents would never end. */
const MAX_DEPTH = 5

const MAX_MESSAGE_LENGTH = 500

/**
 * Calls `afterCommit` once. A call that exceeds its deadline has failed; its signal is aborted. A call that the stop of
 * the server interrupts has not failed. Another process repeats it.
 */
export async function callFollower(
  calls: FollowerCalls,
  { type, documentId }: Pick<DocumentCommits, 'type' | 'documentId'>,
  { commit, at, by, changes }: CommittedDocument,
): Promise<CallOutcome> {
  const isStopping = (): boolean => calls.stopping.aborted
  if (isStopping()) return STOPPED
  const run = calls.handlers.get(type)
  if (run === undefined) return DONE // removed since the commit
  const depth = by.depth ?? 0
  if (depth >= MAX_DEPTH) {
    const message = `${MAX_DEPTH} extensions have caused each other's writes`
    return { kind: 'failed', message, isFinal: true }
  }
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    deadline.abort(new Error(`afterCommit did not finish within ${calls.timeoutMs} ms`))
  }, calls.timeoutMs)
  const signal = AbortSignal.any([deadline.signal, calls.stopping])
  try {
    const content = calls.content({ depth: depth + 1, signal })
    const author = { kind: principalKindOf(by.kind), id: by.id, name: by.name }
    const event = {
      contentType: type,
      documentId,
      changes,
      commit,
      committedAt: at,
      by: author,
      content,
      signal,
    }
    await Promise.race([run(event), rejectionOf(signal)])
    signal.throwIfAborted() // a call that ends at its deadline may be incomplete
    return DONE
  } catch (error) {
    if (isStopping() && !deadline.signal.aborted) return STOPPED
    calls.onFailure({ type, error })
    return { kind: 'failed', message: messageOf(error), isFinal: false }
  } finally {
    clearTimeout(timer)
  }
}

const KINDS: readonly ExtensionPrincipal['kind'][] = [
  'anonymous',
  'user',
  'apiToken',
  'administrator',
  'root',
  'preview',
  'cli',
  'extension',
]

function principalKindOf(kind: string): ExtensionPrincipal['kind'] {
  return KINDS.find((one) => one === kind) ?? 'system'
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => {
      const reason: unknown = signal.reason
      reject(reason instanceof Error ? reason : new Error('The call was aborted'))
    }
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, MAX_MESSAGE_LENGTH)
}
