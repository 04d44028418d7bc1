import { beginTimeSlice } from '../../base/time-slice.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Reader, TextSearch } from '../../query/query.ts'
import { analyzerFor } from '../../query/text/analyze-text.ts'
import { textOfAttribute } from '../../query/text/entry-text.ts'
import { type Highlight, highlightText } from '../../query/text/highlight-text.ts'
import { type Corrections, queryTerms } from '../../query/text/query-terms.ts'
import { valueName } from '../../schema/alias.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/** By attribute, without attributes that have no match. */
export type EntryHighlights = Readonly<Record<string, Highlight>>

interface Corrected {
  readonly corrected: Corrections
}

/** Returns the matches of each version, in the same order. */
export async function highlightEntries(
  { text, highlights, corrected }: Pick<TextSearch, 'text' | 'highlights'> & Corrected,
  { locales }: Pick<Reader, 'locales'>,
  versions: readonly StoredVersion[],
): Promise<readonly EntryHighlights[]> {
  const slice = beginTimeSlice()
  const found: EntryHighlights[] = []
  for (const version of versions) {
    const { locale } = version
    const analyzer = await analyzerFor(locale === NO_LOCALE ? locales.defaultCode : locale)
    const terms = queryTerms(text, analyzer, corrected)
    const marked: Record<string, Highlight> = {}
    for (const attribute of highlights) {
      const shown = textOfAttribute(attribute, version[valueName(attribute)])
      const highlight = highlightText(shown, terms, analyzer)
      if (highlight !== null) marked[attribute.name] = highlight
      if (slice.isOver()) await slice.next()
    }
    found.push(marked)
  }
  return found
}
