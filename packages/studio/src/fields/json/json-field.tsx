import { useEffect, useRef, useState } from 'react'
import { isDeepEqual } from '../../entry/deep-equal.ts'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { useTexts } from '../../texts/texts.ts'
import { CodeArea } from '../code/code-area.tsx'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { useFieldLabel } from '../../texts/field-words.ts'
import { addressAt, useOpenEntry, useSetValue, useValue } from '../open-entry.ts'

/** Invalid JSON stays in the editor and is not saved. An empty text is null. */
export function JsonField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<unknown>(place)
  const set = useSetValue<unknown>(place)
  const { form, isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const label = useFieldLabel(name, attribute)
  const [text, setText] = useState(() => shown(value))
  const last = useRef(value)
  useEffect(() => {
    if (isDeepEqual(last.current, value)) return
    last.current = value
    setText(shown(value)) // a value from elsewhere
  }, [value])
  const change = (typed: string): void => {
    setText(typed)
    const read = parse(typed)
    form.setUnreadable(addressAt(place), read === undefined ? t('field.json.wrong') : null)
    if (read === undefined) return
    last.current = read.value
    if (!isDeepEqual(form.get(addressAt(place)), read.value)) set(read.value)
  }
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup note="JSON">
      {(names) => (
        <CodeArea
          language="json"
          text={text}
          label={label}
          isInvalid={names['aria-invalid'] === true}
          isReadOnly={isReadOnly || attribute.writable === false}
          onChange={change}
        />
      )}
    </FieldFrame>
  )
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
}

function parse(text: string): { readonly value: unknown } | undefined {
  if (text.trim() === '') return { value: null }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
