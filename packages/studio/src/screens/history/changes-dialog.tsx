import { useQuery } from '@tanstack/react-query'
import type { UnpublishedChanges } from '../../api/entry-facts.ts'
import { differenceQuery } from '../../api/history.ts'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import type { EntrySession } from '../../entry/entry-session.ts'
import { useTexts } from '../../texts/texts.ts'
import { Difference } from './difference.tsx'

export interface ComparedChanges {
  readonly session: EntrySession
  readonly changes: UnpublishedChanges
}

interface ChangesDialogProps extends ComparedChanges {
  readonly onClose: () => void
}

/** Compares the published version with the draft. */
export function ChangesDialog({ session, changes, onClose }: ChangesDialogProps) {
  const { t } = useTexts()
  return (
    <Dialog title={t('entry.unpublishedChanges')} isOpen onClose={onClose} form="large">
      <Compared {...{ session, changes }} />
    </Dialog>
  )
}

function Compared({ session, changes: { from, to } }: ComparedChanges) {
  const { t } = useTexts()
  const { plan, door } = session
  const entry = { uid: plan.type.uid, documentId: door.documentId() ?? '', locale: plan.locale }
  const { data, error } = useQuery({
    ...differenceQuery(entry, from ?? '', to ?? ''),
    enabled: from !== null && to !== null,
    retry: false,
  })
  if (from === null || to === null) return <Notice title={t('entry.notCompared')} />
  if (error !== null) return <Notice title={t('entry.notCompared')} />
  if (data === undefined) return <Skeleton />
  return (
    <Difference
      plan={plan}
      changes={data}
      left={t('state.published')}
      right={t('state.draft')}
      onRestore={null}
    />
  )
}
