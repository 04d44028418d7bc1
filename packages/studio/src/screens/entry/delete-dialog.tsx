import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { EntrySession } from '../../entry/entry-session.ts'
import { localeStatesQuery, MAX_USAGES, usagesQuery } from '../../api/entry-facts.ts'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import { UsageList } from './usage-list.tsx'

export async function hasUsages(
  client: QueryClient,
  uid: string,
  documentId: string,
): Promise<boolean> {
  try {
    const usages = await client.fetchQuery({ ...usagesQuery(uid, documentId), staleTime: 0 })
    return usages.length > 0
  } catch {
    return true
  }
}

export interface DeleteDialogProps {
  readonly session: EntrySession
  readonly isAsking: boolean
  readonly isForGood: boolean
  readonly onDelete: () => void
  readonly onClose: () => void
}

/**
 * Asks before a permanent deletion, and before the deletion of an entry that others link to. It
 * lists the links.
 */
export function DeleteDialog(props: DeleteDialogProps) {
  const { session, isAsking, isForGood, onDelete, onClose } = props
  const { type, locale } = session.plan
  const { t, locale: nameOf } = useTexts()
  const documentId = session.door.documentId() ?? ''
  const { data: states = [] } = useQuery({
    ...localeStatesQuery(type.uid, documentId),
    enabled: isAsking,
  })
  const { data: usages = [] } = useQuery({
    ...usagesQuery(type.uid, documentId),
    enabled: isAsking,
  })
  const name = locale !== null && states.length > 1 ? nameOf(locale) : null
  const hint = name === null ? 'entry.delete.hint' : 'entry.deleteIn.hint'
  return (
    <ConfirmDialog
      title={name === null ? t('entry.delete.title') : t('entry.deleteIn.title', { name })}
      isOpen={isAsking}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        onDelete()
      }}
    >
      {usages.length > 0 && (
        <>
          <p>{t('entry.delete.linked')}</p>
          <UsageList {...{ usages, locale }} hasMore={usages.length === MAX_USAGES} />
        </>
      )}
      <p>{t(isForGood ? hint : 'entry.delete.trash')}</p>
    </ConfirmDialog>
  )
}
