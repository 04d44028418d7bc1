import { infiniteQueryOptions } from '@tanstack/react-query'
import { request } from './request.ts'

/** A deleted entry, or deleted languages of it. */
export interface Deleted {
  readonly id: string
  readonly uid: string
  readonly documentId: string
  readonly locales?: readonly string[]
  readonly title: string
  readonly deletedAt: string
  readonly expiresAt: string
  readonly by: { readonly kind: string; readonly name: string | null }
}

interface TrashMeta {
  readonly trashDays: number
  readonly pagination: { readonly nextCursor: string | null }
}

export const trashQuery = infiniteQueryOptions({
  queryKey: ['trash'],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam, signal }) => {
    const pagination = pageParam === null ? {} : { cursor: pageParam }
    return request<readonly Deleted[], TrashMeta>('GET', '/admin/trash', {
      query: { pagination },
      signal,
    })
  },
  getNextPageParam: ({ meta }) => meta.pagination.nextCursor,
})

/** What has not come back with it. */
export interface Restored {
  readonly isDraft: boolean
  /** How many references are gone. */
  readonly lost: number
  /** Attributes whose values are taken. */
  readonly taken: readonly string[]
}

export async function restoreDeleted({ id, uid, documentId }: Deleted): Promise<Restored> {
  const { data, meta } = await request<
    readonly { readonly status: string }[],
    {
      readonly lost: readonly object[]
      readonly taken: readonly { readonly path: readonly string[] }[]
    }
  >('POST', `${pathOf(uid, documentId)}/restore`, { body: { data: { deletion: id } } })
  return {
    isDraft: data.some(({ status }) => status === 'draft'),
    lost: meta.lost.length,
    taken: [...new Set(meta.taken.map(({ path }) => path.join('.')))],
  }
}

export async function endDeleted({ id, uid, documentId }: Deleted): Promise<void> {
  await request('DELETE', pathOf(uid, documentId), { query: { deletion: id } })
}

function pathOf(uid: string, documentId: string): string {
  return `/admin/trash/${encodeURIComponent(uid)}/${encodeURIComponent(documentId)}`
}
