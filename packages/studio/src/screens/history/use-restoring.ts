import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ActedOn, factsKey } from '../../api/entry-facts.ts'
import { restoreRevision } from '../../api/history.ts'
import { ApiError } from '../../api/request.ts'
import { useMay } from '../../api/session.ts'
import { notifyFailure, type Notify } from '../../design/toasts.tsx'
import { isDeepEqual } from '../../entry/deep-equal.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Sitting } from './sittings.ts'

export interface RestoringProps {
  readonly session: EntrySession
  readonly entry: ActedOn
  readonly onClose: () => void
  /** The caller provides it, because notices must remain after the dialog closes. */
  readonly notify: Notify
}

export function useRestoring({ session, entry, onClose, notify }: RestoringProps) {
  const { t } = useTexts()
  const may = useMay()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const { form, saver, plan } = session
  const restore = async (
    { revision }: Pick<Sitting, 'revision'>,
    attributes: readonly string[] | null,
  ): Promise<void> => {
    if (revision === null || isBusy) return
    setBusy(true)
    const before = form.values()
    try {
      await restoreRevision(entry, revision, { attributes, etag: saver.etag() })
      await saver.refresh()
      const after = form.values()
      // Only the attributes that the restore changed, so that an undo keeps later edits of others.
      const restored = (attributes ?? Object.keys(plan.attributes)).filter(
        (name) => !isDeepEqual(before[name], after[name]),
      )
      notify(t('history.restored'), () => {
        for (const name of restored) form.set([name], before[name])
      })
      onClose()
    } catch (error) {
      const isStale = error instanceof ApiError && error.status === 412
      if (isStale) await saver.refresh()
      notifyFailure(isStale ? t('entry.changedMeanwhile') : error)
    } finally {
      setBusy(false)
      void client.invalidateQueries({ queryKey: factsKey(entry.uid, entry.documentId) })
      void client.invalidateQueries({ queryKey: ['content', entry.uid, 'list'] })
    }
  }
  return { isBusy, mayRestore: may(`${entry.uid}.update`, entry.locale ?? undefined), restore }
}
