import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FileQuery, filesQuery, type Folder, foldersQuery } from '../../api/files.ts'
import { type MediaSearch, ORDERS } from './media-search.ts'

export function useMedia() {
  const search: MediaSearch = useSearch({ from: '/shell/media' })
  const navigate = useNavigate({ from: '/media' })
  const { q, kind, unused } = search
  const isEverywhere = q !== undefined || kind !== undefined || unused !== undefined
  const files = useQuery({
    ...filesQuery(fileQueryOf(search, isEverywhere)),
    placeholderData: keepPreviousData,
  })
  const folders: readonly Folder[] = useQuery(foldersQuery).data ?? []
  const change = (changed: Partial<Record<keyof MediaSearch, unknown>>): void => {
    void navigate({
      search: (before) =>
        Object.fromEntries(
          Object.entries({ ...before, page: undefined, ...changed }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ),
      replace: !('folder' in changed || 'page' in changed),
    })
  }
  return { search, change, files, folders, isEverywhere }
}

/** Searches all folders, unless a folder is open. */
function fileQueryOf(
  { folder, q, kind, unused, sort, page = 1 }: MediaSearch,
  isEverywhere: boolean,
): FileQuery {
  return {
    ...(folder === undefined ? !isEverywhere && { folder: 'root' } : { folder }),
    ...(q !== undefined && { search: q }),
    ...(kind !== undefined && { kind }),
    ...(unused !== undefined && { unused }),
    ...(sort !== undefined && { sort: ORDERS[sort] }),
    page,
  }
}

export type Media = ReturnType<typeof useMedia>
