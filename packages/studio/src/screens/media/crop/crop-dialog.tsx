import { useQuery } from '@tanstack/react-query'
import { shownFileName } from '../../../api/file-entry.ts'
import { useState } from 'react'
import { previewOf } from '../../../api/file-preview.ts'
import {
  changeCrop,
  type CropArea,
  type CropSource,
  cropSourceQuery,
  type MediaFile,
} from '../../../api/files.ts'
import { Button } from '../../../design/button.tsx'
import { Choice } from '../../../design/choice.tsx'
import { Dialog } from '../../../design/dialog.tsx'
import { PendingDialog } from '../../../design/pending-dialog.tsx'
import { useAction } from '../../../design/use-action.ts'
import { useTexts } from '../../../texts/texts.ts'
import {
  isWhole,
  moveArea,
  type PictureSize,
  type Ratio,
  resizeArea,
  wholeArea,
  withRatio,
} from './crop-area.ts'
import { CropPreview, CropStage } from './crop-stage.tsx'
import styles from './crop.module.css'
import { PixelInput } from './pixel-input.tsx'

export interface CropDialogProps {
  readonly file: MediaFile
  readonly onClose: () => void
  /** Also after an undo, when the dialog is closed. */
  readonly onCropped: (file: MediaFile) => void
}

export function CropDialog({ file, onClose, onCropped }: CropDialogProps) {
  const { t } = useTexts()
  const { data, error, refetch, isFetchedAfterMount } = useQuery(cropSourceQuery(file.id))
  const title = t('crop.title', { name: shownFileName(file) })
  if (data === undefined || error !== null || !isFetchedAfterMount) {
    const onRetry = (): void => void refetch()
    return <PendingDialog {...{ title, error, onRetry, onClose }} form="large" />
  }
  const size = sizeOf(data.file)
  return (
    <CropForm
      // Other bytes need another frame.
      key={`${size.width} ${size.height}`}
      {...{ source: data, title, size, onClose, onCropped }}
      onFailed={() => void refetch()}
    />
  )
}

function sizeOf({ original, width, height }: CropSource['file']): PictureSize {
  return { width: original?.width ?? width ?? 1, height: original?.height ?? height ?? 1 }
}

interface CropFormProps extends Omit<CropDialogProps, 'file'> {
  readonly source: CropSource
  readonly title: string
  readonly size: PictureSize
  readonly onFailed: () => void
}

function CropForm({ source, title, size, onClose, onCropped, onFailed }: CropFormProps) {
  const { t } = useTexts()
  const action = useAction()
  const { file, etag } = source
  const [before] = useState(() => file.original?.crop ?? wholeArea(size))
  const [area, setArea] = useState(before)
  const [aspect, setAspect] = useState<Aspect>('free')
  const ratio = ratioOf(aspect, size)
  // The address of the original is signed again with each response.
  const [picture] = useState(() => addressOf(file))
  const save = (): void =>
    action.run(
      () =>
        changeCrop(file.id, area, etag).catch((failure: unknown) => {
          onFailed()
          throw failure
        }),
      {
        changes: ['files'],
        says: t('crop.saved'),
        undo: () => async () => onCropped(await changeCrop(file.id, before)),
        onDone: (cropped) => {
          onCropped(cropped)
          onClose()
        },
      },
    )
  const reset = (): void => {
    setAspect('free')
    setArea(wholeArea(size))
  }
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      form="large"
      actions={
        <>
          <Button onPress={reset} isDisabled={isWhole(area, size)}>
            {t('crop.reset')}
          </Button>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button look="primary" onPress={save} isPending={action.isBusy}>
            {t('crop.save')}
          </Button>
        </>
      }
    >
      <div className={styles['content']}>
        <CropStage {...{ source: picture, size, area, ratio }} onChange={setArea} />
        <div className={styles['side']}>
          <Choice
            label={t('crop.aspect')}
            options={ASPECTS.map((id) => ({ id, name: t(`crop.aspect.${id}`) }))}
            value={aspect}
            onChange={(id) => {
              const chosen = ASPECTS.find((one) => one === id) ?? 'free'
              setAspect(chosen)
              setArea((now) => withRatio(now, ratioOf(chosen, size), size))
            }}
          />
          <Numbers {...{ area, size, ratio }} onChange={setArea} />
          <p className={styles['caption']}>{t('crop.preview')}</p>
          <CropPreview {...{ source: picture, size, area }} />
          <p className={styles['hint']}>{t('crop.keys')}</p>
          <p className={styles['hint']}>{t('crop.hint')}</p>
        </div>
      </div>
    </Dialog>
  )
}

const ASPECTS = ['free', 'original', 'square', 'fourThirds', 'wide'] as const
type Aspect = (typeof ASPECTS)[number]

function ratioOf(aspect: Aspect, { width, height }: PictureSize): Ratio {
  const ratios: Readonly<Record<Aspect, Ratio>> = {
    free: null,
    original: width / height,
    square: 1,
    fourThirds: 4 / 3,
    wide: 16 / 9,
  }
  return ratios[aspect]
}

/** A picture that is not cropped is shown in a smaller size. */
function addressOf(file: CropSource['file']): string {
  return file.original?.url ?? previewOf({ ...file, formats: file.formats ?? null }, 'large') ?? ''
}

interface NumbersProps {
  readonly area: CropArea
  readonly size: PictureSize
  readonly ratio: Ratio
  readonly onChange: (area: CropArea) => void
}

function Numbers({ area, size, ratio, onChange }: NumbersProps) {
  const { t } = useTexts()
  const resize = (side: 'width' | 'height', pixels: number): void =>
    onChange(resizeArea(area, side, pixels, size, ratio))
  return (
    <div role="group" aria-label={t('crop.numbers')} className={styles['numbers']}>
      <PixelInput
        label={t('crop.x')}
        value={area.x}
        onChange={(x) => onChange(moveArea(area, x, area.y, size))}
      />
      <PixelInput
        label={t('crop.y')}
        value={area.y}
        onChange={(y) => onChange(moveArea(area, area.x, y, size))}
      />
      <PixelInput
        label={t('crop.width')}
        value={area.width}
        onChange={(pixels) => resize('width', pixels)}
      />
      <PixelInput
        label={t('crop.height')}
        value={area.height}
        onChange={(pixels) => resize('height', pixels)}
      />
    </div>
  )
}
