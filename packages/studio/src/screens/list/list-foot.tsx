import { useRef } from 'react'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './list-foot.module.css'
import type { List } from './use-list.ts'

export function ListFoot({ list, keys }: { readonly list: List; readonly keys: string }) {
  const { t, number } = useTexts()
  const { data } = list.entries
  const { after } = list.search
  // The cursors of the previous pages. A list opened by URL in the middle only knows its first
  // page.
  const before = useRef<(string | undefined)[]>([])
  const total = data?.meta.pagination.total
  const next = data?.meta.pagination.nextCursor ?? null
  const isNarrowed = list.search.q !== undefined || list.search.filters !== undefined
  return (
    <>
      <span className={styles['count']}>
        {data !== undefined &&
          total !== undefined &&
          t(isNarrowed ? 'list.ofMatching' : 'list.ofAll', {
            shown: number(data.data.length),
            count: total,
          })}
        {(after !== undefined || next !== null) && (
          <span className={styles['pages']}>
            <Button
              look="quiet"
              small
              square
              aria-label={t('list.previousPage')}
              isDisabled={after === undefined}
              onPress={() => list.change({ after: before.current.pop() })}
            >
              <Icon name="left" />
            </Button>
            <Button
              look="quiet"
              small
              square
              aria-label={t('list.nextPage')}
              isDisabled={next === null}
              onPress={() => {
                before.current.push(after)
                list.change({ after: next })
              }}
            >
              <Icon name="right" />
            </Button>
          </span>
        )}
      </span>
      <span className={styles['keys']}>{keys}</span>
    </>
  )
}
