import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'

export interface Image {
  readonly width: number
  readonly height: number
  /** Of a few bytes, in base64; null where the picture is not unpacked. */
  readonly thumbhash: string | null
  /** Smaller ones of it, in the order in which an answer shows them; files that are to be stored. */
  readonly formats: readonly ImageFormat[]
}

export interface ImageFormat {
  readonly name: string
  readonly path: string
  readonly width: number
  readonly height: number
  readonly sizeInBytes: number
}

/** Longest sides in pixels, and in the order of the dialect: by the length of the name. */
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

/** A picture of more pixels is stored, but never unpacked: a small file may hold a huge one. */
export const MAX_PIXELS = 150_000_000
/** For one step of work on a picture. */
export const MAX_SECONDS = 30
/** Of text: all of it is parsed before its size is known. */
const MAX_SVG_BYTES = 10_000_000

// Files are read once, and replaced under their names: a cache would only cost memory, or be wrong.
sharp.cache(false)

/**
 * The size of an image, as it is looked at, and what smaller formats of it there are, written into
 * `folder`. Null for what is no image, or one that cannot be read to its end.
 */
export async function readImage(
  { path, mime, size }: { readonly path: string; readonly mime: string; readonly size: number },
  folder: string,
): Promise<Image | null> {
  if (!MEASURED.has(mime) || (mime === 'image/svg+xml' && size > MAX_SVG_BYTES)) return null
  try {
    const { autoOrient, format } = await open(path).metadata()
    const { width, height } = autoOrient
    if (mime === 'image/svg+xml') return { width, height, thumbhash: null, formats: [] }
    const thumbhash = await thumbhashOf(path) // which also shows whether it can be read to its end
    if (!RESIZED.has(mime)) return { width, height, thumbhash, formats: [] }
    const wanted = FORMATS.filter(([, box]) => width > box.width || height > box.height)
    const formats: ImageFormat[] = []
    for (const [name, box] of wanted) {
      const target = join(folder, name)
      const { data, info } = await open(path)
        .autoOrient()
        .resize({ ...box, fit: 'inside', withoutEnlargement: true })
        .toFormat(format)
        .timeout({ seconds: MAX_SECONDS })
        .toBuffer({ resolveWithObject: true })
      await writeFile(target, data) // by sharp itself a full disk would seem to be a broken picture
      const { width, height, size: sizeInBytes } = info
      formats.push({ name, path: target, width, height, sizeInBytes })
    }
    return { width, height, thumbhash, formats }
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  }
}

/** The algorithm takes at most 100 pixels a side. */
async function thumbhashOf(path: string): Promise<string> {
  const { data, info } = await open(path)
    .autoOrient()
    .resize({ width: 100, height: 100, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .timeout({ seconds: MAX_SECONDS })
    .toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
}

function open(path: string): Sharp {
  return sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
}

/** What sharp 0.35 says of its input is a plain Error; what the system says has a code. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && !('code' in error)
}
