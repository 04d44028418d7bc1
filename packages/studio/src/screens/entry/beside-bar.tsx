import { Button } from '../../design/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './entry-form.module.css'
import type { ShownLanguage } from './use-shown-language.ts'

/** Above the fields while another language is next to them. */
export function BesideBar({ shown }: { readonly shown: ShownLanguage }) {
  const { t } = useTexts()
  const { beside, copyAll } = shown
  if (beside === null) return null
  const name = beside.language
  return (
    <div role="group" aria-label={t('beside.title', { name })} className={styles['beside']}>
      <span>{t('beside.title', { name })}</span>
      {copyAll !== null && (
        <Button small onPress={copyAll}>
          {t('beside.copyAll', { name })}
        </Button>
      )}
      <Button look="quiet" small onPress={() => shown.show(null)}>
        {t('beside.hide')}
      </Button>
    </div>
  )
}
