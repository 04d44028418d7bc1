import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CmsError } from '../base/errors.ts'
import type { FileRecord, FileValues, FormatValues } from './file-records.ts'
import { detectType } from './detect-type.ts'
import type { FileInfo } from './file-info.ts'
import { mergeTranslations } from './file-translations.ts'
import { newHash } from './file-name.ts'
import type { Image } from './images/read-image.ts'
import type { ReceivedFile, Upload } from './receive-upload.ts'
import { addressOfPart, type MediaStorage, uploadsPath } from './storage/storage.ts'
import { namedByRecord, newGeneration, type Part, plainName } from './stored-names.ts'
import type { ImageWork } from './images/image-work.ts'

export interface Incoming {
  readonly upload: Upload
  readonly file: ReceivedFile
  readonly info: FileInfo
  readonly replaced: FileRecord | null
}

export interface PreparedFile {
  readonly values: FileValues
  readonly parts: ReadonlyMap<string, string>
  /** Undefined if the bytes are stored under the plain name. */
  readonly generation: string | undefined
}

export async function prepareFile(
  { storage, images }: { readonly storage: MediaStorage; readonly images: ImageWork },
  { upload, file, info, replaced }: Incoming,
): Promise<PreparedFile> {
  const type = detectType(file.head, file.type, file.name)
  const { mime } = type
  const name = info.name ?? file.name
  const isPrivate = replaced === null ? info.private === true : replaced.private === true
  const { hash, ext } = replaced ?? { ext: type.ext, hash: newHash(name, type.ext, isPrivate) }
  const hasGeneration = replaced !== null && isServedHere(replaced, storage)
  const generation = hasGeneration ? newGeneration() : undefined
  const nameOf = (part: Part): string =>
    generation === undefined ? plainName(part) : namedByRecord(part, generation)
  const urlOf = (part: Part): string => addressOfPart(storage, plainName(part), generation)
  const folder = join(upload.folder, `formats-${upload.files.indexOf(file)}`)
  await mkdir(folder)
  const image = mime.startsWith('image/')
    ? await readInTurn(images, { path: file.path, mime, size: file.size }, folder)
    : null
  const about = { name, hash, ext, mime }
  return {
    values: {
      ...about,
      ...appearanceOf(image),
      ...DEFAULTS,
      ...textsOf(info),
      name,
      private: isPrivate,
      formats: formatsOf(image, about, urlOf),
      size: toKilobytes(file.size),
      url: urlOf(about),
      provider: storage.provider,
    },
    parts: new Map([
      ...(image?.formats ?? []).map((format) => {
        return [nameOf({ hash: `${format.name}_${hash}`, ext }), format.path] as const
      }),
      [nameOf(about), file.path],
    ]),
    generation,
  }
}

/** Returns null for an image that takes too long or crashes the process. */
async function readInTurn(
  images: ImageWork,
  file: { readonly path: string; readonly mime: string; readonly size: number },
  folder: string,
): Promise<Image | null> {
  try {
    return await images.inTurn(({ run }) => run({ kind: 'read', file, folder }), { isUrgent: true })
  } catch (error) {
    if (error instanceof Error && !('code' in error) && !(error instanceof CmsError)) return null
    throw error
  }
}

/** A bucket or CDN only serves the plain name, so replaced bytes must keep it. */
export function isServedHere(
  { url, private: isPrivate }: FileRecord,
  { presign }: Pick<MediaStorage, 'presign'>,
): boolean {
  const isPresigned = isPrivate === true && presign !== undefined
  return url.startsWith(uploadsPath('')) && !isPresigned
}

const DEFAULTS = {
  alternativeText: null,
  caption: null,
  focalPoint: null,
  previewUrl: null,
  provider_metadata: null,
} as const

function textsOf({ translations, ...texts }: FileInfo): Partial<FileValues> {
  const translated = translations === undefined ? null : mergeTranslations(null, translations)
  return { ...texts, ...(translated !== null && { translations: translated }) }
}

function appearanceOf(image: Image | null): Pick<FileValues, 'width' | 'height' | 'thumbhash'> {
  const { width = null, height = null, thumbhash = null } = image ?? {}
  return { width, height, thumbhash }
}

function formatsOf(
  image: Image | null,
  { name, hash, ext, mime }: Pick<FileValues, 'name' | 'hash' | 'ext' | 'mime'>,
  urlOf: (part: Part) => string,
): FileValues['formats'] {
  if (image === null || image.formats.length === 0) return null
  const entries = image.formats.map((format): [string, FormatValues] => {
    const { width, height, sizeInBytes } = format
    const own = `${format.name}_${hash}`
    const values: FormatValues = {
      ext,
      url: urlOf({ hash: own, ext }),
      hash: own,
      mime,
      name: `${format.name}_${name}`,
      path: null,
      size: toKilobytes(sizeInBytes),
      width,
      height,
      sizeInBytes,
    }
    return [format.name, values]
  })
  return Object.fromEntries(entries)
}

/** Rounded to two decimals, as in the reference. */
function toKilobytes(bytes: number): number {
  return Math.round(bytes / 10) / 100
}
