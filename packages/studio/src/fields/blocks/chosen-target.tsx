import { useQuery } from '@tanstack/react-query'
import { listTitleOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { entriesQuery, type EntryState, titleOf } from '../../api/entries.ts'
import { StateMark } from '../../design/state-mark.tsx'
import type { EntryTarget } from '../../entry/entry-target.ts'
import { useTexts } from '../../texts/texts.ts'
import { useOpenEntry } from '../open-entry.ts'
import styles from './link-form.module.css'

/** The title, state and type of the entry to which a link leads. */
export function ChosenTarget({ target }: { readonly target: EntryTarget }) {
  const { t } = useTexts()
  const { type, title, state } = useTarget(target)
  return (
    <span className={styles['chip']}>
      <span className={styles['title']}>{title ?? t('blocks.noEntry')}</span>
      {state !== undefined && <StateMark state={state} />}
      {type !== undefined && <span className={styles['type']}>{listTitleOf(type)}</span>}
    </span>
  )
}

interface ShownTarget {
  readonly type: TypeSummary | undefined
  /** Empty until loaded; null for a missing entry. */
  readonly title: string | null
  readonly state: EntryState | undefined
}

function useTarget({ type: uid, documentId }: EntryTarget): ShownTarget {
  const { locale } = useOpenEntry()
  const type = useTypes().find((one) => one.uid === uid)
  const titleField = type?.titleField ?? null
  const { data } = useQuery({
    ...entriesQuery(uid, {
      filters: { documentId },
      fields: [titleField ?? 'documentId'],
      pagination: { pageSize: 1, withCount: false },
      status: 'draft',
      ...(type?.localized === true && locale !== null && { locale }),
    }),
    enabled: type !== undefined,
  })
  if (type === undefined) return { type, title: null, state: undefined }
  if (data === undefined) return { type, title: '', state: undefined }
  const [entry] = data.data
  return {
    type,
    title: entry === undefined ? null : titleOf(entry, titleField),
    state: type.draftAndPublish ? data.meta.states?.[documentId] : undefined,
  }
}
