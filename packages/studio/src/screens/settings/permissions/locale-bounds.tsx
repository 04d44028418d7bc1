import { Button as AriaButton, DialogTrigger } from 'react-aria-components'
import { useLocales } from '../../../api/locales.ts'
import { Choices } from '../../../design/choices.tsx'
import { PopoverDialog } from '../../../design/popover-dialog.tsx'
import { useTexts } from '../../../texts/texts.ts'
import styles from './permission-table.module.css'

export interface LocaleBoundsProps {
  readonly title: string
  readonly bound: readonly string[]
  readonly isReadOnly: boolean
  readonly onChange: (bound: readonly string[]) => void
}

export function LocaleBounds({ title, bound, isReadOnly, onChange }: LocaleBoundsProps) {
  const { t, locale: nameOf } = useTexts()
  const locales = useLocales()
  const label = `${title}: ${t('list.languages')}`
  const text = bound.length === 0 ? t('permission.allLanguages') : bound.map(nameOf).join(', ')
  if (isReadOnly) return text
  return (
    <DialogTrigger>
      <AriaButton className={styles['bound'] ?? ''} aria-label={`${label}: ${text}`}>
        {text}
      </AriaButton>
      <PopoverDialog label={label}>
        {() => (
          <>
            <Choices
              label={t('list.languages')}
              options={locales.map(({ code }) => ({ id: code, name: nameOf(code) }))}
              chosen={bound}
              onChange={onChange}
            />
            <p className={styles['hint']}>{t('permission.allLanguagesHint')}</p>
          </>
        )}
      </PopoverDialog>
    </DialogTrigger>
  )
}
