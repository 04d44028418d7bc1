import type { ScalarAttribute } from '../../api/attributes.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import styles from '../inputs/inputs.module.css'
import { useFieldLabel, usePlaceholder } from '../../texts/field-words.ts'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import { useKeptSelection } from './use-kept-selection.ts'

const COUNTER_THRESHOLD = 0.8

/** Scripts cannot read the selection of an input of type `email`. */
const EMAIL = { inputMode: 'email', autoCapitalize: 'off', spellCheck: false } as const

/** One line (`string`, `email`) or several lines (`text`). An empty text is null. */
export function TextField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<string | null>(place) ?? ''
  const set = useSetValue<string | null>(place)
  const { isReadOnly } = useOpenEntry()
  const placeholder = usePlaceholder(attribute)
  const ref = useKeptSelection(value)
  return (
    <FieldFrame
      {...{ attribute, name, place }}
      note={<Length text={value} attribute={attribute} />}
    >
      {(names) => {
        const shared = {
          ...names,
          ...placeholder,
          ref,
          value,
          readOnly: isReadOnly || attribute.writable === false,
          onChange: (event: { target: { value: string } }) => set(orNull(event.target.value)),
        }
        if (attribute.type === 'text') {
          return (
            <textarea {...shared} rows={3} className={`${styles['input']} ${styles['area']}`} />
          )
        }
        return (
          <input
            {...shared}
            {...(attribute.type === 'email' && EMAIL)}
            type="text"
            className={styles['input']}
            autoComplete="off"
          />
        )
      }}
    </FieldFrame>
  )
}

export function TitleField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<string | null>(place) ?? ''
  const set = useSetValue<string | null>(place)
  const { isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const label = useFieldLabel(name, attribute)
  const declared = usePlaceholder(attribute)
  const ref = useKeptSelection(value)
  return (
    <FieldFrame {...{ attribute, name, place }} isTitle>
      {(names) => (
        <textarea
          {...names}
          ref={ref}
          rows={1}
          className={styles['titleInput']}
          value={value}
          placeholder={t('entry.untitled', { name: label })}
          {...declared}
          readOnly={isReadOnly || attribute.writable === false}
          onChange={(event) => set(orNull(event.target.value.replaceAll('\n', ' ')))}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.metaKey && !event.ctrlKey) event.preventDefault()
          }}
        />
      )}
    </FieldFrame>
  )
}

function Length({
  text,
  attribute,
}: {
  readonly text: string
  readonly attribute: ScalarAttribute
}) {
  const { maxLength } = attribute
  if (maxLength === undefined || text.length < maxLength * COUNTER_THRESHOLD) return null
  return (
    <span className={text.length > maxLength ? styles['bad'] : undefined}>
      {text.length} / {maxLength}
    </span>
  )
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}
