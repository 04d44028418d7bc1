import { useQuery, useQueryClient } from '@tanstack/react-query'
import { shownFileName } from '../../api/file-entry.ts'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import {
  changeFile,
  fileQuery,
  fileUsagesQuery,
  type MediaFile,
  replaceFile,
} from '../../api/files.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Checkbox } from '../../design/checkbox.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { FormFields, readText } from '../../design/form-fields.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { CropButton } from './crop/crop-button.tsx'
import { useFileDeletion } from './use-file-deletion.ts'
import styles from './file-drawer.module.css'
import { FileFacts } from './files.tsx'
import { FileTextFields, useFileTexts } from './file-texts.tsx'
import { FileUsages } from './file-usages.tsx'
import { FocalPicture } from './focal-picture.tsx'

export interface FileDrawerProps {
  readonly file: MediaFile
  readonly onClose: () => void
  /** The entry that shows the file. Its drawer offers no deletion, and begins with the texts in its locale. */
  readonly entry?: { readonly locale: string | null }
}

const FIELDS = ['name', 'alternativeText', 'caption']

export function FileDrawer({ file: given, onClose, entry }: FileDrawerProps) {
  const { t } = useTexts()
  const client = useQueryClient()
  const may = useMay()
  const action = useAction(FIELDS)
  const [file, show] = useState(given)
  const [focalPoint, setFocalPoint] = useState(given.focalPoint ?? null)
  const [isPrivate, setPrivate] = useState(given.private === true)
  const [isAsking, ask] = useState(false)
  const texts = useFileTexts(file, entry?.locale ?? null)
  const mayChange = may('plugin::upload.content-api.upload')
  const isPicture = file.mime.startsWith('image/')
  const mayDelete = entry === undefined && may('plugin::upload.content-api.destroy')
  const remember = (changed: MediaFile): void => {
    client.setQueryData(fileQuery(given.id).queryKey, changed)
    show(changed)
  }
  const save = (form: FormData): void =>
    action.run(
      () =>
        changeFile(file.id, {
          name: readText(form, 'name'),
          ...texts.changes(),
          ...(isPicture && focalPoint !== null && { focalPoint }),
          ...(isPrivate !== (file.private === true) && { private: isPrivate }),
        }),
      {
        changes: ['files'],
        says: t('settings.saved'),
        onDone: (changed) => {
          remember(changed)
          onClose()
        },
      },
    )
  const replace = (files: FileList | null): void => {
    const [chosen] = files ?? []
    if (chosen === undefined) return
    action.run(() => replaceFile(file.id, chosen), {
      changes: ['files'],
      says: t('media.replaced'),
      onDone: remember,
    })
  }
  const showCropped = (cropped: MediaFile): void => {
    remember(cropped)
    setFocalPoint(cropped.focalPoint ?? null)
  }
  return (
    <Dialog
      title={shownFileName(file)}
      isOpen
      onClose={onClose}
      form="drawer"
      actions={
        mayChange && (
          <Button look="primary" type="submit" form="file" isPending={action.isBusy}>
            {t('action.save')}
          </Button>
        )
      }
    >
      <div className={styles['file']}>
        <FocalPicture
          file={file}
          point={focalPoint}
          {...(mayChange && isPicture && { onChange: setFocalPoint })}
        />
        <p className={styles['facts']}>
          <FileFacts file={file} />
        </p>
        <FileActions
          file={file}
          onReplace={mayChange ? replace : undefined}
          onCropped={mayChange ? showCropped : undefined}
          onDelete={mayDelete ? () => ask(true) : undefined}
        />
        <FormFields id="file" problem={action.problem} onSubmit={save}>
          <FileTextFields {...{ file, texts, action }} isReadOnly={!mayChange} />
          <Checkbox isSelected={isPrivate} isReadOnly={!mayChange} onChange={setPrivate}>
            {t('media.privateSwitch')}
          </Checkbox>
          <p className={styles['facts']}>{t('media.privateHint')}</p>
        </FormFields>
        <FileUsages file={file} />
      </div>
      {isAsking && <AskToDeleteFile file={file} onClose={() => ask(false)} onDeleted={onClose} />}
    </Dialog>
  )
}

interface FileActionsProps {
  readonly file: MediaFile
  /** Absent: not allowed. */
  readonly onReplace: ((files: FileList | null) => void) | undefined
  readonly onCropped: ((cropped: MediaFile) => void) | undefined
  readonly onDelete: (() => void) | undefined
}

function FileActions({ file, onReplace, onCropped, onDelete }: FileActionsProps) {
  const { t } = useTexts()
  return (
    <div className={styles['actions']}>
      <a href={file.url} target="_blank" rel="noreferrer" className={styles['open']}>
        {t('media.open')}
      </a>
      {onReplace !== undefined && (
        <FileTrigger onSelect={onReplace}>
          <Button small>{t('media.replace')}</Button>
        </FileTrigger>
      )}
      {onCropped !== undefined && <CropButton file={file} onCropped={onCropped} />}
      {onDelete !== undefined && (
        <Button small onPress={onDelete}>
          {t('action.delete')}
        </Button>
      )}
    </div>
  )
}

interface AskToDeleteFileProps {
  readonly file: MediaFile
  readonly onClose: () => void
  readonly onDeleted: () => void
}

function AskToDeleteFile({ file, onClose, onDeleted }: AskToDeleteFileProps) {
  const { t } = useTexts()
  const deletion = useFileDeletion()
  const uses = useQuery(fileUsagesQuery(file.id)).data?.meta.pagination.total ?? 0
  const [hint, usedHint] = deletion.canRestore
    ? (['media.deleteTrash', 'media.deleteUsedTrash'] as const)
    : (['media.deleteHint', 'media.deleteUsed'] as const)
  return (
    <ConfirmDialog
      title={t('settings.deleteTitle', { name: shownFileName(file) })}
      isOpen
      onClose={onClose}
      isPending={deletion.isBusy}
      onConfirm={() => deletion.run([file], onDeleted)}
    >
      {uses > 0 ? t(usedHint, { count: uses }) : t(hint, { count: 1 })}
    </ConfirmDialog>
  )
}
