import { useRef, useState } from 'react'
import type { Attributes } from '../../api/attributes.ts'
import { addComment } from '../../api/comments.ts'
import { Button } from '../../design/button.tsx'
import { SideSection } from '../../design/side-section.tsx'
import { useAction } from '../../design/use-action.ts'
import { useKeptFocus } from '../../design/use-kept-focus.ts'
import { fieldLabel } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { CommentForm } from './comment-form.tsx'
import { CommentItem } from './comment-item.tsx'
import styles from './comments.module.css'
import type { EntryComments } from './use-entry-comments.ts'

export interface CommentsSectionProps {
  readonly comments: EntryComments
  readonly attributes: Attributes
}

export function CommentsSection({
  comments: { comments, people, entry, subject, begin },
  attributes,
}: CommentsSectionProps) {
  const { t, language } = useTexts()
  const [showsAll, showAll] = useState(false)
  const action = useAction()
  const box = useRef<HTMLDivElement>(null)
  useKeptFocus(box, 'textarea')
  const open = comments.filter(({ resolved }) => resolved === null)
  const shown = showsAll ? comments : open
  const labelOf = (name: string): string => fieldLabel(name, attributes[name], language)
  const { attribute, turn } = subject
  const label =
    attribute === null ? t('comments.add') : t('comments.on', { field: labelOf(attribute) })
  return (
    <SideSection title={t('comments.title')}>
      <div ref={box} role="region" aria-label={t('comments.title')} className={styles['comments']}>
        {shown.length > 0 && (
          <ul>
            {shown.map((comment) => (
              <CommentItem
                key={comment.id}
                {...{ comment, entry, people }}
                field={comment.attribute === null ? null : labelOf(comment.attribute)}
              />
            ))}
          </ul>
        )}
        {comments.length > open.length && (
          <Button look="quiet" small aria-pressed={showsAll} onPress={() => showAll(!showsAll)}>
            {t('comments.showResolved', { count: comments.length - open.length })}
          </Button>
        )}
        <CommentForm
          label={label}
          action={t('comments.send')}
          people={people}
          turn={turn}
          isBusy={action.isBusy}
          onSubmit={(input, onDone) =>
            action.run(() => addComment(entry, attribute, input), {
              changes: ['comments'],
              onDone: () => {
                onDone()
                if (attribute !== null) begin(null)
              },
            })
          }
          {...(attribute !== null && { onCancel: () => begin(null) })}
        />
      </div>
    </SideSection>
  )
}
