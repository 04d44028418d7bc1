import { type CSSProperties, type KeyboardEvent, type PointerEvent, useRef } from 'react'
import type { CropArea } from '../../../api/files.ts'
import { useTexts } from '../../../texts/texts.ts'
import {
  type Corner,
  dragCorner,
  moveArea,
  type PictureSize,
  type Ratio,
  resizeArea,
} from './crop-area.ts'
import styles from './crop.module.css'

export interface CropStageProps {
  readonly source: string
  readonly size: PictureSize
  readonly area: CropArea
  readonly ratio: Ratio
  readonly onChange: (area: CropArea) => void
}

const CORNERS: Readonly<Record<string, Corner>> = {
  topLeft: { toX: -1, toY: -1 },
  topRight: { toX: 1, toY: -1 },
  bottomLeft: { toX: -1, toY: 1 },
  bottomRight: { toX: 1, toY: 1 },
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

interface Drag {
  readonly corner: Corner | null
  /** From the pointer to the corner, or to the upper left one. In pixels of the picture. */
  readonly offset: { readonly x: number; readonly y: number }
}

/** The picture with a frame, which pointers and arrow keys move and resize. */
export function CropStage({ source, size, area, ratio, onChange }: CropStageProps) {
  const { t } = useTexts()
  const box = useRef<HTMLDivElement>(null)
  const drag = useRef<Drag | null>(null)
  const pointOf = ({ clientX, clientY }: PointerEvent) => {
    const { left, top, width, height } = box.current?.getBoundingClientRect() ?? new DOMRect()
    return {
      x: ((clientX - left) / width) * size.width,
      y: ((clientY - top) / height) * size.height,
    }
  }
  const grab = (event: PointerEvent<HTMLElement>): void => {
    const corner = CORNERS[(event.target as HTMLElement).dataset['corner'] ?? ''] ?? null
    const point = pointOf(event)
    const x = area.x + (corner !== null && corner.toX > 0 ? area.width : 0)
    const y = area.y + (corner !== null && corner.toY > 0 ? area.height : 0)
    drag.current = { corner, offset: { x: x - point.x, y: y - point.y } }
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const pull = (event: PointerEvent): void => {
    if (drag.current === null) return
    const { corner, offset } = drag.current
    const point = pointOf(event)
    const to = { x: point.x + offset.x, y: point.y + offset.y }
    onChange(
      corner === null
        ? moveArea(area, to.x, to.y, size)
        : dragCorner(area, corner, to, size, ratio),
    )
  }
  const release = (): void => {
    drag.current = null
  }
  const press = (event: KeyboardEvent): void => {
    const arrow = ARROWS[event.key]
    if (arrow === undefined) return
    event.preventDefault()
    const step = Math.max(1, Math.round(Math.max(size.width, size.height) / 100))
    const [x, y] = arrow.map((one) => one * step) as [number, number]
    onChange(
      event.shiftKey
        ? x === 0
          ? resizeArea(area, 'height', area.height + y, size, ratio)
          : resizeArea(area, 'width', area.width + x, size, ratio)
        : moveArea(area, area.x + x, area.y + y, size),
    )
  }
  return (
    <div className={styles['stage']}>
      <div ref={box} className={styles['box']} style={fitting(size)}>
        <div className={styles['clip']}>
          <img src={source} alt="" draggable={false} />
          <span className={styles['light']} style={placed(area, size)} />
        </div>
        <div
          role="application"
          tabIndex={0}
          aria-label={t('crop.frame', { ...area })}
          className={styles['frame']}
          style={placed(area, size)}
          onKeyDown={press}
          onPointerDown={grab}
          onPointerMove={pull}
          onPointerUp={release}
          onPointerCancel={release}
        >
          {Object.keys(CORNERS).map((corner) => (
            <span key={corner} data-corner={corner} className={styles[corner]} />
          ))}
        </div>
      </div>
    </div>
  )
}

/** The part of the picture inside the area. */
export function CropPreview({
  source,
  size,
  area,
}: Pick<CropStageProps, 'source' | 'size' | 'area'>) {
  const left = `${(-area.x / area.width) * 100}%`
  const top = `${(-area.y / area.height) * 100}%`
  const width = `${(size.width / area.width) * 100}%`
  const height = `${(size.height / area.height) * 100}%`
  return (
    <div className={styles['preview']} style={{ aspectRatio: `${area.width} / ${area.height}` }}>
      <img src={source} alt="" style={{ left, top, width, height }} />
    </div>
  )
}

/** As large as the window allows. */
function fitting({ width, height }: PictureSize): CSSProperties {
  return {
    aspectRatio: `${width} / ${height}`,
    width: `min(100%, ${Math.max(width, 240)}px, calc(52dvh * ${width / height}))`,
  }
}

function placed(area: CropArea, size: PictureSize): CSSProperties {
  return {
    left: `${(area.x / size.width) * 100}%`,
    top: `${(area.y / size.height) * 100}%`,
    width: `${(area.width / size.width) * 100}%`,
    height: `${(area.height / size.height) * 100}%`,
  }
}
