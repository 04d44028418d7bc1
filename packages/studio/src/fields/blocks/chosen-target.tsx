import { useQuery } from '@tanstack/react-query'
import { listTitleOf, useTypes } from '../../api/content-types.ts'
import { entriesQuery, type EntryState } from '../../api/entries.ts'
import { StateMark } from '../../design/state-mark.tsx'
import type { EntryTarget } from '../../entry/entry-target.ts'
import { useTexts } from '../../texts/texts.ts'
import { useOpenEntry } from '../open-entry.ts'
import styles from './link-form.module.css'
import { type TargetNames, targetNames } from './target-names.ts'

/** The title, state and type of the entry to which a link leads. */
export function ChosenTarget({ target }: { readonly target: EntryTarget }) {
  const { t } = useTexts()
  const { title, typeName, state } = useTarget(target)
  return (
    <span className={styles['chip']}>
      <span className={styles['title']}>{title ?? t('blocks.noEntry')}</span>
      {state !== undefined && <StateMark state={state} />}
      {typeName !== '' && <span className={styles['type']}>{typeName}</span>}
    </span>
  )
}

interface ShownTarget extends Omit<TargetNames, 'title'> {
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
  if (type === undefined) return { title: null, typeName: '', state: undefined }
  const typeName = listTitleOf(type)
  if (data === undefined) return { title: '', typeName, state: undefined }
  const [entry] = data.data
  return {
    ...(entry === undefined ? { title: null, typeName } : targetNames(type, entry)),
    state: type.draftAndPublish ? data.meta.states?.[documentId] : undefined,
  }
}
