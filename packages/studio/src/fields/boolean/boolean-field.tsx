import { Switch } from 'react-aria-components'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { Button } from '../../design/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import styles from './boolean-field.module.css'

export function BooleanField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<boolean | null>(place)
  const set = useSetValue<boolean | null>(place)
  const { isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const isFixed = isReadOnly || attribute.writable === false
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup>
      {({ 'aria-labelledby': labelledBy, 'aria-describedby': describedBy }) => (
        <div className={styles['line']}>
          <Switch
            className={styles['switch'] ?? ''}
            aria-labelledby={labelledBy}
            {...(describedBy !== undefined && { 'aria-describedby': describedBy })}
            isSelected={value === true}
            isDisabled={isFixed}
            onChange={set}
          >
            <span className={styles['track']} />
            <span className={styles['word']}>
              {t(
                value === null
                  ? 'field.boolean.unset'
                  : value
                    ? 'field.boolean.yes'
                    : 'field.boolean.no',
              )}
            </span>
          </Switch>
          {value !== null && attribute.required !== true && !isFixed && (
            <Button look="quiet" small onPress={() => set(null)}>
              {t('field.clear')}
            </Button>
          )}
        </div>
      )}
    </FieldFrame>
  )
}
