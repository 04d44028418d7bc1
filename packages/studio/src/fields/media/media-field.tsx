import { type ClipboardEvent, type DragEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button as AriaButton, FileTrigger } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { notifyFailure } from '../../design/toasts.tsx'
import { useKeptFocus } from '../../design/use-kept-focus.ts'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import type { MediaAttribute } from '../../api/attributes.ts'
import { fileQuery } from '../../api/files.ts'
import { inLocale, shownFileName } from '../../api/file-entry.ts'
import { addressAt, useOpenEntry, useValue } from '../open-entry.ts'
import type { FileValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps, Place } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { Grip } from '../reorder/grip.tsx'
import { type Handles, moved, useReorder } from '../reorder/use-reorder.ts'
import { ChooseFiles } from './choose-files.tsx'
import { acceptOf, isOfKind, kindsOf } from './file-kinds.ts'
import { FileThumb } from './file-thumb.tsx'
import styles from './media-field.module.css'
import type { ShownUpload } from './shown-upload.ts'
import { UploadRow } from './upload-row.tsx'
import { useUploads } from './use-uploads.ts'

const NO_FILES: readonly FileValue[] = []

export function MediaField({ attribute, name, place }: FieldProps<MediaAttribute>) {
  const files = useValue<readonly FileValue[] | null>(place) ?? NO_FILES
  const { form, isReadOnly, locale } = useOpenEntry()
  const { t } = useTexts()
  const [isChoosing, choose] = useState(false)
  const [isOver, over] = useState(false)
  const isMany = attribute.multiple === true
  const isFixed = isReadOnly || attribute.writable === false
  const kinds = kindsOf(attribute)
  const isPrivate = attribute.privateFiles === true
  const change: Change = (to) =>
    form.change<readonly FileValue[] | null>(addressAt(place), (now) => to(now ?? NO_FILES))
  const add = (given: readonly FileValue[]): void =>
    change((now) => {
      const added = given.map((file) => inLocale(file, locale))
      const fresh = added.filter(
        ({ documentId }) => !now.some((one) => one.documentId === documentId),
      )
      return isMany ? [...now, ...fresh] : added.slice(0, 1)
    })
  const { uploads, start, drop } = useUploads((file) => add([file]), isPrivate)
  useWaiting(place, uploads)
  const cancel = ({ id, failure }: ShownUpload): void => {
    if (failure === null) form.uploads.noteCancelled()
    drop(id)
  }
  const box = useRef<HTMLDivElement>(null)
  useKeptFocus(box, 'button')
  const take = (given: readonly File[]): void => {
    const fitting = given.filter(({ type }) => isOfKind(type, kinds))
    if (fitting.length < given.length) notifyFailure(t('media.wrongKind'))
    start(isMany ? fitting : fitting.slice(0, 1))
  }
  const receive = isFixed ? {} : receiving(take, over)
  const accept = acceptOf(kinds)
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup>
      {(names) => (
        <div
          ref={box}
          role="group"
          aria-labelledby={names['aria-labelledby']}
          className={`${styles['box']} ${isOver ? styles['over'] : ''}`}
          {...receive}
        >
          <FileList {...{ files, isFixed, isMany }} onChange={change} />
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onDrop={() => cancel(upload)} />
          ))}
          {!isFixed && (
            <div className={styles['foot']}>
              <FileTrigger
                allowsMultiple={isMany}
                {...(accept !== undefined && { acceptedFileTypes: accept.split(',') })}
                onSelect={(list) => take([...(list ?? [])])}
              >
                <Button small>
                  <Icon name="upload" size={14} />
                  {t('media.upload')}
                </Button>
              </FileTrigger>
              <Button look="quiet" small onPress={() => choose(true)}>
                {t('media.choose')}
              </Button>
              <span className={styles['hint']}>{t('media.drop')}</span>
              {isPrivate && (
                <span className={styles['hint']}>
                  <Icon name="lock" size={12} /> {t('media.private')}
                </span>
              )}
            </div>
          )}
          {isChoosing && (
            <ChooseFiles
              kinds={kinds}
              isPrivate={isPrivate}
              isMultiple={isMany}
              onChosen={add}
              onUpload={take}
              onClose={() => choose(false)}
            />
          )}
        </div>
      )}
    </FieldFrame>
  )
}

type Change = (to: (now: readonly FileValue[]) => readonly FileValue[]) => void

interface FileListProps {
  readonly files: readonly FileValue[]
  readonly isFixed: boolean
  readonly isMany: boolean
  readonly onChange: Change
}

