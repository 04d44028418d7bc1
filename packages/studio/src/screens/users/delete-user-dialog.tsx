import { useQuery } from '@tanstack/react-query'
import { listTitleOf, useTypes } from '../../api/content-types.ts'
import { useMay } from '../../api/session.ts'
import { deleteUser, type User, type UserContent, userContentQuery } from '../../api/users.ts'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { labelOf } from '../../texts/labels.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './users.module.css'

export interface DeleteUserDialogProps {
  readonly user: User
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteUserDialog({ user, onClose, onDeleted }: DeleteUserDialogProps) {
  const { t } = useTexts()
  const action = useAction()
  const { documentId, username } = user
  const maySee = useMay()('plugin::users-permissions.user.findOne')
  const content = useQuery({ ...userContentQuery(documentId), enabled: maySee })
  return (
    <ConfirmDialog
      title={t('settings.deleteTitle', { name: username })}
      isOpen
      // The button waits until the consequences are shown.
      isPending={content.isLoading || action.isBusy}
      onClose={onClose}
      onConfirm={() =>
        action.run(() => deleteUser(documentId), {
          changes: ['users'],
          says: t('users.deleted', { name: username }),
          onDone: () => {
            onClose()
            onDeleted()
          },
        })
      }
    >
      {t('users.deleteHint')}
      <Fates content={content.data ?? []} />
    </ConfirmDialog>
  )
}

const FATES = ['delete', 'anonymize', 'keep'] as const

function Fates({ content }: { readonly content: readonly UserContent[] }) {
  const { t } = useTexts()
  const types = useTypes()
  const nameOf = ({ uid, attribute }: UserContent): string => {
    const type = types.find((one) => one.uid === uid)
    return `${type === undefined ? uid : listTitleOf(type)} · ${labelOf(attribute)}`
  }
  const shown = FATES.map((fate) => ({
    fate,
    names: content.filter(({ onUserDelete }) => onUserDelete === fate).map(nameOf),
  })).filter(({ names }) => names.length > 0)
  return (
    <div className={styles['fates']}>
      {shown.map(({ fate, names }) => (
        <div key={fate}>
          {t(`users.fate.${fate}`)}
          <ul>
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}
