import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { commentsQuery, isOwnDiscussion } from '../../api/comments.ts'
import { localeStatesQuery } from '../../api/entry-facts.ts'
import type { EntryChange } from '../../api/presence.ts'
import type { EntrySession } from '../../entry/entry-session.ts'

export interface EntryChanges {
  take(change: EntryChange): Promise<void>
  takeAll(): void
}

/** Reads the parts of the entry that a write elsewhere has changed. */
export function useEntryChanges({ plan, door, saver }: EntrySession): EntryChanges {
  const client = useQueryClient()
  const { type, locale } = plan
  return useMemo(() => {
    const { uid } = type
    const readStates = (documentId: string): void => {
      void readAgain(client, localeStatesQuery(uid, documentId).queryKey)
    }
    const readComments = (documentId: string): void => {
      void readAgain(client, commentsQuery({ uid, documentId, locale }).queryKey)
    }
    return {
      take: async ({ kind, revision, requestId = null }) => {
        if (requestId !== null && (await isOwnDiscussion(requestId))) return
        await saver.settled() // the event can arrive before the response to the own write
        const documentId = door.documentId()
        if (documentId === null) return
        if (kind === 'discussion') return readComments(documentId)
        const known = door.savedFacts()?.history.data ?? []
        const isKnown = revision !== null && known.some((one) => one.revision === revision)
        if (!isKnown) readStates(documentId)
      },
      takeAll: () => {
        const documentId = door.documentId()
        if (documentId === null) return
        readStates(documentId)
        readComments(documentId)
      },
    }
  }, [client, door, locale, saver, type])
}

async function readAgain(client: QueryClient, queryKey: readonly unknown[]): Promise<void> {
  const query = client.getQueryCache().find({ queryKey })
  // The client does not restart a first read, which can be older than the change.
  if (query?.state.data === undefined) await query?.promise?.catch(() => undefined)
  await client.invalidateQueries({ queryKey })
}
