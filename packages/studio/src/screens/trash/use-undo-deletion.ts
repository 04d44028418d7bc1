import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { hasFailed, runBulk } from '../../api/bulk.ts'
import type { TypeSummary } from '../../api/content-types.ts'
import type { EntryState } from '../../api/entries.ts'
import { inTurns } from '../../api/in-turns.ts'
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
 * Creates the undo for deleted entries of a type in a locale; null if deletion is permanent. The
 * trash restores drafts. Published entries without changes are published again; for entries with
 * changes, a notice says that they are drafts now.
 */
export function useUndoDeletion(type: TypeSummary, locale: string | null): UndoDeletion | null {
  const { t } = useTexts()
  const client = useQueryClient()
  const mayPublish = useMay()(`${type.uid}.publish`, locale ?? undefined)
  const canRestore = useCanRestore(type, locale)
  if (!canRestore) return null
  return async (given) => {
    // Types without drafts are public again after the restore.
    const entries = type.draftAndPublish
      ? given
      : given.map((one) => ({ ...one, state: undefined }))
    const restored = await restoreAll(type.uid, entries, locale)
    const back = entries.filter(({ documentId }) => restored.has(documentId))
    if (back.length > 0) {
      const published = mayPublish ? await publishAgain(type.uid, back, locale) : 0
      const public_ = back.filter(({ state }) => state === 'published' || state === 'changed')
      const drafts = public_.length - published
      if (drafts > 0) notify(t('trash.nowDrafts', { count: drafts }))
      sayRestored(t, t('trash.restoredEntries', { count: back.length }), [...restored.values()])
    }
    await refresh(client, type.uid)
  }
}

async function restoreAll(
  uid: string,
  entries: readonly DeletedEntry[],
  locale: string | null,
): Promise<ReadonlyMap<string, Restored>> {
  const restored = new Map<string, Restored>()
  const failures: unknown[] = []
  const turn = inTurns(MAX_CONCURRENT_RESTORES)
  const { signal } = new AbortController()
  const restore = async ({ documentId }: DeletedEntry): Promise<void> => {
    try {
      restored.set(documentId, await restoreEntry(uid, documentId, locale))
    } catch (error) {
      failures.push(error)
    }
  }
  await Promise.all(entries.map((entry) => turn(() => restore(entry), signal)))
  if (failures.length > 0) notifyFailure(failures[0])
  return restored
}

async function publishAgain(
  uid: string,
  entries: readonly DeletedEntry[],
  locale: string | null,
): Promise<number> {
  const target = entries.flatMap((one) => (one.state === 'published' ? [one.documentId] : []))
  const { signal } = new AbortController()
  const onProgress = (): void => undefined
  const work = { uid, action: 'publish', target, locale, onProgress, signal } as const
  const results = await runBulk(work)
  return results.filter((one) => !hasFailed(one)).length
}

async function refresh(client: QueryClient, uid: string): Promise<void> {
  const keys = [['content', uid], ['counts'], ['trash']]
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}
