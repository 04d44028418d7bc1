import { ValidationError } from '../base/errors.ts'
import type { FocalPoint } from './file-info.ts'

/** In pixels of the original, after its EXIF orientation is applied. */
export interface CropArea extends Size {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** The picture before it was cropped. Its bytes have a name that no address contains. */
export interface OriginalFile extends Size {
  readonly hash: string
  readonly ext: string
  readonly mime: string
  /** In kilobytes. */
  readonly size: number
  /** Null until the cropped bytes are stored. */
  readonly crop: CropArea | null
}

/** The code of the error for a picture with several frames or pages. */
export const SEVERAL_PAGES = 'SEVERAL_PAGES'

/** In pixels, for each side of a cropped picture. */
export const MIN_CROP = 16
/** In pixels. Longer sides are not decoded. */
export const MAX_SIDE = 150_000_000

export function wholeOf({ width, height }: Size): CropArea {
  return { x: 0, y: 0, width, height }
}

export function isSameArea(one: CropArea, other: CropArea): boolean {
  return (
    one.x === other.x &&
    one.y === other.y &&
    one.width === other.width &&
    one.height === other.height
  )
}

/** @throws ValidationError unless the area is inside the picture */
export function assertInside(area: CropArea, { width, height }: Size): void {
  if (area.x + area.width <= width && area.y + area.height <= height) return
  throw cannotCrop(`The area is not inside the picture of ${width} × ${height} pixels`)
}

/** The same point of the picture after a crop. Null if the crop does not contain it. */
export function movedFocus(
  point: FocalPoint | null,
  from: CropArea,
  to: CropArea,
): FocalPoint | null {
  if (point === null) return null
  const x = percentOf(from.x + (point.x / 100) * from.width - to.x, to.width)
  const y = percentOf(from.y + (point.y / 100) * from.height - to.y, to.height)
  const isInside = x >= 0 && x <= 100 && y >= 0 && y <= 100
  return isInside ? { x, y } : null
}

/** Rounded to one decimal. */
function percentOf(pixels: number, length: number): number {
  return Math.round((pixels / length) * 1_000) / 10
}

export function cannotCrop(message: string): ValidationError {
  return new ValidationError(message, {}, { code: 'cannot_crop' })
}
