import { Label, TextArea, TextField } from 'react-aria-components'
import fieldStyles from '../../design/text-input.module.css'
import { useTexts } from '../../texts/texts.ts'
import styles from './declare.module.css'

export interface EnumFieldProps {
  readonly value: unknown
  readonly onChange: (values: readonly string[]) => void
}

export function EnumField({ value, onChange }: EnumFieldProps) {
  const { t } = useTexts()
  return (
    <TextField
      className={fieldStyles['field'] ?? ''}
      value={Array.isArray(value) ? value.join('\n') : ''}
      onChange={(text) => onChange(text.split('\n'))}
    >
      <Label className={fieldStyles['label'] ?? ''}>{t('declare.enum')}</Label>
      <TextArea className={styles['lines'] ?? ''} rows={4} />
    </TextField>
  )
}
