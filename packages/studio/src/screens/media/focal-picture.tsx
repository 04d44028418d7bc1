import type { KeyboardEvent, PointerEvent } from 'react'
import { previewOf } from '../../api/file-preview.ts'
import type { FocalPoint, MediaFile } from '../../api/files.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './focal-picture.module.css'
import { FilePicture } from './file-picture.tsx'

export interface FocalPictureProps {
  readonly file: MediaFile
  readonly point: FocalPoint | null
  /** Absent: read only. */
  readonly onChange?: (point: FocalPoint) => void
}

const CENTER: FocalPoint = { x: 50, y: 50 }
const STEP_PERCENT = 2

const MOVES: Readonly<Record<string, FocalPoint>> = {
  ArrowLeft: { x: -STEP_PERCENT, y: 0 },
  ArrowRight: { x: STEP_PERCENT, y: 0 },
  ArrowUp: { x: 0, y: -STEP_PERCENT },
  ArrowDown: { x: 0, y: STEP_PERCENT },
}

/** An image with its focal point, which can be set by a press or moved by arrow keys. */
export function FocalPicture({ file, point, onChange }: FocalPictureProps) {
  const { t } = useTexts()
  const source = previewOf({ ...file, formats: file.formats ?? null }, 'medium')
  if (source === null) return <FilePicture file={file} />
  const { x, y } = point ?? CENTER
  const place = ({ clientX, clientY, currentTarget }: PointerEvent): void => {
    const box = currentTarget.getBoundingClientRect()
    onChange?.({
      x: percent((clientX - box.left) / box.width),
      y: percent((clientY - box.top) / box.height),
    })
  }
  const move = (event: KeyboardEvent): void => {
    const by = MOVES[event.key]
    if (by === undefined) return
    event.preventDefault()
    onChange?.({ x: percent((x + by.x) / 100), y: percent((y + by.y) / 100) })
  }
  return (
    <div className={styles['frame']}>
      <div className={styles['picture']}>
        <img src={source} alt={file.alternativeText ?? ''} />
        {onChange !== undefined && (
          <button
            type="button"
            aria-label={t('media.focalPoint', { x, y })}
            className={styles['area']}
            onPointerDown={place}
            onKeyDown={move}
          >
            <span className={styles['point']} style={{ left: `${x}%`, top: `${y}%` }} />
          </button>
        )}
      </div>
    </div>
  )
}

function percent(share: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * 100)
}
