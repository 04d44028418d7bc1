import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'
import type { FileEntry } from './file-entry.ts'

export interface MediaFile extends FileEntry {
  readonly folder: string | null
  readonly focalPoint?: FocalPoint | null
  readonly private?: boolean
  readonly createdAt: string
}

/** In percent of width and height. Crops keep this point visible. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

export interface Folder {
  readonly id: string
  readonly name: string
  readonly parent: string | null
  readonly files: number
}

export interface FileQuery {
  /** `root` selects files outside of folders; absent selects all files. */
  readonly folder?: string
  readonly search?: string
  readonly kind?: string
  readonly unused?: boolean
  readonly sort?: string
  readonly page: number
}

export interface FilesMeta {
  readonly pagination: { readonly page: number; readonly pageCount: number; readonly total: number }
}

export const FILES_PER_PAGE = 60

export const filesQuery = ({ page, ...query }: FileQuery) =>
  queryOptions({
    queryKey: ['files', 'list', query, page],
    queryFn: ({ signal }) =>
      request<readonly MediaFile[], FilesMeta>('GET', '/admin/files', {
        query: { ...query, pagination: { page, pageSize: FILES_PER_PAGE } },
        signal,
      }),
  })

/** The key is not one of `files`, so that a change elsewhere does not replace the file in an open drawer. */
export const fileQuery = (id: number) =>
  queryOptions({
    queryKey: ['file', id],
    queryFn: async ({ signal }) =>
      (await request<MediaFile>('GET', `/admin/files/${id}`, { signal })).data,
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

export const foldersQuery = queryOptions({
  queryKey: ['folders'],
  queryFn: async ({ signal }) =>
    (await request<readonly Folder[]>('GET', '/admin/folders', { signal })).data,
})

/** The folders from the outermost one to the folder of the id. */
export function pathTo(id: string | undefined, folders: readonly Folder[]): readonly Folder[] {
  const folder = folders.find((one) => one.id === id)
  return folder === undefined ? [] : [...pathTo(folder.parent ?? undefined, folders), folder]
}

export interface FileUsage {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly field: string
  readonly title: string
}

export const fileUsagesQuery = (id: number) =>
  queryOptions({
    queryKey: ['files', 'usages', id],
    queryFn: ({ signal }) =>
      request<readonly FileUsage[], FilesMeta>('GET', `/admin/files/${id}/usages`, { signal }),
  })

export type FileChange = Partial<
  Pick<
    MediaFile,
    | 'name'
    | 'alternativeText'
    | 'caption'
    | 'focalPoint'
    | 'folder'
    | 'private'
    /** Merged with the stored ones. An empty text removes a text. */
    | 'translations'
  >
>

export async function changeFile(id: number, body: FileChange): Promise<MediaFile> {
  return (await request<MediaFile>('PUT', `/admin/files/${id}`, { body })).data
}

/** Replaces the bytes. Every entry that uses the file shows the new ones. */
export async function replaceFile(id: number, file: File): Promise<MediaFile> {
  const body = new FormData()
  body.append('files', file, file.name)
  return (await request<MediaFile>('PUT', `/admin/files/${id}`, { body })).data
}

/** In pixels of the original. */
export interface CropArea {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface CropSource {
  readonly file: MediaFile & {
    /** Only of a cropped picture. The address expires. */
    readonly original?: {
      readonly url: string
      readonly width: number
      readonly height: number
      readonly crop: CropArea | null
    }
  }
  readonly etag: string | null
}

export const cropSourceQuery = (id: number) =>
  queryOptions({
    queryKey: ['file', id, 'crop'],
    queryFn: async ({ signal }): Promise<CropSource> => {
      const { data, etag } = await request<CropSource['file']>('GET', `/admin/files/${id}`, {
        signal,
      })
      return { file: data, etag }
    },
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** Every entry that uses the file shows the area. The whole picture restores the original. */
export async function changeCrop(
  id: number,
  { x, y, width, height }: CropArea,
  etag: string | null = null,
): Promise<MediaFile> {
  const { data } = await request<MediaFile>('PUT', `/admin/files/${id}/crop`, {
    body: { x, y, width, height },
    ...(etag !== null && { ifMatch: etag }),
  })
  return data
}

/** By id or documentId. */
export async function deleteFile(id: number | string): Promise<void> {
  await request('DELETE', `/admin/files/${encodeURIComponent(id)}`)
}

export async function moveFiles(ids: readonly string[], folder: string | null): Promise<void> {
  await request('POST', '/admin/files/move', { body: { ids, folder } })
}

export async function addFolder(name: string, parent: string | null): Promise<Folder> {
  return (await request<Folder>('POST', '/admin/folders', { body: { name, parent } })).data
}

export async function renameFolder(id: string, name: string): Promise<void> {
  await request('PUT', `/admin/folders/${encodeURIComponent(id)}`, { body: { name } })
}

export async function deleteFolder(id: string): Promise<void> {
  await request('DELETE', `/admin/folders/${encodeURIComponent(id)}`)
}
