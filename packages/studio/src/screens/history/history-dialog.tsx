import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import { type ActedOn, factsKey } from '../../api/entry-facts.ts'
import { differenceQuery, historyQuery, restoreRevision } from '../../api/history.ts'
import { ApiError } from '../../api/request.ts'
import { useMay } from '../../api/session.ts'
import { currentPageTitle } from '../../design/branding.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { notifyFailure, type Notify } from '../../design/toasts.tsx'
import { isDeepEqual } from '../../entry/deep-equal.ts'
import { useTexts } from '../../texts/texts.ts'
import { Difference } from './difference.tsx'
import styles from './history-dialog.module.css'
import { VersionList } from './version-list.tsx'
import { type Version, versionsOf } from './versions.ts'

export interface HistoryDialogProps {
  readonly session: EntrySession
  readonly entry: ActedOn
  readonly onClose: () => void
  /** The caller provides it, because notices must remain after the dialog closes. */
  readonly notify: Notify
}

type Against = 'now' | 'before'

export function HistoryDialog({ session, entry, onClose, notify }: HistoryDialogProps) {
  const { t } = useTexts()
  const found = useInfiniteQuery(historyQuery(entry))
  const versions = versionsOf(found.data?.pages.flatMap((page) => page.data) ?? [])
  const kept = versions.filter(({ revision }) => revision !== null)
  const [chosen, choose] = useState<string | null>(null)
  const [against, setAgainst] = useState<Against>('now')
  const { isBusy, mayRestore, restore } = useRestoring({ session, entry, onClose, notify })
  const version = kept.find(({ key }) => key === chosen) ?? kept[1] ?? kept[0]
  if (version === undefined) return null
  const [now] = kept
  const before = kept[kept.indexOf(version) + 1]
  const other = against === 'now' ? now : before
  const isNow = version === now
  return (
    <Dialog
      title={t('history.titleOf', { name: currentPageTitle() })}
      isOpen
      onClose={onClose}
      form="large"
      actions={
        mayRestore && (
          <Button
            look="primary"
            isDisabled={isNow}
            isPending={isBusy}
            onPress={() => void restore(version, null)}
          >
            {t('history.restore')}
          </Button>
        )
      }
    >
      <div className={styles['columns']}>
        <div className={styles['versions']}>
          <VersionList versions={versions} chosen={version.key} onChoose={choose} />
          {found.hasNextPage && (
            <Button
              look="quiet"
              small
              isPending={found.isFetchingNextPage}
              onPress={() => void found.fetchNextPage()}
            >
              {t('history.older')}
            </Button>
          )}
        </div>
        <div className={styles['difference']}>
          <Choice
            label={t('history.compare')}
            options={(['now', 'before'] as const).map((id) => ({ id, name: t(`history.${id}`) }))}
            value={against}
            onChange={(id) => setAgainst(id === 'before' ? 'before' : 'now')}
          />
          <Compared
            {...{ session, entry, version, other, against }}
            onRestore={mayRestore && !isNow ? (name) => void restore(version, [name]) : null}
          />
        </div>
      </div>
    </Dialog>
  )
}

interface ComparedProps extends Pick<HistoryDialogProps, 'session' | 'entry'> {
  readonly version: Version
  readonly other: Version | undefined
  readonly against: Against
  readonly onRestore: ((attribute: string) => void) | null
}

/** The older version is on the left. */
function Compared({ session, entry, version, other, against, onRestore }: ComparedProps) {
  const { t } = useTexts()
  const pair = against === 'now' ? [version, other] : [other, version]
  const [from, to] = pair.map((one) => one?.revision ?? '')
  const isPair = other !== undefined && from !== to
  const found = useQuery({ ...differenceQuery(entry, from ?? '', to ?? ''), enabled: isPair })
  if (other === undefined) return <Notice title={t('history.first')} />
  if (found.error !== null) return <Notice title={found.error.message} />
  if (isPair && found.data === undefined) return <Skeleton />
  const changes = isPair ? (found.data ?? []) : []
  if (changes.length === 0) {
    return <Notice title={t('history.same')}>{t('history.sameHint')}</Notice>
  }
  const [left, right] =
    against === 'now'
      ? [t('history.then'), t('history.now')]
      : [t('history.before'), t('history.then')]
  return <Difference {...{ changes, left, right, onRestore }} plan={session.plan} />
}

function useRestoring({ session, entry, onClose, notify }: HistoryDialogProps) {
  const { t } = useTexts()
  const may = useMay()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const { form, saver, plan } = session
  const restore = async (
    { revision }: Version,
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