function FileList({ files, isFixed, isMany, onChange }: FileListProps) {
  const keys = useMemo(() => files.map(({ documentId }) => documentId), [files])
  const { handles, drag } = useReorder(keys, (key, to) =>
    onChange((now) =>
      moved(
        now,
        now.findIndex(({ documentId }) => documentId === key),
        to,
      ),
    ),
  )
  const notify = useOwnNotices()
  const { t } = useTexts()
  const remove = (file: FileValue, index: number): void => {
    onChange((now) => now.filter((one) => one !== file))
    notify(t('component.removed', { name: shownFileName(file) }), () =>
      onChange((now) => (isMany ? now.toSpliced(index, 0, file) : [file])),
    )
  }
  if (files.length === 0) return null
  return (
    <ul>
      {files.map((file, index) => (
        <li
          key={file.documentId}
          ref={handles.itemRef(file.documentId)}
          className={`${styles['file']} ${drag?.to === index ? styles['landBefore'] : ''}`}
        >
          <FileRow
            {...{ file, handles }}
            position={index + 1}
            count={files.length}
            isOrdered={isMany && files.length > 1 && !isFixed}
            onRemove={isFixed ? undefined : () => remove(file, index)}
          />
        </li>
      ))}
    </ul>
  )
}

/** An interrupted upload may take long, so it does not hold back the other changes of the attribute. */
function useWaiting(place: Place, uploads: readonly ShownUpload[]): void {
  const { form } = useOpenEntry()
  const { t } = useTexts()
  const isWaiting = uploads.some(({ failure, isInterrupted }) => failure === null && !isInterrupted)
  const problem = t('media.waiting')
  const shown = useRef(uploads)
  shown.current = uploads
  useEffect(() => {
    if (!isWaiting) return
    form.setUnreadable(addressAt(place), problem)
    return () => form.setUnreadable(addressAt(place), null)
  }, [form, isWaiting, place, problem])
  // Not together: a new place or language of the Studio does not end an upload.
  useEffect(() => {
    if (!isWaiting) return
    const end = form.uploads.begin()
    return () => end(shown.current.length === 0)
  }, [form, isWaiting])
}

function receiving(take: (files: readonly File[]) => void, over: (isOver: boolean) => void) {
  return {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      over(true)
    },
    onDragLeave: () => over(false),
    onDrop: (event: DragEvent) => {
      over(false)
      if (event.dataTransfer.files.length === 0) return
      event.preventDefault()
      take([...event.dataTransfer.files])
    },
    onPaste: (event: ClipboardEvent) => {
      if (event.clipboardData.files.length === 0) return
      event.preventDefault()
      take([...event.clipboardData.files])
    },
  }
}

interface FileRowProps {
  readonly file: FileValue
  readonly handles: Handles
  readonly position: number
  readonly count: number
  readonly isOrdered: boolean
  readonly onRemove: (() => void) | undefined
}

function FileRow({ file: given, handles, position, count, isOrdered, onRemove }: FileRowProps) {
  const { t, bytes } = useTexts()
  const { openFile, locale } = useOpenEntry()
  // The details may have been changed in this form.
  const { data = given } = useQuery({ ...fileQuery(given.id), enabled: false })
  const file = inLocale(data, locale)
  const { width, height, size, alternativeText, mime } = file
  const name = shownFileName(file)
  const isMute = mime.startsWith('image/') && (alternativeText ?? '') === ''
  const about = [
    width && height ? `${width} × ${height}` : '',
    size ? bytes(size * 1000) : '',
    isMute ? t('media.noAlternative') : '',
  ].filter((part) => part !== '')
  return (
    <>
      {isOrdered && (
        <Grip {...{ handles, position, count }} itemKey={file.documentId} label={name} />
      )}
      <AriaButton
        className={styles['details'] ?? ''}
        isDisabled={openFile === undefined}
        onPress={() => openFile?.(given)}
      >
        <FileThumb file={file} size={count === 1 ? 72 : 40} />
        <span className={styles['about']}>
          <span className={styles['name']}>{name}</span>
          <span className={styles['more']}>{about.join(' · ')}</span>
        </span>
      </AriaButton>
      {onRemove !== undefined && (
        <Button
          look="quiet"
          square
          small
          aria-label={t('action.remove', { name })}
          onPress={onRemove}
        >
          <Icon name="close" size={14} />
        </Button>
      )}
    </>
  )
}
