import { Link } from '@tanstack/react-router'
import type { BulkResult } from '../../api/bulk.ts'
import { apiNameOf } from '../../api/content-types.ts'
import { titleOf } from '../../api/entries.ts'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './bulk-bar.module.css'
import type { List } from './use-list.ts'

export interface BulkFailuresProps {
  readonly list: List
  readonly failures: readonly BulkResult[]
  readonly onClose: () => void
}

/** The entries that an action did not work for, and why. */
export function BulkFailures({ list, failures, onClose }: BulkFailuresProps) {
  const { t } = useTexts()
  const page = list.entries.data?.data ?? []
  const nameOf = (documentId: string): string => {
    const entry = page.find((one) => one.documentId === documentId)
    return entry === undefined ? documentId : titleOf(entry, list.declaration.titleField)
  }
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
              className={styles['failed']}
            >
              {nameOf(documentId)}
            </Link>
            <span className={styles['why']}>{error?.message}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
