import { useState } from 'react'
import { addView } from '../../api/views.ts'
import { Checkbox } from '../../design/checkbox.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'

export interface SaveViewDialogProps {
  readonly uid: string
  readonly search: Readonly<Record<string, unknown>>
  readonly onClose: () => void
}

export function SaveViewDialog({ uid, search, onClose }: SaveViewDialogProps) {
  const { t } = useTexts()
  const action = useAction(['name'])
  const [shared, share] = useState(false)
  const save = (form: FormData): void => {
    const name = readText(form, 'name')
    action.run(() => addView(uid, { name, shared, search }), {
      changes: ['views'],
      says: t('views.saved', { name }),
      onDone: onClose,
    })
  }
  return (
    <FormDialog
      title={t('views.saveTitle')}
      isOpen
      onClose={onClose}
      submit={t('action.save')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={save}
    >
      <TextInput label={t('settings.name')} name="name" autoFocus error={action.faultOf('name')} />
      <Checkbox isSelected={shared} onChange={share}>
        {t('views.share')}
      </Checkbox>
      <p>{t('views.shareHint')}</p>
    </FormDialog>
  )
}
