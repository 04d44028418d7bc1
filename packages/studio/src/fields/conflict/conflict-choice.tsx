import { Button } from '../../design/button.tsx'
import type { Attribute } from '../../api/attributes.ts'
import type { Conflict } from '../../entry/merge.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Place } from '../field-props.ts'
import { addressAt, useOpenEntry } from '../open-entry.ts'
import { describeValue } from '../describe-value.ts'
import styles from './conflict-choice.module.css'

export interface ConflictChoiceProps {
  readonly attribute: Attribute
  readonly place: Place
  readonly conflict: Conflict
}

export function ConflictChoice({ attribute, place, conflict }: ConflictChoiceProps) {
  const { form, reading } = useOpenEntry()
  const texts = useTexts()
  const { t } = texts
  const address = addressAt(place)
  const side = (title: string, value: unknown, action: string, choose: () => void) => (
    <div className={styles['side']}>
      <p className={styles['who']}>{title}</p>
      <p className={styles['value']}>
        {describeValue(attribute, value, reading.components, texts)}
      </p>
      <Button small onPress={choose}>
        {action}
      </Button>
    </div>
  )
  const mine = form.get(address)
  return (
    <div className={styles['conflict']} role="group" aria-label={t('conflict.title')}>
      <p className={styles['title']}>{t('conflict.title')}</p>
      <div className={styles['sides']}>
        {side(t('conflict.mine'), mine, t('conflict.keepMine'), () => form.settle(address, mine))}
        {side(t('conflict.theirs'), conflict.theirs, t('conflict.takeTheirs'), () =>
          form.settle(address, conflict.theirs),
        )}
      </div>
    </div>
  )
}
