import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react'
import { type CommentList, commentsQuery } from '../../api/comments.ts'
import type { ActedOn } from '../../api/entry-facts.ts'
import type { EntrySession } from '../../entry/entry-session.ts'

/** The server sets an edited draft back from the last stage. The form knows without a request. */
export function useLapse({ saver }: EntrySession, entry: ActedOn): void {
  const client = useQueryClient()
  const savedAt = useSyncExternalStore(
    useCallback((listener: () => void) => saver.subscribe(listener), [saver]),
    () => saver.savedAt(),
  )
  const seen = useRef(savedAt)
  useEffect(() => {
    if (seen.current === savedAt) return
    seen.current = savedAt
    client.setQueryData(commentsQuery(entry).queryKey, withLapsed)
  }, [client, entry, savedAt])
}

function withLapsed(list: CommentList | undefined): CommentList | undefined {
  if (list === undefined || list.review === null) return list
  const { stages, stage } = list.review
  const [first] = stages
  if (first === undefined || stages.at(-1)?.name !== stage) return list
  return { ...list, review: { ...list.review, stage: first.name } }
}
