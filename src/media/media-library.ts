import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { newDocumentId } from '../mongo/document-id.ts'
import type { FileRecord, FileRecords, FileValues, FormatValues } from '../mongo/file-records.ts'
import { detectType } from './detect-type.ts'
import type { FileInfo } from './file-info.ts'
import { newHash } from './file-name.ts'
import { type Image, readImage } from './read-image.ts'
import type { ReceivedFile, Upload } from './receive-upload.ts'
import type { MediaStorage } from './storage.ts'
import type { WorkQueue } from './work-queue.ts'

/** A file as it is stored, like any other content. */
export type MediaFile = FileRecord

/** Files with their records: what one of them knows, the other has. */
export interface MediaLibrary {
  /** By numeric id, or by documentId; null when there is none. */
  get(id: string): Promise<MediaFile | null>
  /**
   * Stores what was received, all or none of it, and answers it in the order sent; `infos` are by
   * position, and so are `documentIds` that the files are to have. When `attach` fails nothing of it
   * stays either.
   */
  add(
    upload: Upload,
    infos: readonly FileInfo[],
    attach: (records: readonly MediaFile[]) => Promise<void>,
    documentIds?: readonly string[],
  ): Promise<readonly MediaFile[]>
  /** Puts other bytes behind the same id and address; null when the record is gone. */
  replace(
    record: MediaFile,
    upload: Upload,
    file: ReceivedFile,
    info: FileInfo,
  ): Promise<MediaFile | null>
  /** Null when the record is gone. */
  edit(record: MediaFile, info: FileInfo): Promise<MediaFile | null>
  /** Whether it was there. */
  remove(record: MediaFile): Promise<boolean>
}

export interface MediaLibraryDependencies {
  readonly storage: MediaStorage
  readonly records: FileRecords
  readonly images: WorkQueue
}

/** A file that is ready to be stored: what is known of it, and which file goes under which name. */
interface Prepared {
  readonly values: FileValues
  readonly parts: ReadonlyMap<string, string>
}

/** A file on its way. */
interface Incoming {
  readonly upload: Upload
  readonly file: ReceivedFile
  readonly info: FileInfo
  /** Of what it replaces; null gives it one of its own. */
  readonly address: Pick<FileValues, 'hash' | 'ext'> | null
}

export function openMediaLibrary(dependencies: MediaLibraryDependencies): MediaLibrary {
  const { records, storage } = dependencies
  return {
    get: (id) => records.get(/^\d{1,15}$/.test(id) ? { id: Number(id) } : { documentId: id }),
    add: (upload, infos, attach, documentIds = []) =>
      add(dependencies, upload, infos, attach, documentIds),
    replace: (record, upload, file, info) =>
      replace(dependencies, record, { upload, file, info, address: record }),
    edit: (record, info) => edit(dependencies, record, info),
    remove: async (record) => {
      if (!(await records.remove(record.documentId))) return false
      for (const name of storedNames(record)) await storage.remove(name)
      return true
    },
  }
}

async function add(
  dependencies: MediaLibraryDependencies,
  upload: Upload,
  infos: readonly FileInfo[],
  attach: (records: readonly MediaFile[]) => Promise<void>,
  documentIds: readonly string[],
): Promise<readonly MediaFile[]> {
  const { records, storage } = dependencies
  const prepared = await Promise.all(
    upload.files.map((file, index) =>
      prepare(dependencies, { upload, file, info: infos[index] ?? {}, address: null }),
    ),
  )
  const ids = prepared.map((_, index) => documentIds[index] ?? newDocumentId())
  const stored: string[] = []
  let added: readonly MediaFile[] = []
  try {
    for (const [name, path] of prepared.flatMap(({ parts }) => [...parts])) {
      stored.push(name)
      await storage.put(name, path)
    }
    added = await records.add(
      prepared.map(({ values }) => values),
      ids,
    )
    await attach(added)
    return added
  } catch (error) {
    // What was added without a word of it is ours to remove; under ids that were given it may be another's.
    const ours = added.length > 0 ? ids : ids.slice(documentIds.length)
    if (await areRemoved(records, ours)) {
      await Promise.allSettled(stored.map((name) => storage.remove(name)))
    }
    throw error
  }
}

/** False where the database does not say so: then there may be records, and their files are to stay. */
async function areRemoved(
  records: Pick<FileRecords, 'remove'>,
  documentIds: readonly string[],
): Promise<boolean> {
  const removals = await Promise.allSettled(documentIds.map((id) => records.remove(id)))
  return removals.every(({ status }) => status === 'fulfilled')
}

