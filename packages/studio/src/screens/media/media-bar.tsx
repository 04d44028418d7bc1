import { Checkbox } from '../../design/checkbox.tsx'
import { Choice } from '../../design/choice.tsx'
import { SearchBox } from '../../design/search-box.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './media-screen.module.css'
import { KINDS, type Order, ORDERS } from './media-search.ts'
import type { Media } from './use-media.ts'

const ALL = 'all'

export function MediaBar({ media: { search, change } }: { readonly media: Media }) {
  const { t } = useTexts()
  return (
    <div className={styles['bar']}>
      <SearchBox value={search.q} onSearch={(q) => change({ q })} />
      <Choice
        isInline
        label={t('media.kind')}
        options={[ALL, ...KINDS].map((id) => ({
          id,
          name: t(id === ALL ? 'media.allKinds' : `media.kind.${id as (typeof KINDS)[number]}`),
        }))}
        value={search.kind ?? ALL}
        onChange={(kind) => change({ kind: kind === ALL ? undefined : kind })}
      />
      <Choice
        isInline
        label={t('media.order')}
        options={(Object.keys(ORDERS) as Order[]).map((id) => ({
          id,
          name: t(`media.order.${id}`),
        }))}
        value={search.sort ?? 'newest'}
        onChange={(order) => change({ sort: order === 'newest' ? undefined : order })}
      />
      <Checkbox
        isSelected={search.unused === true}
        onChange={(unused) => change({ unused: unused ? true : undefined })}
      >
        {t('media.unused')}
      </Checkbox>
    </div>
  )
}
