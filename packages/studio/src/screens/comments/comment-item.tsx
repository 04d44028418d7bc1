import { useState } from 'react'
import { changeComment, deleteComment, type EntryComment } from '../../api/comments.ts'
import type { Person } from '../../api/entries.ts'
import type { ActedOn } from '../../api/entry-facts.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { CommentForm } from './comment-form.tsx'
import styles from './comments.module.css'
import { partsOf } from './mentions.ts'

export interface CommentItemProps {
  readonly comment: EntryComment
  /** The label of its attribute. */
  readonly field: string | null
  readonly entry: ActedOn
  readonly people: readonly Person[]
}

const CHANGES = { changes: ['comments'] }

export function CommentItem({ comment, field, entry, people }: CommentItemProps) {
  const { id, by, text, mentions, createdAt, editedAt, resolved } = comment
  const { t, ago, moment } = useTexts()
  const isOwn = useSession().administrator.id === by.id
  const [isEditing, edit] = useState(false)
  const [isDeleting, askToDelete] = useState(false)
  const action = useAction()
  const saving = useAction()
  return (
    <li className={styles['comment']}>
      <p className={styles['head']}>
        <b>{by.name}</b>
        <span title={moment(createdAt)}>{ago(createdAt)}</span>
        {field !== null && <span className={styles['field']}>{field}</span>}
      </p>
      {isEditing ? (
        <CommentForm
          label={t('comments.edit')}
          action={t('action.save')}
          people={people}
          first={{ text, mentions }}
          turn={1}
          isBusy={saving.isBusy}
          onSubmit={(input) =>
            saving.run(() => changeComment(entry, id, input), {
              ...CHANGES,
              onDone: () => edit(false),
            })
          }
          onCancel={() => edit(false)}
        />
      ) : (
        <p className={styles['text']}>
          {partsOf(text, mentions).map((part, index) =>
            // oxlint-disable-next-line react/no-array-index-key -- the parts have no other order
            index % 2 === 0 ? part : <b key={index}>{part}</b>,
          )}
        </p>
      )}
      {editedAt !== null && <p className={styles['quiet']}>{t('comments.edited')}</p>}
      {resolved !== null && (
        <p className={styles['quiet']}>
          {t('comments.resolvedBy', { name: resolved.by.name, when: ago(resolved.at) })}
        </p>
      )}
      {!isEditing && (
        <div className={styles['buttons']}>
          <Button
            look="quiet"
            small
            isPending={action.isBusy}
            onPress={() =>
              action.run(() => changeComment(entry, id, { resolved: resolved === null }), CHANGES)
            }
          >
            {t(resolved === null ? 'comments.resolve' : 'comments.reopen')}
          </Button>
          {isOwn && (
            <>
              <Button look="quiet" small onPress={() => edit(true)}>
                {t('comments.change')}
              </Button>
              <Button look="quiet" small onPress={() => askToDelete(true)}>
                {t('action.delete')}
              </Button>
            </>
          )}
        </div>
      )}
      <ConfirmDialog
        title={t('comments.delete')}
        isOpen={isDeleting}
        isPending={action.isBusy}
        onClose={() => askToDelete(false)}
        onConfirm={() =>
          action.run(() => deleteComment(entry, id), {
            ...CHANGES,
            onDone: () => askToDelete(false),
          })
        }
      >
        {t('comments.delete.hint')}
      </ConfirmDialog>
    </li>
  )
}
