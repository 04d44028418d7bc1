import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { catchUp } from '../../entry/catch-up.ts'
import { runAfter } from '../../entry/run-after.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import { factsKey, type LocaleState, localeStatesQuery } from '../../api/entry-facts.ts'
import { LIVE_REFRESH_MS } from '../../api/presence.ts'
import { ApiError } from '../../api/request.ts'
import { SCHEDULES_REFRESH_MS } from '../../api/schedules.ts'

/**
 * Polls the states of the entry while the form is open and visible, less often with a stream of
 * changes. Changes from elsewhere (a release, a write, a deletion) come into the form.
 */
export function useFollowing(session: EntrySession, isLive: boolean) {
  const { plan, door } = session
  const client = useQueryClient()
  const { uid } = plan.type
  const documentId = door.documentId()
  const { data, error, dataUpdatedAt } = useQuery({
    ...localeStatesQuery(uid, documentId ?? ''),
    enabled: documentId !== null,
    refetchInterval: refreshInterval(isLive),
  })
  const isGone = error instanceof ApiError && error.status === 404
  const states = isGone ? NO_STATES : data
  const own = states?.find(({ locale }) => locale === plan.locale)
  const isPublished = typeof own?.publishedAt === 'string'
  useEffect(() => {
    if (isPublished) door.notePublished()
  }, [door, isPublished])
  const before = useRef<string | undefined>(undefined)
  const mark = states === undefined ? undefined : markOf(own)
  useEffect(() => {
    const isNews = before.current !== undefined && mark !== before.current
    before.current = mark
    const saved = door.savedFacts()?.locales.find(({ locale }) => locale === plan.locale)
    const isOwn = saved !== undefined && mark === markOf(saved)
    if (!isNews || isOwn || documentId === null) return
    void client.invalidateQueries({ queryKey: factsKey(uid, documentId) })
    for (const key of [['content', uid, 'list'], ['schedules'], ['releases']]) {
      void client.invalidateQueries({ queryKey: key })
    }
  }, [client, documentId, door, mark, plan.locale, uid])
  useCatchUp(session, { mark, polledAt: dataUpdatedAt, writtenAt: own?.updatedAt })
  return { states, state: own?.state, changes: own?.changes }
}

interface Polled {
  readonly mark: string | undefined
  readonly writtenAt: string | undefined
  readonly polledAt: number
}

function useCatchUp(
  { plan, door, saver }: EntrySession,
  { mark, writtenAt, polledAt }: Polled,
): void {
  // The service that writes an adopted collection, too, may write no time. So each poll reads the entry again.
  const readAt = plan.type.adopted ? polledAt : 0
  const openedAt = useRef(0)
  useEffect(() => {
    if (openedAt.current === 0) openedAt.current = readAt
    const mayDiffer = readAt !== openedAt.current
    const isBehind = (): boolean => {
      if (mayDiffer) return true
      const isMissing = mark === GONE_MARK && door.writtenAt() !== null
      return isMissing || (writtenAt !== undefined && writtenAt !== door.writtenAt())
    }
    return catchUp({ isBehind, refresh: () => saver.refresh(), after: runAfter })
  }, [door, mark, readAt, saver, writtenAt])
}

function refreshInterval(isLive: boolean): number {
  return isLive ? LIVE_REFRESH_MS : SCHEDULES_REFRESH_MS
}

const GONE_MARK = 'gone'
const NO_STATES: readonly LocaleState[] = []

function markOf(own: LocaleState | undefined): string {
  return own === undefined ? GONE_MARK : [own.state, own.updatedAt, own.publishedAt].join(' ')
}
