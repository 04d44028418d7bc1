import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query'
import type { TypeSummary } from './content-types.ts'
import { request } from './request.ts'
import { useMay } from './session.ts'

export interface Deleted {
  readonly id: string
  readonly uid: string
  readonly documentId: string
  readonly locales?: readonly string[]
  readonly title: string
  readonly deletedAt: string
  readonly expiresAt: string
  readonly by: { readonly kind: string; readonly name: string | null }
  /** Of deleted files. */
  readonly file?: DeletedFile
}

export interface DeletedFile {
  readonly mime: string
  readonly ext: string
  readonly size: number
  readonly width: number | null
  readonly height: number | null
  readonly private: boolean
}

export const FILE_UID = 'plugin::upload.file'

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

const trashDaysQuery = queryOptions({
  queryKey: ['trashDays'],
  queryFn: async ({ signal }) => {
    const query = { pagination: { pageSize: 1 } }
    return (await request<readonly Deleted[], TrashMeta>('GET', '/admin/trash', { query, signal }))
      .meta.trashDays
  },
  staleTime: Number.POSITIVE_INFINITY,
})

export function useCanRestore(type: TypeSummary, locale: string | null): boolean {
  const may = useMay()
  const { data: days = 0 } = useQuery(trashDaysQuery)
  const verb = type.kind === 'singleType' ? 'update' : 'create'
  return !type.adopted && days > 0 && may(`${type.uid}.${verb}`, locale ?? undefined)
}

/** Whether deleted files go to the trash, and the signed-in person may restore them. */
export function useCanRestoreFiles(): boolean {
  const may = useMay()
  const { data: days = 0 } = useQuery(trashDaysQuery)
  return days > 0 && may('plugin::upload.content-api.upload')
}

/** Restores the latest deletion of a file. */
export async function restoreFile(documentId: string): Promise<void> {
  await request('POST', `${pathOf(FILE_UID, documentId)}/restore`, { body: {} })
}

export interface Restored {
  readonly isDraft: boolean
  readonly isPublished: boolean
  /** The number of links to entries that no longer exist. */
  readonly lost: number
  /** Attributes whose unique values another entry uses now. */
  readonly taken: readonly string[]
}

export async function restoreDeleted({ id, uid, documentId }: Deleted): Promise<Restored> {
  return restore(uid, documentId, { deletion: id })
}

/**
 * Restores the latest deletion of an entry, in one locale if the type is localized. `both` restores
 * the published version as published and the draft with its changes; `draft` restores the draft.
 * @throws ApiError with status 400 if `both` is not possible
 */
export async function restoreEntry(
  uid: string,
  documentId: string,
  { locale, from }: { readonly locale: string | null; readonly from: 'draft' | 'both' },
): Promise<Restored> {
  return restore(uid, documentId, { from, ...(locale !== null && { locales: [locale] }) })
}

async function restore(uid: string, documentId: string, which: object): Promise<Restored> {
  const { data, meta } = await request<
    readonly { readonly status: string }[],
    {
      readonly lost: readonly object[]
      readonly taken: readonly { readonly path: readonly string[] }[]
    }
  >('POST', `${pathOf(uid, documentId)}/restore`, { body: { data: which } })
  return {
    isDraft: data.some(({ status }) => status === 'draft'),
    isPublished: data.some(({ status }) => status === 'published'),
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
