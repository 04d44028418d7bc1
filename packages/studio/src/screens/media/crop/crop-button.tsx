import { useState } from 'react'
import type { MediaFile } from '../../../api/files.ts'
import { Button } from '../../../design/button.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { CropDialog, type CropDialogProps } from './crop-dialog.tsx'

export type CropButtonProps = Pick<CropDialogProps, 'file' | 'onCropped'>

/** Absent for other files than pictures. */
export function CropButton({ file, onCropped }: CropButtonProps) {
  const { t } = useTexts()
  const [isOpen, open] = useState(false)
  if (!isCroppable(file)) return null
  return (
    <>
      <Button small onPress={() => open(true)}>
        {t('crop.open')}
      </Button>
      {isOpen && <CropDialog {...{ file, onCropped }} onClose={() => open(false)} />}
    </>
  )
}

/** Whether it is a picture that consists of pixels. The server finds out whether it is animated. */
function isCroppable({ mime, width, height }: MediaFile): boolean {
  const isPicture = mime.startsWith('image/') && mime !== 'image/svg+xml'
  return isPicture && Math.min(width ?? 0, height ?? 0) > 0
}
