import type { ReactNode, Ref } from 'react'
import {
  FieldError,
  Input,
  type InputProps,
  Label,
  Text,
  TextField,
  type TextFieldProps,
} from 'react-aria-components'
import styles from './text-input.module.css'

export interface TextInputProps extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label?: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly mono?: boolean
  readonly input?: Pick<InputProps, 'placeholder' | 'spellCheck'> & {
    readonly ref?: Ref<HTMLInputElement>
  }
}

export function TextInput(props: TextInputProps) {
  const { label, hint, error, mono = false, input, ...rest } = props
  const shown = error === undefined && hint !== undefined
  return (
    <TextField {...rest} isInvalid={error !== undefined} className={styles['field'] ?? ''}>
      {label !== undefined && <Label className={styles['label'] ?? ''}>{label}</Label>}
      <Input {...input} className={`${styles['input']} ${mono ? styles['mono'] : ''}`} />
      {shown && (
        <Text slot="description" className={styles['hint'] ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles['error'] ?? ''}>{error}</FieldError>
    </TextField>
  )
}
