import { useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { entryTargetOf } from '../../entry/entry-target.ts'
import { useTexts } from '../../texts/texts.ts'
import { AddressForm } from './address-form.tsx'
import styles from './link-form.module.css'
import type { LinkFormProps } from './set-link.ts'
import { TargetForm } from './target-form.tsx'

const KINDS = ['address', 'entry'] as const

type Kind = (typeof KINDS)[number]

/** The form of a link at the selection: to an address, or to an entry. */
export function LinkForm({ editor, onDone }: LinkFormProps) {
  const { t } = useTexts()
  const target = entryTargetOf(editor.getAttributes('link')['entry'])
  const [kind, choose] = useState<Kind>(target === null ? 'address' : 'entry')
  return (
    <div
      className={styles['form']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isDefaultPrevented()) return
        editor.view.focus()
        onDone()
      }}
    >
      <ToggleButtonGroup
        aria-label={t('blocks.linkTo')}
        className={styles['kinds'] ?? ''}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[kind]}
        onSelectionChange={(keys) => choose(keys.has('entry') ? 'entry' : 'address')}
      >
        {KINDS.map((one) => (
          <ToggleButton key={one} id={one} className={styles['kind'] ?? ''}>
            {t(`blocks.linkTo.${one}`)}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {kind === 'address' ? (
        <AddressForm {...{ editor, onDone }} />
      ) : (
        <TargetForm {...{ editor, target, onDone }} />
      )}
    </div>
  )
}
