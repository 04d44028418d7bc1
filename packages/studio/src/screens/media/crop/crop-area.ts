import type { CropArea } from '../../../api/files.ts'

export interface PictureSize {
  readonly width: number
  readonly height: number
}

export interface Corner {
  /** The direction in which the corner lies from the middle. */
  readonly toX: -1 | 1
  readonly toY: -1 | 1
}

/** In pixels. The server refuses smaller crops. */
export const MIN_CROP = 16

/** Width divided by height. Null is free. */
export type Ratio = number | null

export function wholeArea({ width, height }: PictureSize): CropArea {
  return { x: 0, y: 0, width, height }
}

export function isWhole(area: CropArea, { width, height }: PictureSize): boolean {
  return area.width === width && area.height === height
}

/** Moves the area as far as the picture allows. */
export function moveArea(area: CropArea, x: number, y: number, size: PictureSize): CropArea {
  return {
    ...area,
    x: within(Math.round(x), 0, size.width - area.width),
    y: within(Math.round(y), 0, size.height - area.height),
  }
}

/** Drags a corner to a point. The opposite corner stays. */
export function dragCorner(
  area: CropArea,
  { toX, toY }: Corner,
  point: { readonly x: number; readonly y: number },
  size: PictureSize,
  ratio: Ratio,
): CropArea {
  const fixedX = toX > 0 ? area.x : area.x + area.width
  const fixedY = toY > 0 ? area.y : area.y + area.height
  const wanted = { width: (point.x - fixedX) * toX, height: (point.y - fixedY) * toY }
  const most = {
    width: toX > 0 ? size.width - fixedX : fixedX,
    height: toY > 0 ? size.height - fixedY : fixedY,
  }
  const { width, height } = fitted(wanted, most, ratio)
  return {
    x: toX > 0 ? fixedX : fixedX - width,
    y: toY > 0 ? fixedY : fixedY - height,
    width,
    height,
  }
}

/** Changes one side. The upper left corner stays. */
export function resizeArea(
  area: CropArea,
  side: 'width' | 'height',
  pixels: number,
  size: PictureSize,
  ratio: Ratio,
): CropArea {
  const wanted =
    side === 'width'
      ? { width: pixels, height: ratio === null ? area.height : pixels / ratio }
      : { width: ratio === null ? area.width : pixels * ratio, height: pixels }
  const most = { width: size.width - area.x, height: size.height - area.y }
  return { ...area, ...fitted(wanted, most, ratio) }
}

/** The largest area of the proportions inside the given one, around the same middle. */
export function withRatio(area: CropArea, ratio: Ratio, size: PictureSize): CropArea {
  if (ratio === null) return area
  const width = Math.min(area.width, area.height * ratio)
  const sides = fitted({ width, height: width / ratio }, size, ratio)
  const x = area.x + (area.width - sides.width) / 2
  const y = area.y + (area.height - sides.height) / 2
  return moveArea({ ...area, ...sides }, x, y, size)
}

function fitted(wanted: PictureSize, most: PictureSize, ratio: Ratio): PictureSize {
  if (ratio === null) {
    return {
      width: within(Math.round(wanted.width), MIN_CROP, most.width),
      height: within(Math.round(wanted.height), MIN_CROP, most.height),
    }
  }
  const least = Math.max(MIN_CROP, MIN_CROP * ratio)
  const larger = Math.max(wanted.width, wanted.height * ratio)
  const width = within(larger, least, Math.min(most.width, most.height * ratio))
  return {
    width: within(Math.round(width), MIN_CROP, most.width),
    height: within(Math.round(width / ratio), MIN_CROP, most.height),
  }
}

/** `most` wins. */
function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
