import { useState } from 'react'
import type { DeclaredFile } from '../../api/declarations.ts'
import { ATTRIBUTE_TYPES } from '@quire/schema/attributes'
import { Choice } from '../../design/choice.tsx'
import { Drawing } from '../../design/icons/icon.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useTexts } from '../../texts/texts.ts'
import { TYPE_ICONS } from '../../design/icons/type-icons.ts'
import { AttributeOptions } from './attribute-options.tsx'
import styles from './declare.module.css'
import type { Draft, DraftAttribute } from './draft.ts'
import { isKnownType } from './option-table.ts'
import { withoutBlanks, wrongNumbers } from './option-values.ts'
import { retyped } from './retyped.ts'

export interface AttributeDialogProps {
  readonly draft: Draft
  readonly files: readonly DeclaredFile[]
  readonly attribute: DraftAttribute
  readonly onClose: () => void
  readonly onDone: (attribute: DraftAttribute) => void
}

export function AttributeDialog(props: AttributeDialogProps) {
  const { draft, files, attribute: given, onClose, onDone } = props
  const { t } = useTexts()
  const [attribute, set] = useState(given)
  const { name, was, options } = attribute
  const isTaken = draft.attributes.some((one) => one.key !== given.key && one.name === name)
  const wrong = wrongNumbers(options)
  const submit = (): void => {
    if (name === '' || isTaken || wrong.length > 0) return
    onDone({ ...attribute, options: withoutBlanks(options) })
  }
  const type = isKnownType(options['type']) ? options['type'] : 'string'
  const hint =
    was !== null && was !== name ? t('declare.renameHint', { was }) : t('declare.attributeNameHint')
  const before = was === null ? undefined : given.options['type']
  return (
    <FormDialog
      title={was === null ? t('declare.add') : t('declare.edit', { name: was })}
      isOpen
      onClose={onClose}
      form="wide"
      submit={t('declare.done')}
      onSubmit={submit}
    >
      <TextInput
        label={t('declare.attributeName')}
        value={name}
        onChange={(text) => set({ ...attribute, name: text.trim() })}
        mono
        autoFocus
        isRequired
        hint={hint}
        error={isTaken ? t('declare.nameTaken') : undefined}
        input={{ spellCheck: 'false' }}
      />
      <div>
        <Choice
          label={t('declare.type')}
          options={ATTRIBUTE_TYPES.map((id) => ({
            id,
            name: t(`declare.type.${id}`),
            icon: <Drawing path={TYPE_ICONS[id]} />,
          }))}
          value={type}
          onChange={(id) => set({ ...attribute, options: retyped(options, id), otherSide: null })}
        />
        {isKnownType(before) && before !== type && (
          <p role="status" className={styles['hint']}>
            {t('declare.retypeHint', {
              was: t(`declare.type.${before}`),
              type: t(`declare.type.${type}`),
            })}
          </p>
        )}
      </div>
      <AttributeOptions {...{ draft, files, attribute, wrong }} onChange={set} />
    </FormDialog>
  )
}
