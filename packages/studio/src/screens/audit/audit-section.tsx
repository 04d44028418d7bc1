import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AuditFilter, auditQuery, type AuditRow, exportAudit } from '../../api/audit.ts'
import { Button } from '../../design/button.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { useAction } from '../../design/use-action.ts'
import { authorOf } from '../../texts/author-of.ts'
import { useTexts } from '../../texts/texts.ts'
import { PageSection } from '../../design/page-section.tsx'
import table from '../../design/data-table.module.css'
import { ScrollRegion } from '../../design/scroll-region.tsx'
import { AuditFilterBar } from './audit-filter-bar.tsx'
import styles from './audit-section.module.css'
import { AuditItems } from './audit-items.tsx'

export function AuditSection() {
  const { t } = useTexts()
  const action = useAction()
  const [filter, setFilter] = useState<AuditFilter>({})
  const found = useInfiniteQuery(auditQuery(filter))
  const rows = found.data?.pages.flatMap(({ data }) => data)
  const download = (
    <Button
      isPending={action.isBusy}
      onPress={() => action.run(() => exportAudit(filter), { onDone: saveLines })}
    >
      {t('audit.export')}
    </Button>
  )
  if (found.error !== null) throw found.error
  return (
    <PageSection title={t('settings.audit')} hint={t('audit.hint')} action={download}>
      <AuditFilterBar filter={filter} onChange={setFilter} />
      {rows === undefined && <Skeleton />}
      {rows?.length === 0 && !found.hasNextPage && (
        <Notice title={t('audit.none')}>{t('audit.noneHint')}</Notice>
      )}
      {rows !== undefined && rows.length > 0 && <Rows rows={rows} />}
      {found.hasNextPage && (
        <Button
          look="quiet"
          isPending={found.isFetchingNextPage}
          onPress={() => void found.fetchNextPage()}
        >
          {t('audit.older')}
        </Button>
      )}
    </PageSection>
  )
}

function Rows({ rows }: { readonly rows: readonly AuditRow[] }) {
  const { t, ago, moment } = useTexts()
  return (
    <ScrollRegion label={t('audit.rows')} className={styles['scroll']}>
      <table className={`${table['table']} ${styles['table']}`}>
        <thead>
          <tr>
            <th scope="col">{t('audit.when')}</th>
            <th scope="col">{t('audit.who')}</th>
            <th scope="col">{t('audit.what')}</th>
            <th scope="col">{t('audit.request')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.seq}>
              <td title={moment(row.at)} className={styles['when']}>
                <time dateTime={row.at}>{ago(row.at)}</time>
              </td>
              <td>{authorOf(row.by, t)}</td>
              <td>
                <AuditItems items={row.items} />
              </td>
              <td>
                <code className={styles['code']} title={row.requestId ?? ''}>
                  {row.requestId?.slice(0, 8) ?? '–'}
                </code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

function saveLines(lines: string): void {
  const address = URL.createObjectURL(new Blob([lines], { type: 'application/x-ndjson' }))
  const link = document.createElement('a')
  link.href = address
  link.download = 'audit.ndjson'
  link.click()
  URL.revokeObjectURL(address)
}
