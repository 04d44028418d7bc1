import { useEffect, useRef, useState } from 'react'
import type { NumberType } from '@quire/schema/attributes'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { usePlaceholder } from '../../texts/field-words.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import styles from '../inputs/inputs.module.css'
import { addressAt, useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import { useKeptSelection } from '../text/use-kept-selection.ts'
import { parseNumber } from './parse-number.ts'
import { problemOfNumber } from './problem-of-number.ts'

type NumberValue = number | string | null

/**
 * Shows the parsed number next to the input while the user types. Invalid text stays in the input
 * and is not saved.
 */
export function NumberField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<NumberValue>(place)
  const set = useSetValue<NumberValue>(place)
  const { form, isReadOnly } = useOpenEntry()
  const texts = useTexts()
  const [typed, type] = useState(() => shown(value, texts))
  const [read, show] = useState<string | null>(null)
  const placeholder = usePlaceholder(attribute)
  const input = useKeptSelection(typed)
  const last = useRef(value)
  useEffect(() => {
    if (Object.is(last.current, value)) return
    last.current = value
    type(shown(value, texts)) // a value from elsewhere
    show(null)
  }, [value, texts])
  const change = (text: string): void => {
    type(text)
    const parsed = parseNumber(attribute.type as NumberType, text, texts.language)
    form.setUnreadable(addressAt(place), problemOfNumber(parsed, texts))
    show(parsed.kind === 'value' ? shown(parsed.value, texts) : null)
    if (parsed.kind !== 'value') return
    last.current = parsed.value
    set(parsed.value)
  }
  const settle = (): void => {
    if (read !== null) type(read)
    show(null)
  }
  return (
    <FieldFrame {...{ attribute, name, place }}>
      {(names) => (
        <div className={styles['line']}>
          <input
            {...names}
            {...placeholder}
            ref={input}
            type="text"
            inputMode={attribute.type === 'integer' ? 'numeric' : 'decimal'}
            autoComplete="off"
            className={`${styles['input']} ${styles['number']}`}
            value={typed}
            readOnly={isReadOnly || attribute.writable === false}
            onChange={(event) => change(event.target.value)}
            onBlur={settle}
          />
          <span role="status" className={styles['said']}>
            {read !== null && read !== '' && `= ${read}`}
          </span>
        </div>
      )}
    </FieldFrame>
  )
}

function shown(value: NumberValue, { number }: Texts): string {
  return value === null ? '' : number(value)
}
