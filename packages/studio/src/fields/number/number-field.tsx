import { useEffect, useRef, useState } from 'react'
import type { NumberType, ScalarAttribute } from '../../entry/declaration.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import styles from '../inputs/inputs.module.css'
import { addressAt, useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import { parseNumber } from './parse-number.ts'

/** A number as it is typed; what is none stays in the input and is not saved. */
export function NumberField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<number | string | null>(place)
  const set = useSetValue<number | string | null>(place)
  const { form, isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const [typed, type] = useState(() => shown(value))
  const last = useRef(value)
  useEffect(() => {
    if (Object.is(last.current, value)) return
    last.current = value
    type(shown(value)) // it came from elsewhere
  }, [value])
  const change = (text: string): void => {
    type(text)
    const parsed = parseNumber(attribute.type as NumberType, text)
    const isRead = parsed.kind === 'value'
    form.setUnreadable(addressAt(place), isRead ? null : t(`field.number.${parsed.why}`))
    if (!isRead) return
    last.current = parsed.value
    set(parsed.value)
  }
  return (
    <FieldFrame {...{ attribute, name, place }}>
      {(names) => (
        <input
          {...names}
          type="text"
          inputMode={attribute.type === 'integer' ? 'numeric' : 'decimal'}
          autoComplete="off"
          className={`${styles['input']} ${styles['number']}`}
          value={typed}
          readOnly={isReadOnly || attribute.writable === false}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </FieldFrame>
  )
}

function shown(value: number | string | null): string {
  return value === null ? '' : String(value)
}
