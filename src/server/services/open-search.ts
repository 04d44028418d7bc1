import {
  type OpenedSearch,
  providedSource,
  providedWriter,
} from '../../changes/search/provided-search.ts'
import type { SearchWriter } from '../../changes/search/search-writer.ts'
import { SEGMENT_WRITER } from '../../changes/search/segment-writer.ts'
import { replaceSearch } from '../../mongo/search/search-source.ts'
import { ExtensionError } from '../../base/errors.ts'
import { openProvided } from '../extensions/open-provided.ts'
import type { Base } from './open-base.ts'

const FUNCTIONS = ['clear', 'put', 'remove', 'find'] as const

/** Replaces the search index of the server if an extension provides one. @throws ExtensionError */
export async function openSearch({
  database,
  extensions: { search, host },
}: Pick<Base, 'database' | 'extensions'>): Promise<SearchWriter> {
  if (search === null) return SEGMENT_WRITER
  const { extension } = search
  const provider = await openProvided(search, 'search', FUNCTIONS)
  if (typeof provider.version !== 'string' || provider.version === '') {
    const path = `extension ${JSON.stringify(extension)}: providers.search`
    throw new ExtensionError([`${path}: returns an object without the text version`])
  }
  const opened: OpenedSearch = { extension, provider, host }
  replaceSearch(database, providedSource(opened))
  return providedWriter(opened)
}
