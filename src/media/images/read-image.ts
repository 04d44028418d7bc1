import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'

export interface Image {
  readonly width: number
  readonly height: number
  readonly thumbhash: string | null
  readonly formats: readonly ImageFormat[]
}

export interface ImageFormat {
  readonly name: string
  readonly path: string
  readonly width: number
  readonly height: number
  readonly sizeInBytes: number
}

/** Longest sides in pixels, in the order of the reference: by length of the name. */
const FORMATS = [
  ['large', { width: 1000, height: 1000 }],
  ['small', { width: 500, height: 500 }],
  ['medium', { width: 750, height: 750 }],
  ['thumbnail', { width: 245, height: 156 }],
] as const

const RESIZED: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/tiff',
  'image/gif',
])
const MEASURED: ReadonlySet<string> = new Set([...RESIZED, 'image/avif', 'image/svg+xml'])

/** A larger image is stored but never decoded, because a small file may contain a huge one. */
export const MAX_PIXELS = 150_000_000
export const MAX_SECONDS = 30
/** SVG is parsed completely before its size is known. */
const MAX_SVG_BYTES = 10_000_000

// Files are read once and replaced under the same name, so a cache would waste memory or be outdated.
sharp.cache(false)

/** Writes the smaller formats into `folder`. Null for other files and broken images. */
export async function readImage(
  { path, mime, size }: { readonly path: string; readonly mime: string; readonly size: number },
  folder: string,
): Promise<Image | null> {
  if (!MEASURED.has(mime) || (mime === 'image/svg+xml' && size > MAX_SVG_BYTES)) return null
  try {
    const { autoOrient, format } = await openImage(path).metadata()
    const { width, height } = autoOrient
    if (mime === 'image/svg+xml') return { width, height, thumbhash: null, formats: [] }
    const thumbhash = await thumbhashOf(path) // also shows whether it can be decoded completely
    if (!RESIZED.has(mime)) return { width, height, thumbhash, formats: [] }
    const wanted = FORMATS.filter(([, box]) => width > box.width || height > box.height)
    const formats: ImageFormat[] = []
    for (const [name, box] of wanted) {
      const target = join(folder, name)
      const { data, info } = await openImage(path)
        .autoOrient()
        .resize({ ...box, fit: 'inside', withoutEnlargement: true })
        .toFormat(format)
        .timeout({ seconds: MAX_SECONDS })
        .toBuffer({ resolveWithObject: true })
      await writeFile(target, data) // if sharp wrote it, a full disk would look like a broken image
      const { width, height, size: sizeInBytes } = info
      formats.push({ name, path: target, width, height, sizeInBytes })
    }
    return { width, height, thumbhash, formats }
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  }
}

/** The algorithm accepts at most 100 pixels per side. */
async function thumbhashOf(path: string): Promise<string> {
  const { data, info } = await openImage(path)
    .autoOrient()
    .resize({ width: 100, height: 100, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .timeout({ seconds: MAX_SECONDS })
    .toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
}

export function openImage(path: string): Sharp {
  return sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
}

/** sharp 0.35 reports broken input as a plain Error. System errors have a code. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && !('code' in error)
}
