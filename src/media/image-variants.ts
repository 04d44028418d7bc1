import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ValidationError } from '../errors.ts'
import type { FileRecord, FileRecords } from '../mongo/file-records.ts'
import type { FocalPoint } from './file-info.ts'
import { withSpace } from './full-disk.ts'
import type { MediaStorage, StoredFile } from './storage.ts'
import { isOriginal, variantName, type VariantRequest } from './variant-request.ts'
import type { WorkQueue } from './work-queue.ts'

/** Pictures in other sizes and formats: made when they are first asked for, and stored beside them. */
export interface ImageVariants {
  /**
   * Null when there is no such picture.
   * @throws ValidationError for what is no picture, ServiceUnavailableError while too many are waiting
   * or there is no space for one more.
   */
  get(name: string, variant: VariantRequest): Promise<NamedFile | null>
}

export interface NamedFile {
  /** What it is stored under, which tells its type. */
  readonly name: string
  readonly file: StoredFile
}

export interface ImageVariantsDependencies {
  readonly storage: MediaStorage
  readonly records: Pick<FileRecords, 'getByHash' | 'addVariant'>
  readonly images: WorkQueue
  readonly spoolFolder: string
}

/** Of one file; the oldest one gives way to the next. */
const MAX_VARIANTS = 200

/** A vector picture has every size. */
const SCALABLE = 'image/svg+xml'

export function openImageVariants(dependencies: ImageVariantsDependencies): ImageVariants {
  const { storage } = dependencies
  /** What is being made in this process: who asks for the same waits for it. */
  const making = new Map<string, Promise<boolean>>()
  return {
    get: async (name, variant) => {
      const ext = extname(name)
      const made = variantName(name.slice(0, name.length - ext.length), ext, variant)
      const existing = isOriginal(variant) ? null : await storage.get(made)
      if (existing !== null) return { name: made, file: existing }
      const record = await dependencies.records.getByHash(name.slice(0, name.length - ext.length))
      if (record === null || record.ext !== ext) return null
      if (record.width === null)
        throw new ValidationError(`${name} is no picture that can be changed`)
      if (isOriginal(variant) || record.mime === SCALABLE) return stored(storage, name)
      const work =
        making.get(made) ?? withSpace(() => make(dependencies, { record, name, made, variant }))
      making.set(made, work)
      try {
        return (await work) ? await stored(storage, made) : null
      } finally {
        making.delete(made)
      }
    },
  }
}

async function stored(storage: MediaStorage, name: string): Promise<NamedFile | null> {
  const file = await storage.get(name)
  return file === null ? null : { name, file }
}

interface Making {
  readonly record: FileRecord
  readonly name: string
  readonly made: string
  readonly variant: VariantRequest
}

/**
 * Stores a variant, then notes it in the record; where that has changed or gone meanwhile, the variant is
 * of other bytes than it tells of, and does not stay. False when there is none afterwards.
 */
async function make(
  { storage, records, images, spoolFolder }: ImageVariantsDependencies,
  { record, name, made, variant }: Making,
): Promise<boolean> {
  // Whoever was making it when we looked may be done: made again it would be another file to its readers.
  if ((await storage.get(made)) !== null) return true
  const original = await storage.get(name)
  if (original === null) return false
  await mkdir(spoolFolder, { recursive: true })
  const folder = await mkdtemp(join(spoolFolder, 'variant-'))
  try {
    const source = join(folder, name)
    const target = join(folder, made)
    await images.run(async () => {
      const { renderVariant } = await import('./render-variant.ts') // not before there is a picture
      await pipeline(original.read(), createWriteStream(source))
      await renderVariant(source, target, variant, record.focalPoint as FocalPoint | null)
    })
    await storage.put(made, target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const forgotten = await records.addVariant(record, made, MAX_VARIANTS)
  for (const outdated of forgotten ?? [made]) await storage.remove(outdated)
  return forgotten !== null
}
