import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Undo } from '../../design/toasts.tsx'
import { movedLinks, type MovedLinks, orderedMoves, withMove } from '../../entry/link-moves.ts'
import { linkIds } from '../../entry/same-value.ts'
import { type Link, type LinkMove, type Links } from '../../entry/values.ts'
import type { Place } from '../field-props.ts'
import { useSetValue } from '../open-entry.ts'
import { moved } from '../reorder/use-reorder.ts'
import { useKeyAt, useLinkCount, useLinkedAmong, useLinkPages } from './long-links.ts'

const NO_MOVES: readonly LinkMove[] = []

/** A long relation with its unsaved moves applied, and the actions on it. */
export function useLongLinks(place: Place, target: string, links: Links, text: string) {
  const set = useSetValue<Links>(place)
  const moves = useShownMoves(place, links)
  const pages = useLinkPages(place, target, text)
  const count = useLinkCount(place)
  const read = pages.data?.pages.flatMap(({ items }) => items)
  const { items, end } =
    text === '' ? movedLinks(read ?? links.items, moves) : withoutGone(read ?? [], moves)
  const move = (link: Link, to: LinkMove['to']): void => {
    const made = withMove(links.moves ?? NO_MOVES, { link, to })
    set({ ...links, moves: text === '' ? orderedMoves(read ?? links.items, made) : made })
  }
  const latest = useRef(move)
  latest.current = move
  return {
    items,
    end,
    count,
    isRead: read !== undefined,
    hasMore: pages.hasNextPage,
    isReading: pages.isFetchingNextPage,
    readMore: () => void pages.fetchNextPage(),
    add: (link: Link) => move(link, 'end'),
    move,
    remove: (key: string): Undo | undefined => {
      const list = items.some(({ documentId }) => documentId === key) ? items : end
      const at = list.findIndex(({ documentId }) => documentId === key)
      const link = list[at]
      if (link === undefined) return undefined
      move(link, null)
      const before = list[at - 1]?.documentId
      const to = before === undefined ? (list === end ? 'end' : 'start') : { after: before }
      return text === '' ? () => latest.current(link, to) : undefined
    },
    reorder: (from: number, to: number): void => {
      const link = items[from]
      if (link === undefined) return
      const order = moved(items, from, to)
      const before = order[order.indexOf(link) - 1]
      move(link, before === undefined ? 'start' : { after: before.documentId })
    },
    useTaken: (ids: readonly string[]) => useTakenAt(place, ids, moves),
  }
}

/** Search results keep their order, without the removed entries. */
function withoutGone(read: readonly Link[], moves: readonly LinkMove[]): MovedLinks {
  const gone = new Set(moves.flatMap(({ link, to }) => (to === null ? [link.documentId] : [])))
  return { items: read.filter(({ documentId }) => !gone.has(documentId)), end: [] }
}

/** Keeps moves until the saved relation is read again, so that no entry jumps back. */
function useShownMoves(place: Place, links: Links): readonly LinkMove[] {
  const client = useQueryClient()
  const key = JSON.stringify(useKeyAt(place))
  const { moves = NO_MOVES } = links
  const [shown, show] = useState(moves)
  const all = moves.reduce(
    (before, move) => (before.includes(move) ? before : withMove(before, move)),
    shown,
  )
  if (all !== shown) show(all)
  const first = linkIds(links).join()
  const isSaved = moves.length === 0
  const known = useRef(first)
  const isShown = all.length > 0
  useEffect(() => {
    if (!isSaved || (known.current === first && !isShown)) return undefined
    known.current = first
    let isCurrent = true
    const queryKey = JSON.parse(key) as readonly unknown[]
    void client.invalidateQueries({ queryKey }).then(() => {
      if (isCurrent) show(NO_MOVES)
    })
    return () => void (isCurrent = false)
  }, [client, key, first, isSaved, isShown])
  return all
}

function useTakenAt(
  place: Place,
  ids: readonly string[],
  moves: readonly LinkMove[],
): ReadonlySet<string> | null {
  const linked = useLinkedAmong(place, ids)
  if (linked === null) return null
  const taken = new Set(linked)
  for (const { link, to } of moves) {
    if (to === null) taken.delete(link.documentId)
    else taken.add(link.documentId)
  }
  return taken
}
