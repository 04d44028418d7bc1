import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { apiNameOf, listTitleOf, type TypeSummary, useCounts } from '../api/content-types.ts'
import { type Entry, entriesQuery, titleOf } from '../api/entries.ts'
import { inTurns } from '../api/in-turns.ts'
import { useLocales } from '../api/locales.ts'
import { useMay } from '../api/session.ts'
import { textQuery } from '../api/text-search.ts'
import type { Command } from '../design/commands.ts'
import { Icon } from '../design/icons/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import { useEntryNavigation } from './use-entry-navigation.ts'
import { TypeIcon } from '../design/icons/type-icon.tsx'
import { oncePerDocument, rankFound } from './rank-found.ts'
import { useReadableTypes } from './readable-types.ts'

const MAX_SHOWN_PER_TYPE = 4
/** The number of matches that are read per type, in all locales. */
const MAX_FOUND_PER_TYPE = 25
const MIN_SEARCH_LENGTH = 2
const SEARCH_DELAY_MS = 150
const UNCOUNTED = Number.MAX_SAFE_INTEGER

/** Limits the requests per keystroke, so that connections remain for the rest of the app. */
const searchInTurns = inTurns(3)

/**
 * Entries with a text, in all locales and all readable types. The smallest types come first, and
 * within a type the most relevant entries, or the best titles of a type without a search index. A
 * last line per type leads to its list with all matches.
 */
export function useFoundEntries(text: string): readonly Command[] {
  const wanted = useSettled(text)
  const isSearching = wanted.length >= MIN_SEARCH_LENGTH
  const counts = useCounts()
  const types = useReadableTypes()
    .filter(({ kind }) => kind === 'collectionType')
    .toSorted((a, b) => (counts[a.uid] ?? UNCOUNTED) - (counts[b.uid] ?? UNCOUNTED))
  const queryOf = useEntriesOf(wanted)
  const found = useQueries({
    queries: types.map((type) => ({ ...queryOf(type), enabled: isSearching })),
  })
  const lineOf = useEntryLine()
  const restOf = useRestLine(wanted)
  if (!isSearching) return []
  // Entries found for an earlier text must not be selectable for the new one.
  const isCurrent = wanted === text
  return types.flatMap((type, at) => {
    const { data, error } = found[at] ?? {}
    if (error) return isCurrent ? [restOf(type, 'palette.unsearched')] : []
    const nameOf = (entry: Entry): string => titleOf(entry, type.titleField)
    const matches = (data?.data ?? []).filter((entry) => isCurrent || hasText(nameOf(entry), text))
    const entries = oncePerDocument(type.searched ? matches : rankFound(matches, nameOf, text))
    const lines = entries.slice(0, MAX_SHOWN_PER_TYPE).map((entry) => lineOf(type, entry))
    const hasMore = isCurrent && entries.length > MAX_SHOWN_PER_TYPE
    return hasMore ? [...lines, restOf(type, 'palette.more')] : lines
  })
}

function hasText(title: string, text: string): boolean {
  return title.toLowerCase().includes(text.trim().toLowerCase())
}

function useEntriesOf(wanted: string) {
  const may = useMay()
  const codes = useLocales().map(({ code }) => code)
  return (type: TypeSummary) => {
    const { uid, localized, titleField } = type
    const query = {
      ...textQuery(type, wanted),
      ...(localized && { locale: codes.filter((code) => may(`${uid}.find`, code)) }),
      fields: [titleField ?? 'documentId', ...(localized ? ['locale'] : [])],
      pagination: { pageSize: MAX_FOUND_PER_TYPE, withCount: false },
    }
    return entriesQuery(uid, query, searchInTurns)
  }
}

function useEntryLine(): (type: TypeSummary, entry: Entry) => Command {
  const open = useEntryNavigation()
  const { locale: nameOf } = useTexts()
  const [first] = useLocales()
  return (type, entry) => {
    const { documentId, locale = null } = entry
    const isDefault = locale === null || locale === first?.code
    return {
      id: `${documentId} ${locale ?? ''}`,
      icon: <TypeIcon type={type} />,
      text: titleOf(entry, type.titleField),
      note: isDefault ? listTitleOf(type) : `${listTitleOf(type)} · ${nameOf(locale)}`,
      run: () => open(type, documentId, isDefault ? undefined : locale),
    }
  }
}

function useRestLine(wanted: string) {
  const navigate = useNavigate()
  const { t } = useTexts()
  return (type: TypeSummary, text: 'palette.more' | 'palette.unsearched'): Command => ({
    id: `rest ${type.uid}`,
    icon: <Icon name="list" />,
    text: t(text, { name: listTitleOf(type) }),
    run: () =>
      void navigate({
        to: '/content/$type',
        params: { type: apiNameOf(type) },
        search: text === 'palette.more' ? { q: wanted } : {},
      }),
  })
}

function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
