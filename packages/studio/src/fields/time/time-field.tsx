import type { TimeType } from '@quire/schema/attributes'
import { Button } from '../../design/button.tsx'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import styles from '../inputs/inputs.module.css'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import { fromInput, INPUT_OF, toInput } from './local-time.ts'

export function TimeField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const type = attribute.type as TimeType
  const value = useValue<string | null>(place)
  const set = useSetValue<string | null>(place)
  const { isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const isMoment = type === 'datetime' || type === 'timestamp'
  const zone = isMoment ? Intl.DateTimeFormat().resolvedOptions().timeZone : undefined
  const isFixed = isReadOnly || attribute.writable === false
  return (
    <FieldFrame {...{ attribute, name, place }} hint={zone}>
      {(names) => (
        <div className={styles['line']}>
          <input
            {...names}
            type={INPUT_OF[type]}
            {...(type !== 'date' && { step: stepOf(toInput(type, value)) })}
            className={`${styles['input']} ${styles['time']}`}
            value={toInput(type, value)}
            readOnly={isFixed}
            onChange={({ target }) => set(fromInput(type, target.value))}
          />
          {value !== null && !isFixed && attribute.required !== true && (
            <Button look="quiet" small onPress={() => set(null)}>
              {t('field.clear')}
            </Button>
          )}
        </div>
      )}
    </FieldFrame>
  )
}

/** The step in seconds, as precise as the value. */
function stepOf(text: string): number {
  if (text.includes('.')) return 0.001
  return /\d{2}:\d{2}:\d{2}$/.test(text) ? 1 : 60
}
