import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import sharp, { type Metadata, type Sharp } from 'sharp'
import type { FocalPoint } from '../file-info.ts'
import { MAX_PIXELS, MAX_SECONDS } from './read-image.ts'
import type { VariantRequest } from './variant-request.ts'

const BACKGROUND = { r: 255, g: 255, b: 255, alpha: 0 }

/** Between 0 and 9. Effort 3 takes a third of the time of the default, and the result has a few percent more bytes. */
const AVIF_EFFORT = 3

const MOVING: ReadonlySet<string> = new Set(['.webp', '.gif'])

/** The focal point is as close to the center as possible. @throws Error if the file is not a readable image */
export async function renderVariant(
  source: string,
  target: string,
  variant: VariantRequest,
  focalPoint: FocalPoint | null,
): Promise<void> {
  const animated = MOVING.has(extname(target))
  const image = sharp(source, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', animated })
  const metadata = await image.metadata()
  const { autoOrient, pages = 1 } = metadata
  const size = { width: autoOrient.width, height: metadata.pageHeight ?? autoOrient.height }
  const sized = resize(image.autoOrient(), variant, pages > 1 ? null : focalPoint, size)
  const format = variant.format === 'original' ? metadata.format : variant.format
  // If sharp wrote the file, a full disk would look like a broken image.
  await writeFile(
    target,
    await encode(sized, format, variant.quality).timeout({ seconds: MAX_SECONDS }).toBuffer(),
  )
}

interface Size {
  readonly width: number
  readonly height: number
}

function resize(
  image: Sharp,
  { width, height, fit }: VariantRequest,
  focalPoint: FocalPoint | null,
  size: Size,
): Sharp {
  if (width === null && height === null) return image
  if (fit === 'cover' && width !== null && height !== null && focalPoint !== null) {
    return cropAround(image, { width, height }, focalPoint, size)
  }
  return image.resize({
    ...(width !== null && { width }),
    ...(height !== null && { height }),
    fit,
    background: BACKGROUND,
    withoutEnlargement: true,
  })
}

function cropAround(image: Sharp, wanted: Size, { x, y }: FocalPoint, size: Size): Sharp {
  const scale = Math.min(size.width / wanted.width, size.height / wanted.height)
  const width = Math.max(1, Math.round(wanted.width * scale))
  const height = Math.max(1, Math.round(wanted.height * scale))
  const left = within((x / 100) * size.width - width / 2, size.width - width)
  const top = within((y / 100) * size.height - height / 2, size.height - height)
  return image
    .extract({ left, top, width, height })
    .resize({ ...wanted, fit: 'fill', withoutEnlargement: true })
}

function within(position: number, most: number): number {
  return Math.round(Math.min(Math.max(position, 0), Math.max(most, 0)))
}

const ENCODERS: Readonly<Record<string, (image: Sharp, quality: number) => Sharp>> = {
  jpeg: (image, quality) =>
    image.flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: true }),
  webp: (image, quality) => image.webp({ quality }),
  avif: (image, quality) => image.avif({ quality, effort: AVIF_EFFORT }),
  // The libvips name of AVIF input.
  heif: (image, quality) => image.avif({ quality, effort: AVIF_EFFORT }),
}

function encode(image: Sharp, format: Metadata['format'] | 'avif', quality: number): Sharp {
  return ENCODERS[format]?.(image, quality) ?? image.toFormat(format)
}
