import { type ReactNode, useRef } from 'react'
import type { Attribute } from '../../api/attributes.ts'
import { Button } from '../../design/button.tsx'
import { useFieldLabel } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { describeValue } from '../describe-value.ts'
import { useOpenEntry, useValue } from '../open-entry.ts'
import { type Beside, useBeside } from './beside.ts'
import styles from './beside-field.module.css'

export interface BesideFieldProps {
  readonly name: string
  readonly attribute: Attribute
  /** The field itself. */
  readonly children: ReactNode
}

/** A field of the entry next to its value in the language that is shown beside it. */
export function BesideField({ name, attribute, children }: BesideFieldProps) {
  const beside = useBeside()
  const { isLocalized } = useOpenEntry()
  const isOwn = isLocalized && attribute.localized !== false && attribute.type !== 'password'
  if (beside === null || !isOwn) return children
  return (
    <div className={styles['pair']}>
      {children}
      <Other {...{ name, attribute, beside }} />
    </div>
  )
}

interface OtherProps extends Omit<BesideFieldProps, 'children'> {
  readonly beside: Beside
}

function Other({ name, attribute, beside }: OtherProps) {
  const { reading } = useOpenEntry()
  const texts = useTexts()
  const { t, ago, moment } = texts
  const field = useFieldLabel(name, attribute)
  const { language, values } = beside
  const changedAt = beside.changedAt(name)
  const isEdited = useIsEdited(name)
  return (
    <div
      role="group"
      aria-label={t('beside.label', { field, name: language })}
      className={styles['other']}
    >
      <div className={styles['head']}>
        <span className={styles['language']}>{language}</span>
        {changedAt !== undefined && !isEdited && (
          <span className={styles['changed']} title={moment(changedAt)}>
            {t('beside.changed', { when: ago(changedAt) })}
          </span>
        )}
        {beside.mayCopy(name) && (
          <Button
            look="quiet"
            small
            aria-label={t('beside.copyOne', { field, name: language })}
            onPress={() => beside.copy(name)}
          >
            {t('beside.copy')}
          </Button>
        )}
      </div>
      <p className={styles['value']}>
        {describeValue(attribute, values[name], reading.components, texts)}
      </p>
    </div>
  )
}

/** Whether the value differs from the one that the form opened with. */
function useIsEdited(name: string): boolean {
  const value = useValue<unknown>(name)
  const first = useRef(value)
  return value !== first.current
}
