import type { ReactNode } from 'react'
import { Form } from 'react-aria-components'
import styles from './form-fields.module.css'

export interface FormFieldsProps {
  readonly id?: string
  readonly onSubmit: (form: FormData) => void
  /** What is wrong with the whole. */
  readonly problem?: string | null
  readonly children: ReactNode
}

/** Fields one under the other; sent as they stand when the form is. */
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

/** A text of a form; empty where there is none. */
export function textOf(form: FormData, name: string): string {
  return secretOf(form, name).trim()
}

/** As it was typed, to the last blank. */
export function secretOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
