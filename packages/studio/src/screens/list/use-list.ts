import { keepPreviousData, useQuery, useSuspenseQueries } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  apiNameOf,
  declarationQuery,
  type TypeSummary,
  useDeclaration,
} from '../../api/content-types.ts'
import { targetOf } from '../../api/attributes.ts'
import { entriesQuery } from '../../api/entries.ts'
import { useLocales } from '../../api/locales.ts'
import { useSession } from '../../api/session.ts'
import { usePreference } from '../../api/preferences.ts'
import { type Column, columnsOf, shownColumns } from './columns.ts'
import { selectionOf, toListQuery } from './list-query.ts'
import type { ListSearch } from './list-search.ts'

export function useList(type: TypeSummary) {
  const declaration = useDeclaration(type.uid)
  const search = useSearch({ from: '/shell/content/$type' })
  const change = useChangeSearch()
  const navigate = useNavigate()
  const locales = useLocales()
  const defaultLocale = locales[0]?.code ?? 'en'
  const locale = type.localized ? (search.locale ?? defaultLocale) : null
  const all = columnsOf(declaration)
  const [chosen, choose] = usePreference(`list.${type.uid}`)
  const columns = shownColumns(all, search.columns ?? chosen)
  const chooseColumns = (names: readonly string[] | null): void => {
    if (search.columns === undefined) choose(names)
    else change({ columns: names ?? undefined })
  }
  const titles = useTitles(columns)
  const me = useSession().administrator.id
  const input = { declaration, columns, search, locale, titles, me }
  const entries = useQuery({
    ...entriesQuery(type.uid, toListQuery(input)),
    placeholderData: keepPreviousData,
  })
  return {
    declaration,
    search,
    change,
    locales,
    locale,
    all,
    columns,
    chooseColumns,
    /** Returns a function that restores the current columns. */
    columnsBack: () => () =>
      search.columns === undefined ? choose(chosen ?? null) : change({ columns: search.columns }),
    /** Returns a function that navigates back to the current list. */
    cameBy: () => () =>
      navigate({ to: '/content/$type', params: { type: apiNameOf(type) }, search }),
    /** Shows another list of the type. */
    open: (other: ListSearch) =>
      navigate({ to: '/content/$type', params: { type: apiNameOf(type) }, search: other }),
    titles,
    selection: selectionOf(input),
    entries,
  }
}

export type List = ReturnType<typeof useList>

function useChangeSearch(): (change: Partial<Record<keyof ListSearch, unknown>>) => void {
  const navigate = useNavigate({ from: '/content/$type' })
  return (change) => {
    const isPage = 'after' in change
    void navigate({
      search: (before) =>
        withoutNothing({ ...before, after: undefined, skipped: undefined, ...change }),
      replace: !isPage,
      resetScroll: isPage,
    })
  }
}

function withoutNothing(search: Readonly<Record<string, unknown>>): ListSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  )
}

function useTitles(columns: readonly Column[]): Readonly<Record<string, string | null>> {
  const uids = [...new Set(columns.flatMap(({ attribute }) => targetOf(attribute) ?? []))]
  const found = useSuspenseQueries({ queries: uids.map((uid) => declarationQuery(uid)) })
  return Object.fromEntries(uids.map((uid, at) => [uid, found[at]?.data.titleField ?? null]))
}
