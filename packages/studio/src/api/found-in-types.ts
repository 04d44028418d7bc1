import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type TypeSummary, useCounts } from './content-types.ts'
import { type Entry, type EntryState, entriesQuery, titleOf } from './entries.ts'
import { inTurns } from './in-turns.ts'
import { useLocales } from './locales.ts'
import { oncePerDocument, rankFound } from './rank-found.ts'
import { useReadableTypes } from './readable-types.ts'
import { useMay } from './session.ts'
import { textQuery } from './text-search.ts'

/** The number of matches that are read per type, in all locales. */
const MAX_FOUND_PER_TYPE = 25
export const MIN_SEARCH_LENGTH = 2
const SEARCH_DELAY_MS = 150
const UNCOUNTED = Number.MAX_SAFE_INTEGER

/** Limits the requests per keystroke, so that connections remain for the rest of the app. */
const searchInTurns = inTurns(3)

export interface FoundInType {
  readonly type: TypeSummary
  /** Each document once. */
  readonly entries: readonly Entry[]
  /** By documentId, for types with drafts. */
  readonly states: Readonly<Record<string, EntryState>>
  readonly isFailed: boolean
}

export interface FoundInTypes {
  /** Empty for a text of one character. */
  readonly found: readonly FoundInType[]
  /** False while the entries belong to an earlier text. */
  readonly isCurrent: boolean
  /** Whether a type has not answered yet. */
  readonly isLoading: boolean
}

export interface FindOptions {
  /** Whether single types are found, by their name or the title of their entry. */
  readonly withSingles?: boolean
}

/**
 * Entries with a text, in all locales and all readable types. The smallest types come first, and
 * within a type the most relevant entries, or the best titles of a type without a search index.
 */
export function useFoundInTypes(
  text: string,
  { withSingles = false }: FindOptions = {},
): FoundInTypes {
  const wanted = useSettled(text)
  const isSearching = wanted.length >= MIN_SEARCH_LENGTH
  const counts = useCounts()
  const types = useReadableTypes()
    .filter((type) => withSingles || !isSingle(type))
    .toSorted((a, b) => sizeOf(a, counts) - sizeOf(b, counts))
  const queryOf = useEntriesOf(wanted)
  const answers = useQueries({
    queries: types.map((type) => ({ ...queryOf(type), enabled: isSearching })),
  })
  // Entries found for an earlier text must not be selectable for the new one.
  const isCurrent = wanted === text
  if (!isSearching) return { found: [], isCurrent, isLoading: false }
  const found = types.map((type, at): FoundInType => {
    const { data, error } = answers[at] ?? {}
    const nameOf = (entry: Entry): string => titleOf(entry, type.titleField)
    const matches = (data?.data ?? []).filter((entry) =>
      isSingle(type)
        ? hasText(nameOf(entry), text) || hasText(type.displayName, text)
        : isCurrent || hasText(nameOf(entry), text),
    )
    const isRanked = type.searched || isSingle(type)
    const entries = oncePerDocument(isRanked ? matches : rankFound(matches, nameOf, text))
    const states = data?.meta.states ?? {}
    return { type, entries, states, isFailed: Boolean(error) && isCurrent }
  })
  return { found, isCurrent, isLoading: answers.some(({ isPending }) => isPending) }
}

function isSingle({ kind }: TypeSummary): boolean {
  return kind === 'singleType'
}

function sizeOf(type: TypeSummary, counts: Readonly<Record<string, number>>): number {
  return isSingle(type) ? 1 : (counts[type.uid] ?? UNCOUNTED)
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
      ...(isSingle(type) ? { status: 'draft' } : textQuery(type, wanted)),
      ...(localized && { locale: codes.filter((code) => may(`${uid}.find`, code)) }),
      fields: [titleField ?? 'documentId', ...(localized ? ['locale'] : [])],
      pagination: { pageSize: MAX_FOUND_PER_TYPE, withCount: false },
    }
    return entriesQuery(uid, query, searchInTurns)
  }
}

function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
