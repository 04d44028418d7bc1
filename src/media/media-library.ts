import { newDocumentId } from '../mongo/versions/document-id.ts'
import type { FileRecord, FileRecords, NewFile } from './file-records.ts'
import type { FileInfo } from './file-info.ts'
import type { ImageWork } from './images/image-work.ts'
import { type Incoming, prepareFile } from './prepare-file.ts'
import type { ReceivedFile, Upload } from './receive-upload.ts'
import type { MediaStorage } from './storage/storage.ts'
import { namedByRecord, partsOf, plainName, storedNames } from './stored-names.ts'

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
  /**
   * Puts other bytes behind the same id and address; null when the record is gone. Whatever fails on the way, the
   * record and what is stored for it are of the same bytes: the old ones, or the new ones.
   */
  replace(
    record: MediaFile,
    upload: Upload,
    file: ReceivedFile,
    info: FileInfo,
  ): Promise<MediaFile | null>
  /** Null when the record is gone. */
  edit(record: MediaFile, info: FileInfo): Promise<MediaFile | null>
  /** Puts a file into a folder, or at the root. Null when the record is gone. */
  move(record: MediaFile, folder: string | null): Promise<MediaFile | null>
  /** Whether it was there. */
  remove(record: MediaFile): Promise<boolean>
}

export interface MediaLibraryDependencies {
  readonly storage: MediaStorage
  readonly records: FileRecords
  readonly images: ImageWork
}

export function openMediaLibrary(dependencies: MediaLibraryDependencies): MediaLibrary {
  const { records, storage } = dependencies
  return {
    get: (id) => records.get(/^\d{1,15}$/.test(id) ? { id: Number(id) } : { documentId: id }),
    add: (upload, infos, attach, documentIds = []) =>
      add(dependencies, upload, infos, attach, documentIds),
    replace: (record, upload, file, info) =>
      replace(dependencies, record, { upload, file, info, replaced: record }),
    edit: (record, info) => edit(dependencies, record, info),
    move: async ({ documentId }, folder) =>
      (await records.patch(documentId, { folder }))?.after ?? null,
    remove: async ({ documentId }) => {
      const removed = await records.remove(documentId)
      if (removed === null) return false
      await discard(storage, storedNames(removed))
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
      prepareFile(dependencies, { upload, file, info: infos[index] ?? {}, replaced: null }),
    ),
  )
  const files = prepared.map(({ values }, index) => {
    return { ...values, documentId: documentIds[index] ?? newDocumentId() }
  })
  const stored: string[] = []
  try {
    for (const [name, path] of prepared.flatMap(({ parts }) => [...parts])) {
      stored.push(name)
      await storage.put(name, path)
    }
    const added = await records.add(files)
    await attach(added)
    return added
  } catch (error) {
    await withdraw(dependencies, files, stored).catch(() => undefined)
    throw error
  }
}

/**
 * The records first, whether they are known to be stored or not: a database that fails may have stored them all the
 * same. While one may be left its files stay as well: a file without a record is seen by nobody, and `quire media check` finds it.
 */
async function withdraw(
  { records, storage }: Pick<MediaLibraryDependencies, 'records' | 'storage'>,
  files: readonly NewFile[],
  stored: readonly string[],
): Promise<void> {
  await records.withdraw(files)
  await Promise.allSettled(stored.map((name) => storage.remove(name)))
}

/**
 * The new bytes lie beside the old ones until one write to the record names them. Where it is unknown whether that write
 * was stored, both stay: `quire media check` finds those that no record names.
 */
async function replace(
  dependencies: MediaLibraryDependencies,
  record: MediaFile,
  incoming: Incoming,
): Promise<MediaFile | null> {
  const { storage, records } = dependencies
  const { values, parts, generation } = await prepareFile(dependencies, incoming)
  const added = [...parts.keys()]
  try {
    for (const [name, path] of parts) await storage.put(name, path)
    if (generation !== undefined) await makeRoom(storage, record)
  } catch (error) {
    const known = storedNames(record)
    const strays = added.filter((name) => !known.includes(name))
    await discard(storage, strays)
    throw error
  }
  const { name, width, height, thumbhash, mime, size } = values
  const changed = await records.patch(record.documentId, {
    ...incoming.info,
    name,
    width,
    height,
    thumbhash,
    mime,
    size,
    formats: values.formats ?? {},
    variants: [],
    ...(generation !== undefined && { generation }),
  })
  const outdated = changed === null ? added : storedNames(changed.before)
  const kept = changed === null ? [] : added
  await discard(
    storage,
    outdated.filter((one) => !kept.includes(one)),
  )
  return changed?.after ?? null
}

/**
 * From now on only the record leads to the bytes that it has: as long as they were at the address itself, they would be
 * served from there without a look at the record.
 */
async function makeRoom(storage: MediaStorage, record: MediaFile): Promise<void> {
  for (const part of partsOf(record)) {
    await storage.rename(plainName(part), namedByRecord(part, record.generation))
  }
}

/** What no record names any more: what cannot be removed now `quire media check` finds. */
async function discard(storage: MediaStorage, names: readonly string[]): Promise<void> {
  for (const name of names) await storage.remove(name).catch(() => undefined)
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
  if (movesFocus) await discard(storage, changed?.before.variants ?? [])
  return changed?.after ?? null
}
