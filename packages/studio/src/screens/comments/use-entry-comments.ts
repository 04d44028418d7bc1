import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { type CommentList, commentsQuery } from '../../api/comments.ts'
import type { ActedOn } from '../../api/entry-facts.ts'
import { LIVE_REFRESH_MS } from '../../api/presence.ts'
import { useMay } from '../../api/session.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import type { FieldComments } from '../../fields/field-comments.ts'

/** The subject of the next comment. Each request to write has its own number. */
export interface CommentSubject {
  readonly attribute: string | null
  readonly turn: number
}

export interface EntryComments extends CommentList {
  readonly entry: ActedOn
  readonly subject: CommentSubject
  readonly begin: (attribute: string | null) => void
  readonly fields: FieldComments
}

/** Null for new entries, and without the right to read comments. */
export function useEntryComments(
  { plan, door }: EntrySession,
  isLive: boolean,
): EntryComments | null {
  const { type, locale } = plan
  const { uid } = type
  const documentId = door.documentId()
  const may = useMay()
  const verb = type.draftAndPublish ? 'readDrafts' : 'find'
  const isAllowed = documentId !== null && may(`${uid}.${verb}`, locale ?? undefined)
  const entry = useMemo(
    () => ({ uid, documentId: documentId ?? '', locale }),
    [uid, documentId, locale],
  )
  const { data } = useQuery({
    ...commentsQuery(entry),
    enabled: isAllowed,
    ...(isLive && { refetchInterval: LIVE_REFRESH_MS }),
  })
  const [subject, setSubject] = useState<CommentSubject>({ attribute: null, turn: 0 })
  const begin = useCallback((attribute: string | null): void => {
    setSubject(({ turn }) => ({ attribute, turn: turn + 1 }))
  }, [])
  const isReadable = isAllowed && data !== undefined
  useCommentKey(isReadable, begin)
  const fields = useMemo(() => {
    const counts = new Map<string, number>()
    for (const { attribute, resolved } of data?.comments ?? []) {
      if (attribute === null || resolved !== null) continue
      counts.set(attribute, (counts.get(attribute) ?? 0) + 1)
    }
    return { counts, begin }
  }, [data, begin])
  return useMemo(
    () => (isReadable ? { ...data, entry, subject, begin, fields } : null),
    [isReadable, data, entry, subject, begin, fields],
  )
}

/** Ctrl/⌘-Alt-M begins a comment on the focused field, or else on the entry. */
function useCommentKey(isOn: boolean, begin: (attribute: string | null) => void): void {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent): void => {
      if (!isCommentKey(event)) return
      const target = event.target instanceof Element ? event.target : document.body
      if (target.closest('[role=dialog]') !== null) return
      event.preventDefault()
      const place = target.closest('[data-field]')?.getAttribute('data-field')
      begin(place?.split('/')[0] ?? null)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isOn, begin])
}

/** By key code, because Alt can change the letter. */
function isCommentKey({ metaKey, ctrlKey, altKey, code }: KeyboardEvent): boolean {
  return (metaKey || ctrlKey) && altKey && code === 'KeyM'
}
