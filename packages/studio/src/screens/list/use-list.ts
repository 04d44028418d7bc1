import { keepPreviousData, useQuery, useSuspenseQueries } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  apiNameOf,
  declarationQuery,
  type TypeSummary,
  useDeclaration,
} from '../../api/content-types.ts'
import { entriesQuery } from '../../api/entries.ts'
import { useLocales } from '../../api/locales.ts'
import { usePreference } from '../../api/preferences.ts'
import { type Column, columnsOf, shownColumns } from './columns.ts'
import { selectionOf, toListQuery } from './list-query.ts'
import type { ListSearch } from './list-search.ts'

/** All that a list is made of: what the address says, what the person chose, what the server has. */
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
  const columns = shownColumns(all, chosen)
  const titles = useTitles(columns)
  const input = { declaration, columns, search, locale, titles }
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
    chooseColumns: (names: readonly string[] | null) => choose(names),
    /** Brings the columns back that are shown now. */
    columnsBack: () => () => choose(chosen ?? null),
    /** Comes back to what is shown now, from anywhere. */
    cameBy: () => () =>
      navigate({ to: '/content/$type', params: { type: apiNameOf(type) }, search }),
    titles,
    selection: selectionOf(input),
    entries,
  }
}

export type List = ReturnType<typeof useList>

/** Changes the address; what it shows begins on its first page again. */
function useChangeSearch(): (change: Partial<Record<keyof ListSearch, unknown>>) => void {
  const navigate = useNavigate({ from: '/content/$type' })
  return (change) => {
    const isPage = 'after' in change
    void navigate({
      search: (before) => withoutNothing({ ...before, after: undefined, ...change }),
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

/** What entries of the types that columns refer to are called by. */
function useTitles(columns: readonly Column[]): Readonly<Record<string, string | null>> {
  const uids = [...new Set(columns.flatMap(({ attribute }) => attribute?.target ?? []))]
  const found = useSuspenseQueries({ queries: uids.map((uid) => declarationQuery(uid)) })
  return Object.fromEntries(uids.map((uid, at) => [uid, found[at]?.data.titleField ?? null]))
}
