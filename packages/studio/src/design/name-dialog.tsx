import { useTexts } from '../texts/texts.ts'
import { FormDialog } from './form-dialog.tsx'
import { readText } from './form-fields.tsx'
import { TextInput } from './text-input.tsx'
import { useAction } from './use-action.ts'

export interface NameDialogProps {
  readonly title: string
  readonly name: string
  readonly onClose: () => void
  readonly save: (name: string) => Promise<unknown>
  /** Key prefixes of the queries to invalidate. */
  readonly changes: readonly string[]
}

/** Asks for the name of a thing. */
export function NameDialog({ title, name, onClose, save, changes }: NameDialogProps) {
  const { t } = useTexts()
  const action = useAction(['name'])
  return (
    <FormDialog
      title={title}
      isOpen
      onClose={onClose}
      submit={t('action.save')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={(form) =>
        action.run(() => save(readText(form, 'name')), { changes, onDone: onClose })
      }
    >
      <TextInput
        label={t('settings.name')}
        name="name"
        defaultValue={name}
        autoFocus
        error={action.faultOf('name')}
      />
    </FormDialog>
  )
}
