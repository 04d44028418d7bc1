import type { ReactNode } from 'react'
import { entryNameOf, type TypeSummary } from '../../api/content-types.ts'
import { deleteFile } from '../../api/files.ts'
import { useMay } from '../../api/session.ts'
import { type Deleted, type DeletedFile, restoreDeleted } from '../../api/trash.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import type { IconName } from '../../design/icons/icons.ts'
import { Row } from '../../design/list-rows.tsx'
import { useAction } from '../../design/use-action.ts'
import { authorOf } from '../../texts/author-of.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { fileFactsOf } from '../media/file-facts.ts'
import { sayRestored } from './say-restored.ts'

interface DeletedRowProps {
  readonly row: Deleted
  readonly type: TypeSummary | undefined
  readonly onEnd: () => void
}

export function DeletedRow({ row, type, onEnd }: DeletedRowProps) {
  const texts = useTexts()
  const { t } = texts
  const may = useMay()
  const action = useAction()
  const mayIn = (verb: string): boolean =>
    (row.locales ?? [undefined]).every((locale) => may(`${row.uid}.${verb}`, locale))
  const create = type?.kind === 'singleType' ? 'update' : 'create'
  const about = [
    type === undefined ? null : entryNameOf(type, texts.language),
    row.locales === undefined ? null : row.locales.map(texts.locale).join(', '),
  ]
  const restore = (): void =>
    action.run(() => restoreDeleted(row), {
      changes: ['trash', 'content', 'counts'],
      onDone: (restored) =>
        sayRestored(t, t(restored.isDraft ? 'trash.restored' : 'trash.restoredEntry'), [restored]),
    })
  return (
    <RestorableRow
      row={row}
      title={nameOf(row, t)}
      about={about}
      isBusy={action.isBusy}
      onRestore={mayIn(create) ? restore : null}
      onEnd={mayIn('delete') ? onEnd : null}
    />
  )
}

interface DeletedFileRowProps {
  readonly row: Deleted
  readonly file: DeletedFile
  readonly onEnd: () => void
}

const ICONS: Readonly<Record<string, IconName>> = { video: 'video', audio: 'audio' }

/** Without a picture, because the server does not serve the bytes of deleted files. */
export function DeletedFileRow({ row, file, onEnd }: DeletedFileRowProps) {
  const texts = useTexts()
  const { t } = texts
  const may = useMay()
  const action = useAction()
  const mayDelete = may('plugin::upload.content-api.destroy')
  const restore = (): void =>
    action.run(() => restoreDeleted(row), {
      changes: ['trash', 'files', 'folders', 'content'],
      says: t('trash.restoredEntry'),
      undo: () => (mayDelete ? () => deleteFile(row.documentId) : undefined),
    })
  const title = (
    <>
      <Icon name={ICONS[file.mime.split('/')[0] ?? ''] ?? 'page'} size={16} />
      {nameOf(row, t)}
    </>
  )
  return (
    <RestorableRow
      row={row}
      title={title}
      about={[t('trash.file'), fileFactsOf(file, texts), file.private ? t('media.private') : null]}
      isBusy={action.isBusy}
      onRestore={may('plugin::upload.content-api.upload') ? restore : null}
      onEnd={mayDelete ? onEnd : null}
    />
  )
}

interface RestorableRowProps {
  readonly row: Deleted
  readonly title: ReactNode
  readonly about: readonly (string | null)[]
  readonly isBusy: boolean
  /** Null: not allowed. */
  readonly onRestore: (() => void) | null
  readonly onEnd: (() => void) | null
}

function RestorableRow({ row, title, about, isBusy, onRestore, onEnd }: RestorableRowProps) {
  const texts = useTexts()
  const { t } = texts
  const name = nameOf(row, t)
  const notes = [
    ...about,
    t('trash.deletedBy', { ago: texts.ago(row.deletedAt), name: authorOf(row.by, t) }),
    t('trash.until', { moment: texts.moment(row.expiresAt) }),
  ]
  return (
    <Row title={title} note={notes.filter((note) => note !== null).join(' · ')}>
      {onRestore !== null && (
        <Button
          small
          aria-label={t('trash.restoreNamed', { name })}
          isPending={isBusy}
          onPress={onRestore}
        >
          {t('trash.restore')}
        </Button>
      )}
      {onEnd !== null && (
        <Button look="quiet" small aria-label={t('trash.endNamed', { name })} onPress={onEnd}>
          {t('trash.end')}
        </Button>
      )}
    </Row>
  )
}

function nameOf({ title }: Deleted, t: Texts['t']): string {
  return title === '' ? t('trash.untitled') : title
}
