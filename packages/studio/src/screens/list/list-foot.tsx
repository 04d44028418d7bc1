import { useRef } from 'react'
import { PageButtons } from '../../design/page-buttons.tsx'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './list-foot.module.css'
import type { ListSearch } from './list-search.ts'
import type { List } from './use-list.ts'

interface Page {
  readonly after: string | undefined
  readonly skipped: number | undefined
}

export function ListFoot({ list, keys }: { readonly list: List; readonly keys: string }) {
  const { t, number } = useTexts()
  const { data, isPlaceholderData } = list.entries
  const { after, skipped } = list.search
  // The previous pages. A list opened by URL in the middle only knows its first page.
  const before = useRef<Page[]>([])
  const total = data?.meta.pagination.total
  const next = data?.meta.pagination.nextCursor ?? null
  const isNarrowed = list.search.q !== undefined || list.search.filters !== undefined
  return (
    <>
      <span className={styles['count']}>
        {data !== undefined &&
          total !== undefined &&
          t(isNarrowed ? 'list.ofMatching' : 'list.ofAll', {
            shown: isPlaceholderData
              ? number(data.data.length)
              : shownRange({ after, skipped, length: data.data.length, total, number }),
            count: total,
          })}
        {(after !== undefined || next !== null) && (
          <PageButtons
            isFirst={after === undefined}
            isLast={next === null}
            onBack={() => {
              const page = before.current.pop()
              list.change({ after: page?.after, skipped: page?.skipped })
            }}
            onForward={() => {
              if (isPlaceholderData) return // its cursor leads to the page that is loading
              before.current.push({ after, skipped: list.search.skipped })
              list.change({ after: next, skipped: skippedAfter(list.search, data?.data.length) })
            }}
          />
        )}
      </span>
      <span className={styles['keys']}>{keys}</span>
    </>
  )
}

/** Unknown for a page that was opened by an address without the number. */
function skippedAfter({ after, skipped }: ListSearch, length = 0): number | undefined {
  if (after === undefined) return length
  return skipped === undefined ? undefined : skipped + length
}

interface Shown extends Page {
  readonly length: number
  readonly total: number
  readonly number: Texts['number']
}

/** The numbers of the first and the last entry. Only their count for a single page, and if deletions made them wrong. */
function shownRange({ after, skipped, length, total, number }: Shown): string {
  const before = after === undefined ? 0 : skipped
  if (length === 0 || length === total || before === undefined || before + length > total) {
    return number(length)
  }
  return `${number(before + 1)}–${number(before + length)}`
}
