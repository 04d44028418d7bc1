import { useState } from 'react'
import { Choice } from '../../design/choice.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Draft, apiNameFrom, newComponentDraft, newType, pluralOf } from './draft.ts'

export interface NewDeclarationProps {
  readonly kind: Draft['kind']
  readonly onClose: () => void
  readonly onMade: (draft: Draft) => void
}

export function NewDeclaration({ kind, onClose, onMade }: NewDeclarationProps) {
  const { t } = useTexts()
  const [displayName, setDisplayName] = useState('')
  const [count, setCount] = useState<'collectionType' | 'singleType'>('collectionType')
  const name = apiNameFrom(displayName)
  const submit = (form: FormData): void => {
    const given = { displayName: displayName.trim() }
    onMade(
      kind === 'component'
        ? newComponentDraft({
            ...given,
            category: readText(form, 'category'),
            name: readText(form, 'name') || name,
          })
        : newType({
            ...given,
            kind: count,
            singularName: readText(form, 'singularName') || name,
            pluralName:
              readText(form, 'pluralName') || pluralOf(readText(form, 'singularName') || name),
          }),
    )
  }
  return (
    <FormDialog
      title={t(kind === 'component' ? 'declare.newComponent' : 'declare.newType')}
      isOpen
      onClose={onClose}
      submit={t('declare.continue')}
      onSubmit={submit}
    >
      <TextInput
        label={t('declare.displayName')}
        value={displayName}
        onChange={setDisplayName}
        autoFocus
        isRequired
      />
      {kind === 'component' ? (
        <>
          <TextInput
            label={t('declare.category')}
            name="category"
            defaultValue="shared"
            mono
            hint={t('declare.nameHint')}
          />
          <TextInput label={t('declare.name')} name="name" mono input={{ placeholder: name }} />
        </>
      ) : (
        <>
          <Choice
            label={t('declare.kind')}
            options={(['collectionType', 'singleType'] as const).map((id) => ({
              id,
              name: t(`declare.kind.${id}`),
            }))}
            value={count}
            onChange={(id) => setCount(id === 'singleType' ? id : 'collectionType')}
          />
          <TextInput
            label={t('declare.singularName')}
            name="singularName"
            mono
            input={{ placeholder: name }}
            hint={t('declare.nameHint')}
          />
          <TextInput
            label={t('declare.pluralName')}
            name="pluralName"
            mono
            input={{ placeholder: pluralOf(name) }}
          />
        </>
      )}
    </FormDialog>
  )
}
