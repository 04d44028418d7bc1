import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { request } from './request.ts'

export interface Locale {
  readonly code: string
  readonly name: string
  readonly isDefault: boolean
}

export const localesQuery = queryOptions({
  queryKey: ['locales'],
  queryFn: async ({ signal }) =>
    (await request<readonly Locale[]>('GET', '/admin/locales', { signal })).data,
  staleTime: 5 * 60_000,
})

export function useLocales(): readonly Locale[] {
  const { data } = useSuspenseQuery(localesQuery)
  return data.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault))
}

export async function addLocale(body: Pick<Locale, 'code' | 'name'>): Promise<void> {
  await request('POST', '/admin/locales', { body })
}

export async function makeDefaultLocale(code: string): Promise<void> {
  await request('PUT', `/admin/locales/${encodeURIComponent(code)}`, { body: { isDefault: true } })
}

export async function removeLocale(code: string): Promise<void> {
  await request('DELETE', `/admin/locales/${encodeURIComponent(code)}`)
}
