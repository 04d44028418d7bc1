import type { Json } from '../../api/declarations.ts'
import { Choice } from '../../design/choice.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useTexts } from '../../texts/texts.ts'
import { defaultOf, textOfOption } from './option-values.ts'

export interface DefaultFieldProps {
  readonly options: Json
  readonly onChange: (value: unknown) => void
}

/** A choice if the values are known, otherwise text in the notation of the declaration. */
export function DefaultField({ options, onChange }: DefaultFieldProps) {
  const { t } = useTexts()
  const { type, default: value } = options
  const text = textOfOption(value)
  const choices = choicesOf(options)
  if (choices === null) {
    return (
      <TextInput
        label={t('declare.default')}
        value={text}
        onChange={(given) => onChange(defaultOf(type, given))}
      />
    )
  }
  const names: Readonly<Record<string, string>> =
    type === 'boolean' ? { true: t('declare.true'), false: t('declare.false') } : {}
  return (
    <Choice
      label={t('declare.default')}
      options={[
        { id: '', name: t('declare.noDefault') },
        ...choices.map((id) => ({ id, name: names[id] ?? id })),
      ]}
      value={text}
      onChange={(id) => onChange(defaultOf(type, id))}
    />
  )
}

function choicesOf({ type, enum: values }: Json): readonly string[] | null {
  if (type === 'boolean') return ['true', 'false']
  if (type !== 'enumeration') return null
  const named = Array.isArray(values) ? values.map((one) => String(one).trim()) : []
  return [...new Set(named)].filter((one) => one !== '')
}
