import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'

/** A saved list. */
export interface ListView {
  readonly id: string
  readonly name: string
  readonly shared: boolean
  /** The user is its creator. */
  readonly own: boolean
  /** The name of its creator. Null after the removal of that administrator. */
  readonly by: string | null
  readonly search: Readonly<Record<string, unknown>>
}

export type ListViewInput = Pick<ListView, 'name' | 'shared' | 'search'>

const pathOf = (uid: string, ...rest: readonly string[]): string =>
  ['/admin/views', uid, ...rest.map(encodeURIComponent)].join('/')

export const viewsQuery = (uid: string) =>
  queryOptions({
    queryKey: ['views', uid],
    queryFn: async ({ signal }) =>
      (await request<readonly ListView[]>('GET', pathOf(uid), { signal })).data,
  })

export async function addView(uid: string, body: ListViewInput): Promise<void> {
  await request('POST', pathOf(uid), { body })
}

export async function changeView(
  uid: string,
  id: string,
  body: Partial<ListViewInput>,
): Promise<void> {
  await request('PUT', pathOf(uid, id), { body })
}

export async function deleteView(uid: string, id: string): Promise<void> {
  await request('DELETE', pathOf(uid, id))
}
