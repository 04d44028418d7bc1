import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { request } from './request.ts'

type Preferences = Readonly<Record<string, unknown>>

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: async ({ signal }) =>
    (await request<Preferences>('GET', '/admin/me/preferences', { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
})

export function usePreference(
  key: string,
): readonly [value: unknown, choose: (value: unknown) => void] {
  const { data } = useSuspenseQuery(preferencesQuery)
  const client = useQueryClient()
  const choose = (value: unknown): void => {
    client.setQueryData(preferencesQuery.queryKey, (before) => ({ ...before, [key]: value }))
    void request('PUT', `/admin/me/preferences/${encodeURIComponent(key)}`, {
      body: { value },
    }).catch(() => client.invalidateQueries({ queryKey: preferencesQuery.queryKey }))
  }
  return [data[key], choose]
}
