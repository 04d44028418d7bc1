import { thumbHashToDataURL } from 'thumbhash'
import { element } from './element.ts'

export interface Picture {
  readonly url: string | null
  readonly width: number | null
  readonly height: number | null
  readonly alternativeText: string | null
  readonly thumbhash: string | null
  readonly updatedAt: string
}

const WIDTHS = [320, 640, 1280]

/**
 * An image in a suitable size, over its thumbhash placeholder. Offline only the placeholder is
 * visible.
 */
export function picture(file: Picture | null, sizes: string): HTMLElement | null {
  if (file === null || file.url === null) return null
  const { url, width, height, thumbhash } = file
  // The date in the URL makes it immutable.
  const at = (size: number): string => `${url}?width=${size}&v=${Date.parse(file.updatedAt)}`
  const image = element('img', {
    src: at(640),
    srcset: WIDTHS.map((size) => `${at(size)} ${size}w`).join(', '),
    sizes,
    width,
    height,
    alt: file.alternativeText ?? '',
    loading: 'lazy',
    decoding: 'async',
  })
  image.addEventListener('load', () => image.classList.add('loaded'))
  const frame = element('div', { class: 'picture' }, image)
  if (thumbhash !== null) frame.style.backgroundImage = `url(${placeholder(thumbhash)})`
  if (width !== null && height !== null) frame.style.aspectRatio = `${width} / ${height}`
  return frame
}

function placeholder(thumbhash: string): string {
  return thumbHashToDataURL(Uint8Array.from(atob(thumbhash), (char) => char.charCodeAt(0)))
}
