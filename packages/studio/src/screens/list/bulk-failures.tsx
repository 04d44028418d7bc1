import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BulkResult } from '../../api/bulk.ts'
import { apiNameOf } from '../../api/content-types.ts'
import { titlesQuery } from '../../api/entries.ts'
import { sayError } from '../../api/request.ts'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './bulk-bar.module.css'
import type { List } from './use-list.ts'

export interface BulkFailuresProps {
  readonly list: List
  readonly failures: readonly BulkResult[]
  readonly onClose: () => void
}

export function BulkFailures({ list, failures, onClose }: BulkFailuresProps) {
  const texts = useTexts()
  const { t } = texts
  const { uid, titleField } = list.declaration
  const documentIds = failures.map(({ documentId }) => documentId)
  const { data: names } = useQuery(
    titlesQuery({ uid, documentIds, titleField, locale: list.locale }),
  )
  return (
    <Dialog
      title={t('bulk.failed', { count: failures.length })}
      isOpen={failures.length > 0}
      onClose={onClose}
      form="wide"
    >
      <ul className={styles['failures']}>
        {failures.map(({ documentId, error }) => (
          <li key={documentId}>
            <Link
              to="/content/$type/$documentId"
              params={{ type: apiNameOf(list.declaration), documentId }}
              search={list.locale === null ? {} : { locale: list.locale }}
              className={styles['failed']}
            >
              {names?.get(documentId) ?? documentId}
            </Link>
            <span className={styles['why']}>{error !== undefined && sayError(error, texts)}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
