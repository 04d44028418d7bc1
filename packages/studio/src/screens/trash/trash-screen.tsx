import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { entryNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { useMay } from '../../api/session.ts'
import { type Deleted, endDeleted, restoreDeleted, trashQuery } from '../../api/trash.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { useAction } from '../../design/use-action.ts'
import { authorOf } from '../../texts/author-of.ts'
import { useTexts } from '../../texts/texts.ts'
import { sayRestored } from './say-restored.ts'

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
      {trash.error !== null && <Notice title={t('error.title')}>{trash.error.message}</Notice>}
      {trash.isSuccess && rows.length === 0 && (
        <Notice title={t(days === 0 ? 'trash.off' : 'trash.empty')}>
          {days === 0 ? '' : t('trash.emptyHint')}
        </Notice>
      )}
      {rows.length > 0 && (
        <Rows label={t('trash.list')}>
          {rows.map((row) => (
            <DeletedRow
              key={row.id}
              row={row}
              type={types.get(row.uid)}
              onEnd={() => setEnding(row)}
            />
          ))}
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

interface DeletedRowProps {
  readonly row: Deleted
  readonly type: TypeSummary | undefined
  readonly onEnd: () => void
}

function DeletedRow({ row, type, onEnd }: DeletedRowProps) {
  const texts = useTexts()
  const { t } = texts
  const may = useMay()
  const action = useAction()
  const name = row.title === '' ? t('trash.untitled') : row.title
  const mayIn = (verb: string): boolean =>
    (row.locales ?? [undefined]).every((locale) => may(`${row.uid}.${verb}`, locale))
  const create = type?.kind === 'singleType' ? 'update' : 'create'
  const notes = [
    type === undefined ? null : entryNameOf(type, texts.language),
    row.locales === undefined ? null : row.locales.map(texts.locale).join(', '),
    t('trash.deletedBy', { ago: texts.ago(row.deletedAt), name: authorOf(row.by, t) }),
    t('trash.until', { moment: texts.moment(row.expiresAt) }),
  ]
  return (
    <Row title={name} note={notes.filter((note) => note !== null).join(' · ')}>
      {mayIn(create) && (
        <Button
          small
          aria-label={t('trash.restoreNamed', { name })}
          isPending={action.isBusy}
          onPress={() =>
            action.run(() => restoreDeleted(row), {
              changes: ['trash', 'content', 'counts'],
              onDone: (restored) =>
                sayRestored(t, t(restored.isDraft ? 'trash.restored' : 'trash.restoredEntry'), [
                  restored,
                ]),
            })
          }
        >
          {t('trash.restore')}
        </Button>
      )}
      {mayIn('delete') && (
        <Button look="quiet" small aria-label={t('trash.endNamed', { name })} onPress={onEnd}>
          {t('trash.end')}
        </Button>
      )}
    </Row>
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
      {t('trash.endHint')}
    </ConfirmDialog>
  )
}
