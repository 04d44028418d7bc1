import { DropZone, FileTrigger } from 'react-aria-components'
import { compareFile } from '../../api/translations.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { TranslatedList } from './translated-list.ts'
import { ComparedEntries } from './compared-entries.tsx'
import { ImportActions, isImported } from './import-actions.tsx'
import styles from './import-dialog.module.css'
import { useImport } from './use-import.ts'

export interface ImportDialogProps {
  readonly list: TranslatedList
  readonly onClose: () => void
}

export function ImportDialog({ list, onClose }: ImportDialogProps) {
  const { t } = useTexts()
  const work = useImport(list.declaration.uid)
  const { file, isBusy, problem } = work
  const again = t('translation.another')
  const actions = file === null ? undefined : <ImportActions {...{ work, again, onClose }} />
  return (
    <Dialog
      title={t('translation.import')}
      isOpen
      onClose={onClose}
      form="large"
      {...(actions !== undefined && { actions })}
    >
      <p role="alert" className={styles['problem']}>
        {problem}
      </p>
      {file === null ? (
        <ChooseFile
          isBusy={isBusy}
          onChoose={(chosen) => void work.compare(() => compareFile(list.declaration.uid, chosen))}
        />
      ) : (
        <ComparedEntries
          list={list}
          file={file}
          isDone={isImported(work)}
          noTexts={t('translation.noTexts')}
          onTake={work.take}
        />
      )}
    </Dialog>
  )
}

interface ChooseFileProps {
  readonly isBusy: boolean
  readonly onChoose: (file: File) => void
}

function ChooseFile({ isBusy, onChoose }: ChooseFileProps) {
  const { t } = useTexts()
  return (
    <DropZone
      isDisabled={isBusy}
      aria-label={t('translation.drop')}
      className={styles['zone'] ?? ''}
      getDropOperation={(types) => (types.has('text/plain') ? 'cancel' : 'copy')}
      onDrop={({ items }) => {
        const dropped = items.find((item) => item.kind === 'file')
        if (dropped !== undefined) void dropped.getFile().then(onChoose)
      }}
    >
      <p className={styles['drop']}>{isBusy ? t('translation.reading') : t('translation.drop')}</p>
      <p className={styles['hint']}>{t('translation.dropHint')}</p>
      <FileTrigger
        acceptedFileTypes={['.xlf', '.xliff', '.json']}
        onSelect={(chosen) => {
          const [first] = chosen ?? []
          if (first !== undefined) onChoose(first)
        }}
      >
        <Button look="primary" isPending={isBusy} autoFocus>
          {t('translation.choose')}
        </Button>
      </FileTrigger>
    </DropZone>
  )
}
