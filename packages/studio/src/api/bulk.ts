import { contentPath, type Entry, type ListMeta, type ListQuery } from './entries.ts'
import { request, type SentError } from './request.ts'

export type BulkAction = 'publish' | 'unpublish' | 'discard' | 'delete'

export interface BulkResult {
  readonly documentId: string
  readonly status: number
  readonly error?: SentError
}

export type BulkTarget = readonly string[] | { readonly matching: ListQuery }

export interface BulkProgress {
  readonly done: number
  readonly total: number | null
}

/** Far below the server's limit, so that the progress bar moves and the user can stop. */
const ENTRIES_PER_STEP = 50
const IDS_PER_REQUEST = 100

export interface BulkWork {
  readonly uid: string
  readonly action: BulkAction
  readonly target: BulkTarget
  readonly locale: string | null
  readonly onProgress: (progress: BulkProgress) => void
  readonly signal: AbortSignal
}

export async function runBulk(work: BulkWork): Promise<readonly BulkResult[]> {
  const { uid, action, target, locale, onProgress, signal } = work
  onProgress({ done: 0, total: null })
  const ids = await idsOfTarget(uid, target, signal)
  const results: BulkResult[] = []
  for (let at = 0; at < ids.length && !signal.aborted; at += ENTRIES_PER_STEP) {
    onProgress({ done: at, total: ids.length })
    const body = {
      action,
      documentIds: ids.slice(at, at + ENTRIES_PER_STEP),
      ...(locale !== null && { locale }),
    }
    const { data } = await request<readonly BulkResult[]>('POST', contentPath(uid, 'bulk'), {
      body,
    })
    results.push(...data)
  }
  onProgress({ done: results.length, total: ids.length })
  return results
}

/** The ids of a selection. */
export async function idsOfTarget(
  uid: string,
  target: BulkTarget,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return 'matching' in target ? await findIds(uid, target.matching, signal) : target
}

/** Reads all ids before the first change, because a changed entry may no longer match. */
async function findIds(
  uid: string,
  matching: ListQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null && !signal.aborted) {
    const query: ListQuery = {
      ...matching,
      fields: ['documentId'],
      pagination: { cursor, pageSize: IDS_PER_REQUEST, withCount: false },
    }
    const page: { readonly data: readonly Entry[]; readonly meta: ListMeta } = await request<
      readonly Entry[],
      ListMeta
    >('GET', contentPath(uid), { query })
    ids.push(...page.data.map(({ documentId }) => documentId))
    cursor = page.meta.pagination.nextCursor ?? null
  }
  return ids
}

export function hasFailed({ status }: BulkResult): boolean {
  return status >= 400
}
