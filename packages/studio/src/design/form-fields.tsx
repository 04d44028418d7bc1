import type { ReactNode } from 'react'
import { Form } from 'react-aria-components'
import styles from './form-fields.module.css'

export interface FormFieldsProps {
  readonly id?: string
  readonly onSubmit: (form: FormData) => void
  readonly problem?: string | null
  readonly children: ReactNode
}

export function FormFields({ id, onSubmit, problem = null, children }: FormFieldsProps) {
  return (
    <Form
      {...(id !== undefined && { id })}
      validationBehavior="aria"
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(new FormData(event.currentTarget))
      }}
    >
      {children}
      <p role="alert" className={styles['problem']}>
        {problem}
      </p>
    </Form>
  )
}

/** The trimmed value of a text field; empty if it is missing. */
export function readText(form: FormData, name: string): string {
  return readUntrimmedText(form, name).trim()
}

/** The value as typed, including spaces at its ends. */
export function readUntrimmedText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
