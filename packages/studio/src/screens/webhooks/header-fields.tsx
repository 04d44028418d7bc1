import { useRef } from 'react'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { TextInput } from '../../design/text-input.tsx'
import type { Action } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './header-fields.module.css'
import type { EditedHeaders, HeaderRow } from './use-headers.ts'

export interface HeaderFieldsProps {
  readonly headers: EditedHeaders
  readonly action: Action
}

export function HeaderFields({ headers, action }: HeaderFieldsProps) {
  const { t } = useTexts()
  const add = useRef<HTMLButtonElement>(null)
  const faults = action.faultsWithin('headers')
  const faultOf = (row: HeaderRow): string | undefined =>
    headers.isRepeated(row)
      ? t('webhook.headerTwice')
      : faults.find(({ path }) => path[0] === row.name)?.message
  return (
    <div role="group" aria-label={t('webhook.headers')} className={styles['headers']}>
      <p className={styles['label']}>{t('webhook.headers')}</p>
      <p className={styles['hint']}>{t('webhook.headersHint')}</p>
      {headers.rows.map((row) => (
        <div key={row.key} className={styles['row']}>
          <TextInput
            label={t('webhook.header')}
            mono
            value={row.name}
            isReadOnly={row.isStored}
            autoFocus={!row.isStored}
            autoComplete="off"
            input={{ spellCheck: 'false' }}
            error={faultOf(row)}
            onChange={(name) => headers.edit({ ...row, name: name.trim() })}
          />
          <TextInput
            label={t('webhook.headerValue')}
            mono
            value={row.value}
            autoComplete="off"
            input={{ spellCheck: 'false' }}
            {...(row.isStored && { hint: t('webhook.headerStored') })}
            onChange={(value) => headers.edit({ ...row, value })}
          />
          <Button
            look="quiet"
            square
            aria-label={t('action.remove', { name: row.name })}
            onPress={() => {
              headers.remove(row.key)
              add.current?.focus()
            }}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      <p role="alert" className={styles['fault']}>
        {action.faultOf('headers')}
      </p>
      <Button ref={add} small onPress={headers.add}>
        {t('webhook.addHeader')}
      </Button>
    </div>
  )
}
