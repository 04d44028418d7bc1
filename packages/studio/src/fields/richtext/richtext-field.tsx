import type { ScalarAttribute } from '../../api/attributes.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { useFieldLabel } from '../../texts/field-words.ts'
import { MarkdownArea } from './markdown-area.tsx'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'

export function RichtextField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const value = useValue<string | null>(place)
  const set = useSetValue<string | null>(place)
  const { isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const label = useFieldLabel(name, attribute)
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup note={t('field.markdown')}>
      {(names) => (
        <MarkdownArea
          text={value ?? ''}
          label={label}
          isInvalid={names['aria-invalid'] === true}
          isReadOnly={isReadOnly || attribute.writable === false}
          onChange={(text) => set(text === '' ? null : text)}
        />
      )}
    </FieldFrame>
  )
}
