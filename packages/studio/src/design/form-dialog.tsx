import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'
import { FormFields, type FormFieldsProps } from './form-fields.tsx'

export interface FormDialogProps
  extends Omit<DialogProps, 'actions'>, Omit<FormFieldsProps, 'id' | 'children'> {
  /** The label of the submit button; absent if the form is read only. */
  readonly submit: string | undefined
  readonly isBusy?: boolean
  readonly children: ReactNode
}

export function FormDialog(props: FormDialogProps) {
  const { submit, isBusy = false, problem = null, onSubmit, children, ...dialog } = props
  const id = useId()
  return (
    <Dialog
      {...dialog}
      {...(submit !== undefined && {
        actions: (
          <Button look="primary" type="submit" form={id} isPending={isBusy}>
            {submit}
          </Button>
        ),
      })}
    >
      <FormFields id={id} problem={problem} onSubmit={onSubmit}>
        {children}
      </FormFields>
    </Dialog>
  )
}
