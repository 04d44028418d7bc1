import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
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
        {pageCount > 1 && (
          <>
            <Button
              look="quiet"
              small
              square
              aria-label={t('list.previousPage')}
              isDisabled={page <= 1}
              onPress={() => change({ page: page - 1 })}
            >
              <Icon name="left" />
            </Button>
            {t('media.page', { page, pages: pageCount })}
            <Button
              look="quiet"
              small
              square
              aria-label={t('list.nextPage')}
              isDisabled={page >= pageCount}
              onPress={() => change({ page: page + 1 })}
            >
              <Icon name="right" />
            </Button>
          </>
        )}
      </span>
      <span className={styles['keys']}>{t('media.keys')}</span>
    </>
  )
}
