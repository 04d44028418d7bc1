import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import styles from '../inputs/inputs.module.css'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'

/** A password is never shown. It is sent when the user confirms it, not while it is typed. */
export function PasswordField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const waiting = useValue<string | null>(place)
  const set = useSetValue<string | null>(place)
  const { isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const [typed, type] = useState('')
  const submit = (): void => {
    if (typed === '') return
    set(typed)
    type('')
  }
  return (
    <FieldFrame
      {...{ attribute, name, place }}
      hint={t(waiting === null ? 'field.password.hint' : 'field.password.waiting')}
    >
      {(names) => (
        <div className={styles['line']}>
          <input
            {...names}
            type="password"
            autoComplete="new-password"
            className={styles['input']}
            value={typed}
            readOnly={isReadOnly || attribute.writable === false}
            onChange={({ target }) => type(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') submit()
            }}
          />
          <Button isDisabled={typed === ''} onPress={submit}>
            {t('field.password.set')}
          </Button>
        </div>
      )}
    </FieldFrame>
  )
}
