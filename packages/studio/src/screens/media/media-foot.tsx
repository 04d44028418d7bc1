import { Pages } from '../../design/pages.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './media-screen.module.css'
import type { Media } from './use-media.ts'

export function MediaFoot({ media: { search, change, files } }: { readonly media: Media }) {
  const { t } = useTexts()
  const { page = 1 } = search
  const { pageCount = 1, total = 0 } = files.data?.meta.pagination ?? {}
  return (
    <>
      <span className={styles['pages']}>
        {t('media.count', { count: total })}
        <Pages page={page} pageCount={pageCount} onChange={(next) => change({ page: next })} />
      </span>
      <span className={styles['keys']}>{t('media.keys')}</span>
    </>
  )
}
