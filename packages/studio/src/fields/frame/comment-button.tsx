import { use } from 'react'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import { FieldCommentsContext } from '../field-comments.ts'
import type { Place } from '../field-props.ts'
import styles from './comment-button.module.css'

export interface CommentButtonProps {
  readonly place: Place
  readonly label: string
}

/** For attributes of the entry. The key for comments works in fields, so that Tab goes from field to field. */
export function CommentButton({ place, label }: CommentButtonProps) {
  const comments = use(FieldCommentsContext)
  const { t } = useTexts()
  if (comments === null || place.includes('/')) return null
  const count = comments.counts.get(place) ?? 0
  const name =
    count === 0 ? t('comments.on', { field: label }) : t('comments.at', { field: label, count })
  return (
    <span className={`${styles['comment']} ${count === 0 ? styles['none'] : ''}`}>
      <Button
        look="quiet"
        small
        aria-label={name}
        excludeFromTabOrder={count === 0}
        onPress={() => comments.begin(place)}
      >
        <Icon name="comment" size={14} />
        {count > 0 && count}
      </Button>
    </span>
  )
}
