import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { TypeSummary } from '../../api/content-types.ts'
import type { EntryState } from '../../api/entries.ts'
import { inTurns } from '../../api/in-turns.ts'
import { ApiError } from '../../api/request.ts'
import { useMay } from '../../api/session.ts'
import { type Restored, restoreEntry, useCanRestore } from '../../api/trash.ts'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'
import { sayRestored } from './say-restored.ts'

export interface DeletedEntry {
  readonly documentId: string
  /** The state before the deletion; undefined if the type has no drafts. */
  readonly state: EntryState | undefined
}

export type UndoDeletion = (entries: readonly DeletedEntry[]) => Promise<void>

const MAX_CONCURRENT_RESTORES = 4

/**
 * Creates the undo for deleted entries of a type in a locale; null if deletion is permanent.
 * Published entries are published again and keep their unpublished changes. If that is not allowed
 * or not possible, they are restored as drafts, and a notice says so.
 */
export function useUndoDeletion(type: TypeSummary, locale: string | null): UndoDeletion | null {
  const { t } = useTexts()
  const client = useQueryClient()
  const mayPublish = useMay()(`${type.uid}.publish`, locale ?? undefined)
  const canRestore = useCanRestore(type, locale)
  if (!canRestore) return null
  return async (entries) => {
    const restored = await restoreAll(type, entries, { locale, mayPublish })
    if (restored.size > 0) {
      const drafts = entries.filter(
        ({ documentId, state }) =>
          type.draftAndPublish &&
          isPublic(state) &&
          restored.get(documentId)?.isPublished === false,
      )
      if (drafts.length > 0) notify(t('trash.nowDrafts', { count: drafts.length }))
      sayRestored(t, t('trash.restoredEntries', { count: restored.size }), [...restored.values()])
    }
    await refresh(client, type.uid)
  }
}

function isPublic(state: EntryState | undefined): boolean {
  return state === 'published' || state === 'changed'
}

interface RestoreOptions {
  readonly locale: string | null
  readonly mayPublish: boolean
}

async function restoreAll(
  type: TypeSummary,
  entries: readonly DeletedEntry[],
  options: RestoreOptions,
): Promise<ReadonlyMap<string, Restored>> {
  const restored = new Map<string, Restored>()
  const failures: unknown[] = []
  const turn = inTurns(MAX_CONCURRENT_RESTORES)
  const { signal } = new AbortController()
  const restore = async (entry: DeletedEntry): Promise<void> => {
    try {
      restored.set(entry.documentId, await restoreState(type, entry, options))
    } catch (error) {
      failures.push(error)
    }
  }
  await Promise.all(entries.map((entry) => turn(() => restore(entry), signal)))
  if (failures.length > 0) notifyFailure(failures[0])
  return restored
}

async function restoreState(
  { uid, draftAndPublish }: TypeSummary,
  { documentId, state }: DeletedEntry,
  { locale, mayPublish }: RestoreOptions,
): Promise<Restored> {
  const asDraft = { locale, from: 'draft' } as const
  if (!draftAndPublish || !mayPublish || !isPublic(state)) {
    return restoreEntry(uid, documentId, asDraft)
  }
  try {
    return await restoreEntry(uid, documentId, { locale, from: 'both' })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    return restoreEntry(uid, documentId, asDraft)
  }
}

async function refresh(client: QueryClient, uid: string): Promise<void> {
  const keys = [['content', uid], ['counts'], ['trash']]
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}
