import { useState } from 'react'
import type { Selection } from 'react-aria-components'
import { type MediaFile, moveFiles, pathTo } from '../../api/files.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { FloatingBar } from '../../design/floating-bar.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { useFileDeletion } from './use-file-deletion.ts'
import type { Media } from './use-media.ts'

export interface MediaSelectionProps {
  readonly media: Media
  readonly selected: Selection
  readonly onClear: () => void
}

const ROOT_FOLDER = 'root'

export function MediaSelection({ media, selected, onClear }: MediaSelectionProps) {
  const { t } = useTexts()
  const may = useMay()
  const action = useAction()
  const [asked, ask] = useState<'move' | 'delete' | null>(null)
  const [target, setTarget] = useState(ROOT_FOLDER)
  const shown = media.files.data?.data ?? []
  const files = shown.filter(({ documentId }) => selected === 'all' || selected.has(documentId))
  const close = (): void => ask(null)
  const done = (): void => {
    close()
    onClear()
  }
  const places = media.folders.map(({ id }) => ({
    id,
    name: pathTo(id, media.folders)
      .map(({ name }) => name)
      .join(' / '),
  }))
  const count = files.length
  return (
    <>
      {count > 0 && (
        <FloatingBar label={t('bulk.label')} text={t('bulk.selected', { count })}>
          {may('plugin::upload.content-api.upload') && media.folders.length > 0 && (
            <Button look="quiet" small onPress={() => ask('move')}>
              {t('media.move')}
            </Button>
          )}
          {may('plugin::upload.content-api.destroy') && (
            <Button look="quiet" small onPress={() => ask('delete')}>
              {t('action.delete')}
            </Button>
          )}
          <Button look="quiet" small onPress={onClear}>
            {t('bulk.clear')}
          </Button>
        </FloatingBar>
      )}
      <Dialog
        title={t('media.moveTitle', { count })}
        isOpen={asked === 'move'}
        onClose={close}
        actions={
          <Button
            look="primary"
            isPending={action.isBusy}
            onPress={() =>
              action.run(
                () =>
                  moveFiles(
                    files.map(({ documentId }) => documentId),
                    target === ROOT_FOLDER ? null : target,
                  ),
                {
                  changes: ['files', 'folders'],
                  says: t('media.moved', { count }),
                  undo: () => moveBack(files),
                  onDone: done,
                },
              )
            }
          >
            {t('media.move')}
          </Button>
        }
      >
        <Choice
          label={t('media.folder')}
          options={[{ id: ROOT_FOLDER, name: t('nav.media') }, ...places]}
          value={target}
          onChange={setTarget}
        />
      </Dialog>
      <AskToDeleteFiles
        files={files}
        isOpen={asked === 'delete'}
        onClose={close}
        onDeleted={done}
      />
    </>
  )
}

function moveBack(files: readonly MediaFile[]): () => Promise<unknown> {
  const folders = [...new Set(files.map(({ folder }) => folder))]
  const idsIn = (wanted: string | null): readonly string[] =>
    files.flatMap(({ documentId, folder }) => (folder === wanted ? [documentId] : []))
  return () => Promise.all(folders.map((folder) => moveFiles(idsIn(folder), folder)))
}

interface AskToDeleteFilesProps {
  readonly files: readonly MediaFile[]
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

function AskToDeleteFiles({ files, isOpen, onClose, onDeleted }: AskToDeleteFilesProps) {
  const { t } = useTexts()
  const deletion = useFileDeletion()
  return (
    <ConfirmDialog
      title={t('media.deleteTitle', { count: files.length })}
      isOpen={isOpen}
      onClose={onClose}
      isPending={deletion.isBusy}
      onConfirm={() => deletion.run(files, onDeleted)}
    >
      {t(deletion.canRestore ? 'media.deleteTrash' : 'media.deleteHint', { count: files.length })}
    </ConfirmDialog>
  )
}
