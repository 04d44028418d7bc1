import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTypes } from '../../api/content-types.ts'
import { type Deleted, endDeleted, trashQuery } from '../../api/trash.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { FailedRead } from '../../design/failed-read.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Rows } from '../../design/list-rows.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { DeletedFileRow, DeletedRow } from './deleted-rows.tsx'

export function TrashScreen() {
  const { t } = useTexts()
  const types = new Map(useTypes().map((type) => [type.uid, type]))
  const trash = useInfiniteQuery(trashQuery)
  const [ending, setEnding] = useState<Deleted | null>(null)
  const pages = trash.data?.pages ?? []
  const days = pages[0]?.meta.trashDays
  const rows = pages.flatMap(({ data }) => data)
  return (
    <Page
      title={t('nav.trash')}
      note={days !== undefined && days > 0 ? t('trash.note', { count: days }) : undefined}
      narrow
    >
      {trash.isPending && <Skeleton />}
      {trash.error !== null && (
        <FailedRead error={trash.error} onRetry={() => void trash.refetch()} />
      )}
      {trash.isSuccess && rows.length === 0 && (
        <Notice title={t(days === 0 ? 'trash.off' : 'trash.empty')}>
          {days === 0 ? '' : t('trash.emptyHint')}
        </Notice>
      )}
      {rows.length > 0 && (
        <Rows label={t('trash.list')}>
          {rows.map((row) => {
            const own = { row, onEnd: () => setEnding(row) }
            return row.file === undefined ? (
              <DeletedRow key={row.id} {...own} type={types.get(row.uid)} />
            ) : (
              <DeletedFileRow key={row.id} {...own} file={row.file} />
            )
          })}
        </Rows>
      )}
      {trash.hasNextPage && (
        <Button isPending={trash.isFetchingNextPage} onPress={() => void trash.fetchNextPage()}>
          {t('trash.more')}
        </Button>
      )}
      <AskToEnd row={ending} onClose={() => setEnding(null)} />
    </Page>
  )
}

function AskToEnd({
  row,
  onClose,
}: {
  readonly row: Deleted | null
  readonly onClose: () => void
}) {
  const { t } = useTexts()
  const action = useAction()
  const name = row === null || row.title === '' ? t('trash.untitled') : row.title
  return (
    <ConfirmDialog
      title={t('trash.endNamed', { name })}
      isOpen={row !== null}
      confirm={t('trash.end')}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        if (row === null) return
        action.run(() => endDeleted(row), { changes: ['trash'], says: t('trash.ended') })
      }}
    >
      {t(row?.file === undefined ? 'trash.endHint' : 'trash.endFileHint')}
    </ConfirmDialog>
  )
}
