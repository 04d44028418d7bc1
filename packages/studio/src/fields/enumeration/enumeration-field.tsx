import type { ScalarAttribute } from '../../api/attributes.ts'
import { valueName } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import styles from '../inputs/inputs.module.css'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'

export function EnumerationField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<string | null>(place)
  const set = useSetValue<string | null>(place)
  const { isReadOnly } = useOpenEntry()
  const { t, language } = useTexts()
  const declared = attribute.enum ?? []
  const isStray = value !== null && !declared.includes(value)
  return (
    <FieldFrame {...{ attribute, name, place }}>
      {(names) => (
        <select
          {...names}
          className={`${styles['input']} ${styles['time']}`}
          value={value ?? ''}
          disabled={isReadOnly || attribute.writable === false}
          onChange={({ target }) => set(target.value === '' ? null : target.value)}
        >
          <option value="">{t('field.unset')}</option>
          {isStray && <option value={value}>{value}</option>}
          {declared.map((one) => (
            <option key={one} value={one}>
              {valueName(one, attribute, language)}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}
