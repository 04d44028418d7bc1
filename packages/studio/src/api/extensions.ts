import { queryOptions } from '@tanstack/react-query'
import { manage } from './management.ts'
import { request } from './request.ts'

/** An extension that is called after commits. */
export interface FollowingExtension {
  readonly extension: string
  readonly behind: number
  readonly pending: number
  readonly dead: number
  /** Commits that the log had already dropped when the extension reached them. */
  readonly missed: { readonly from: number; readonly to: number } | null
}

/** A call that failed after all retries. */
export interface FailedCall {
  readonly id: string
  readonly extension: string
  readonly type: string
  readonly documentId: string
  readonly committedAt: string
  readonly deadAt: string
  readonly message: string
}

export interface ExtensionFailures {
  readonly extensions: readonly FollowingExtension[]
  /** Newest first, at most 1,000. */
  readonly failures: readonly FailedCall[]
}

const REFRESH_MS = 5_000

/** Refreshes while it is shown. */
export const extensionFailuresQuery = queryOptions({
  queryKey: ['extension-failures'],
  queryFn: async ({ signal }): Promise<ExtensionFailures> => {
    const { data, meta } = await request<
      readonly FailedCall[],
      { readonly extensions: readonly FollowingExtension[] }
    >('GET', '/admin/extension-failures', { signal })
    return { failures: data, extensions: meta.extensions }
  },
  refetchInterval: REFRESH_MS,
})

export function retryFailures(
  which: { readonly extension: string } | { readonly id: string },
): Promise<{ readonly retried: number }> {
  return manage('POST', '/admin/extension-failures/retry', which)
}