/** The record is changed last: until then it tells of what was there, under the same names. */
async function replace(
  dependencies: MediaLibraryDependencies,
  record: MediaFile,
  incoming: Incoming,
): Promise<MediaFile | null> {
  const { storage, records } = dependencies
  const { values, parts } = await prepare(dependencies, incoming)
  const known = storedNames(record)
  try {
    for (const [name, path] of parts) await storage.put(name, path)
  } catch (error) {
    const strays = [...parts.keys()].filter((name) => !known.includes(name))
    await Promise.allSettled(strays.map((name) => storage.remove(name)))
    throw error
  }
  const { name, width, height, thumbhash, mime, size } = values
  const formats = values.formats ?? {}
  const changes = {
    ...incoming.info,
    name,
    width,
    height,
    thumbhash,
    mime,
    size,
    formats,
    variants: [],
  }
  const changed = await records.patch(record.documentId, changes)
  const isGone = changed === null
  const outdated = isGone ? [...parts.keys()] : known.filter((old) => !parts.has(old))
  for (const old of outdated) await storage.remove(old)
  return changed
}

/** Crops were made around the old focal point. */
async function edit(
  { storage, records }: MediaLibraryDependencies,
  record: MediaFile,
  info: FileInfo,
): Promise<MediaFile | null> {
  const movesFocus = info.focalPoint !== undefined
  const changed = await records.patch(record.documentId, {
    ...info,
    ...(movesFocus && { variants: [] }),
  })
  if (movesFocus) for (const name of record.variants ?? []) await storage.remove(name)
  return changed
}

async function prepare(
  { storage, images }: Pick<MediaLibraryDependencies, 'storage' | 'images'>,
  { upload, file, info, address }: Incoming,
): Promise<Prepared> {
  const type = detectType(file.head, file.type, file.name)
  const { mime } = type
  const name = info.name ?? file.name
  const { hash, ext } = address ?? { ext: type.ext, hash: newHash(name, type.ext) }
  const folder = join(upload.folder, `formats-${upload.files.indexOf(file)}`)
  await mkdir(folder)
  const image = mime.startsWith('image/')
    ? await images.run(() => readImage({ path: file.path, mime, size: file.size }, folder))
    : null
  const about = { name, hash, ext, mime }
  return {
    values: {
      ...about,
      ...appearanceOf(image),
      ...DEFAULTS,
      ...info,
      name,
      formats: formatsOf(image, about, storage),
      size: toKilobytes(file.size),
      url: storage.urlOf(`${hash}${ext}`),
      provider: storage.provider,
    },
    parts: new Map([
      ...(image?.formats ?? []).map(
        (format) => [`${format.name}_${hash}${ext}`, format.path] as const,
      ),
      [`${hash}${ext}`, file.path],
    ]),
  }
}

const DEFAULTS = {
  alternativeText: null,
  caption: null,
  focalPoint: null,
  previewUrl: null,
  provider_metadata: null,
} as const

function appearanceOf(image: Image | null): Pick<FileValues, 'width' | 'height' | 'thumbhash'> {
  const { width = null, height = null, thumbhash = null } = image ?? {}
  return { width, height, thumbhash }
}

function formatsOf(
  image: Image | null,
  { name, hash, ext, mime }: Pick<FileValues, 'name' | 'hash' | 'ext' | 'mime'>,
  storage: MediaStorage,
): FileValues['formats'] {
  if (image === null || image.formats.length === 0) return null
  const entries = image.formats.map((format): [string, FormatValues] => {
    const { width, height, sizeInBytes } = format
    const own = `${format.name}_${hash}`
    const values: FormatValues = {
      ext,
      url: storage.urlOf(`${own}${ext}`),
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

/** Everything that is stored for a record. */
export function storedNames(record: MediaFile): readonly string[] {
  return [...neededNames(record), ...(record.variants ?? [])]
}

/** What a record tells of; variants can be made again. */
export function neededNames({
  hash,
  ext,
  formats,
}: Pick<MediaFile, 'hash' | 'ext' | 'formats'>): readonly string[] {
  const smaller = Object.values(formats ?? {}).map((format) => `${format.hash}${format.ext}`)
  return [`${hash}${ext}`, ...smaller]
}

/** With two decimals, as the dialect tells sizes. */
function toKilobytes(bytes: number): number {
  return Math.round(bytes / 10) / 100
}
