import { open, realpath } from 'node:fs/promises'
import { extname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { MemberFault } from '../../base/config/members.ts'
import type { ReadStudio, StudioBranding, StudioImage } from '../../base/config/studio-settings.ts'

export const MAX_STUDIO_IMAGE_BYTES = 256 * 1024

interface ImageKind {
  readonly type: string
  isKind(bytes: Buffer): boolean
}

const KINDS: Readonly<Record<string, ImageKind>> = {
  '.svg': {
    type: 'image/svg+xml',
    isKind: (bytes) => /<svg[\s>]/.test(bytes.toString('utf8')),
  },
  '.png': {
    type: 'image/png',
    isKind: (bytes) => bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n',
  },
  '.webp': {
    type: 'image/webp',
    isKind: (bytes) => /^RIFF[\s\S]{4}WEBP/.test(bytes.subarray(0, 12).toString('latin1')),
  },
  '.ico': {
    type: 'image/x-icon',
    isKind: (bytes) => bytes.subarray(0, 4).equals(Buffer.from([0, 0, 1, 0])),
  },
}

export interface ReadBranding {
  readonly branding: StudioBranding
  readonly faults: readonly MemberFault[]
}

/** Reads the logo and the favicon into memory. Paths are relative to the folder of the project. */
export async function readStudioImages(folder: string, studio: ReadStudio): Promise<ReadBranding> {
  const faults: MemberFault[] = []
  const read = async (member: 'logo' | 'favicon'): Promise<StudioImage | null> => {
    const path = studio[member]
    const image = path === null ? null : await readImage(folder, path)
    if (typeof image !== 'string') return image
    faults.push({ path: ['studio', member], message: image })
    return null
  }
  const { title, cssVariables, links } = studio
  const branding = { title, cssVariables, links, logo: await read('logo') }
  return { branding: { ...branding, favicon: await read('favicon') }, faults }
}

/** Returns the image, or its problem. */
async function readImage(folder: string, path: string): Promise<StudioImage | string> {
  const kind = KINDS[extname(path).toLowerCase()]
  if (kind === undefined) return 'must be a file of type svg, png, webp or ico'
  const place = resolve(folder, path)
  if (isAbsolute(path) || !isInside(folder, place)) return OUTSIDE
  try {
    const real = await realpath(place)
    if (!isInside(await realpath(folder), real)) return OUTSIDE
    const bytes = await readBounded(real)
    if (bytes === null) return `must be a file of at most ${MAX_STUDIO_IMAGE_BYTES / 1024} kB`
    if (!kind.isKind(bytes)) return `${path} does not contain an image of type ${kind.type}`
    return { type: kind.type, bytes }
  } catch (error) {
    return describeFailure(path, error)
  }
}

function describeFailure(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read: ${code}`
}

const OUTSIDE = 'must be a path inside the folder of the project, relative to it'

function isInside(folder: string, path: string): boolean {
  const inner = relative(folder, path)
  return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner)
}

/** Null for a larger file, and for anything that is no regular file. */
async function readBounded(path: string): Promise<Buffer | null> {
  const file = await open(path)
  try {
    const stat = await file.stat()
    if (!stat.isFile() || stat.size > MAX_STUDIO_IMAGE_BYTES) return null
    return await file.readFile()
  } finally {
    await file.close()
  }
}
