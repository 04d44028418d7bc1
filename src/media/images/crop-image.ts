import { writeFile } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import { type CropArea, SEVERAL_PAGES } from '../crop-area.ts'
import { MAX_SECONDS, openImage } from './read-image.ts'

const QUALITY = 90

const ENCODERS: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  jpeg: (image) => image.jpeg({ quality: QUALITY, mozjpeg: true }),
  webp: (image) => image.webp({ quality: QUALITY }),
  tiff: (image) => image.tiff({ compression: 'lzw' }),
  // The libvips name of AVIF input.
  heif: (image) => image.avif({ quality: QUALITY, effort: 3 }),
}

/**
 * Keeps the format and the color profile. Other metadata is left out, such as the place of the photograph.
 * @throws Error for an unreadable image, with the code `SEVERAL_PAGES` for an animated one
 */
export async function cropImage(source: string, target: string, area: CropArea): Promise<void> {
  const image = openImage(source)
  const { format, pages = 1 } = await image.metadata()
  if (pages > 1) throw Object.assign(new Error('several pages'), { code: SEVERAL_PAGES })
  const { x: left, y: top, width, height } = area
  const cropped = image.autoOrient().extract({ left, top, width, height }).keepIccProfile()
  const encoded = ENCODERS[format]?.(cropped) ?? cropped.toFormat(format)
  // If sharp wrote the file, a full disk would look like a broken image.
  await writeFile(target, await encoded.timeout({ seconds: MAX_SECONDS }).toBuffer())
}
