import { Link } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'
import styles from './button.module.css'
import { Page } from './page.tsx'
import { Notice } from './notice.tsx'

export function Missing() {
  const { t } = useTexts()
  const home = (
    <Link to="/" className={styles['button']}>
      {t('error.missing.home')}
    </Link>
  )
  return (
    <Page title={t('error.missing')} narrow>
      <Notice action={home}>{t('error.missing.hint')}</Notice>
    </Page>
  )
}
