import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { declarationQuery, useCounts, useTypes } from '../../api/content-types.ts'
import {
  entriesQuery,
  type Entry,
  type EntryState,
  type ListMeta,
  NEWEST_FIRST,
} from '../../api/entries.ts'
import { rankTitle } from '../../api/rank-title.ts'
import { type Answer, isTooSlow } from '../../api/request.ts'
import { type Link, toLink } from '../../entry/values.ts'
import { useOpenEntry } from '../open-entry.ts'
import { beginningWith, isOrderedByTitle } from './link-order.ts'

const TYPING_PAUSE = 200
const SHOWN = 20
/** Of these the nearest are shown. */
const RANKED = 100

export interface FoundLink extends Link {
  readonly state?: EntryState | undefined
}

/** Why the search did not look everywhere. */
export interface Unsearched {
  readonly why: 'too slow' | 'failed'
  /** Whether those whose title begins with the text were found all the same. */
  readonly hasBeginnings: boolean
}

export interface FoundLinks {
  readonly found: readonly FoundLink[]
  /** False until they are what the server finds for the text. */
  readonly isKnown: boolean
  readonly unsearched: Unsearched | null
  readonly titleField: string | null
}

/**
 * Entries of the target with the text in any of theirs. Of a long type with an index of its titles, those that begin with it
 * come first, and at once: looking for a text within texts reads every entry.
 */
export function useFoundLinks(target: string, text: string, isOpen: boolean): FoundLinks {
  const asked = useSettled(text)
  const { titleField, hasBeginnings, beginnings, everywhere } = useAnswers(target, asked, isOpen)
  const { data, isPlaceholderData, error } = everywhere
  const found = nearestFirst(useLinksOf(target, titleField, [beginnings, data]), asked)
  const isAnswered = (data !== undefined && !isPlaceholderData) || error !== null
  if (isAnswered && asked === text) {
    const why = isTooSlow(error) ? 'too slow' : 'failed'
    const unsearched = error === null ? null : ({ why, hasBeginnings } as const)
    return { found, isKnown: true, unsearched, titleField }
  }
  // Until the answer is there, what was found before must not be chosen for what is typed now.
  const typed = text.trim().toLowerCase()
  const still = found.filter(({ title }) => title.toLowerCase().includes(typed))
  return { found: still, isKnown: false, unsearched: null, titleField }
}

/** The entries whose titles are the nearest to the text; without a text in the order of the server. */
function nearestFirst(links: readonly FoundLink[], text: string): readonly FoundLink[] {
  if (text.trim() === '') return links
  return links
    .map((link) => ({ link, rank: rankTitle(link.title, text) }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, SHOWN)
    .map(({ link }) => link)
}

/** The entries of these answers, each once. */
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

/** What the server finds: within every text, and beside it at the beginning of titles that have an index. */
function useAnswers(target: string, asked: string, isOpen: boolean) {
  const { titleField, isIndexed, query } = useTargetQuery(target)
  const wanted = asked.trim()
  const hasBeginnings = isIndexed && wanted !== ''
  const ranked = { pageSize: RANKED, withCount: false }
  const everywhere = useQuery({
    ...entriesQuery(target, { ...query, ...(wanted !== '' && { _q: wanted, pagination: ranked }) }),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const beginnings = useQuery({
    ...entriesQuery(target, { ...query, filters: beginningWith(titleField ?? '', wanted) }),
    enabled: isOpen && hasBeginnings,
  })
  const ofBeginnings = hasBeginnings ? beginnings.data : undefined
  return { titleField, hasBeginnings, everywhere, beginnings: ofBeginnings }
}

/** How entries of the target are asked for: their titles, in an order that is quick. */
function useTargetQuery(target: string) {
  const { reading, locale } = useOpenEntry()
  const type = useTypes().find(({ uid }) => uid === target)
  const count = useCounts()[target]
  const titleField = reading.titleFieldOf(target)
  const { data } = useQuery({ ...declarationQuery(target), enabled: titleField !== null })
  const isIndexed = titleField !== null && data?.attributes[titleField]?.index === true
  const order = isOrderedByTitle(count, isIndexed) ? titleField : null
  const query = {
    ...(titleField !== null && { fields: [titleField] }),
    pagination: { pageSize: SHOWN, withCount: false },
    status: 'draft',
    ...(type?.localized === true && locale !== null && { locale }),
    sort: order ?? NEWEST_FIRST,
  }
  return { titleField, isIndexed, query }
}

/** The text, after a pause in typing. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), TYPING_PAUSE)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
