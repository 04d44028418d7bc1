import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Declaration, declarationQuery, useCounts, useTypes } from '../../api/content-types.ts'
import {
  entriesQuery,
  type Entry,
  type EntryState,
  type ListMeta,
  NEWEST_FIRST,
} from '../../api/entries.ts'
import { rankTitle } from '../../api/rank-title.ts'
import { byRelevance } from '../../api/text-search.ts'
import { type Answer, isTooSlow } from '../../api/request.ts'
import { type Link, toLink } from '../../entry/values.ts'
import { useOpenEntry } from '../open-entry.ts'
import { beginningWith, isOrderedByTitle } from './link-order.ts'

const SEARCH_DELAY_MS = 200
const MAX_SHOWN_LINKS = 20
/** The number of results that are ranked by title. Only the best are shown. */
const MAX_RANKED_LINKS = 100

export interface FoundLink extends Link {
  readonly state?: EntryState | undefined
}

export interface Unsearched {
  readonly why: 'too slow' | 'failed'
  /** Whether entries with a title that starts with the text were still found. */
  readonly hasBeginnings: boolean
}

export interface FoundLinks {
  readonly found: readonly FoundLink[]
  /** False while the links belong to an earlier text. */
  readonly isKnown: boolean
  readonly unsearched: Unsearched | null
  readonly titleField: string | null
}

/**
 * Finds target entries by relevance if their type has a search index, otherwise with the text in
 * any attribute. If such a large type has an index on its title, entries with a title that starts
 * with the text come first and fast, because a search within texts reads every entry.
 */
export function useFoundLinks(target: string, text: string, isOpen: boolean): FoundLinks {
  const asked = useSettled(text)
  const answers = useAnswers(target, asked, isOpen)
  const { titleField, isRanked, hasBeginnings, beginnings, everywhere } = answers
  const { data, isPlaceholderData, error } = everywhere
  const links = useLinksOf(target, titleField, [beginnings, data])
  const found = isRanked ? links : nearestFirst(links, asked)
  const isAnswered = (data !== undefined && !isPlaceholderData) || error !== null
  if (isAnswered && asked === text) {
    const why = isTooSlow(error) ? 'too slow' : 'failed'
    const unsearched = error === null ? null : ({ why, hasBeginnings } as const)
    return { found, isKnown: true, unsearched, titleField }
  }
  // Earlier results must not be selectable for the new text.
  const typed = text.trim().toLowerCase()
  const still = found.filter(({ title }) => title.toLowerCase().includes(typed))
  return { found: still, isKnown: false, unsearched: null, titleField }
}

function nearestFirst(links: readonly FoundLink[], text: string): readonly FoundLink[] {
  if (text.trim() === '') return links
  return links
    .map((link) => ({ link, rank: rankTitle(link.title, text) }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MAX_SHOWN_LINKS)
    .map(({ link }) => link)
}

function useLinksOf(
  target: string,
  titleField: string | null,
  answers: readonly (Answer<readonly Entry[], ListMeta> | undefined)[],
): readonly FoundLink[] {
  const hasStates = useTypes().find(({ uid }) => uid === target)?.draftAndPublish === true
  const found = answers.flatMap((answer) =>
    (answer?.data ?? []).map((entry): [string, FoundLink] => {
      const state = hasStates ? answer?.meta.states?.[entry.documentId] : undefined
      return [entry.documentId, { ...toLink(entry, titleField), state }]
    }),
  )
  return [...new Map(found).values()]
}

/** Without a search index, the start of indexed titles is searched in parallel. */
function useAnswers(target: string, asked: string, isOpen: boolean) {
  const { type, titleField, isIndexed, order, query } = useTargetQuery(target)
  const wanted = asked.trim()
  const isRanked = wanted !== '' && type?.searched === true
  const hasBeginnings = isIndexed && wanted !== '' && !isRanked
  const toRank = { pagination: { pageSize: MAX_RANKED_LINKS, withCount: false }, sort: order }
  const found = isRanked ? byRelevance(wanted) : { _q: wanted, ...toRank }
  const everywhere = useQuery({
    ...entriesQuery(target, { ...query, ...(wanted === '' ? { sort: order } : found) }),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const beginnings = useQuery({
    ...entriesQuery(target, {
      ...query,
      sort: order,
      filters: beginningWith(titleField ?? '', wanted),
    }),
    enabled: isOpen && hasBeginnings,
  })
  const ofBeginnings = hasBeginnings ? beginnings.data : undefined
  return { titleField, isRanked, hasBeginnings, everywhere, beginnings: ofBeginnings }
}

function useTargetQuery(target: string) {
  const { reading, locale } = useOpenEntry()
  const type = useTypes().find(({ uid }) => uid === target)
  const count = useCounts()[target]
  const titleField = reading.titleFieldOf(target)
  const { data } = useQuery({ ...declarationQuery(target), enabled: titleField !== null })
  const isIndexed = isTitleIndexed(data, titleField)
  const byTitle = isOrderedByTitle(count, isIndexed) ? titleField : null
  const query = {
    ...(titleField !== null && { fields: [titleField] }),
    pagination: { pageSize: MAX_SHOWN_LINKS, withCount: false },
    status: 'draft',
    ...(type?.localized === true && locale !== null && { locale }),
  }
  return { type, titleField, isIndexed, order: byTitle ?? NEWEST_FIRST, query }
}

function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

function isTitleIndexed(declaration: Declaration | undefined, titleField: string | null): boolean {
  const title = titleField === null ? undefined : declaration?.attributes[titleField]
  return title !== undefined && 'index' in title && title.index
}
