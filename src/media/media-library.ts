import { newDocumentId } from '../mongo/versions/document-id.ts'
import type { FileRecord, NewFile } from './file-records.ts'
import type { FileInfo } from './file-info.ts'
import { changePrivacy, type PrivacyDependencies } from './change-privacy.ts'
import type { ImageWork } from './images/image-work.ts'
import { type Incoming, prepareFile } from './prepare-file.ts'
import type { ReceivedFile, Upload } from './receive-upload.ts'
import type { FileTrash } from './file-trash.ts'
import type { MediaStorage } from './storage/storage.ts'
import { namedByRecord, partsOf, plainName, storedNames } from './stored-names.ts'

export type MediaFile = FileRecord

export interface MediaLibrary {
  get(id: string): Promise<MediaFile | null>
  /** Stores all files or none. */
  add(
    upload: Upload,
    infos: readonly FileInfo[],
    attach: (records: readonly MediaFile[]) => Promise<void>,
    options?: AddOptions,
  ): Promise<readonly MediaFile[]>
  /** Keeps id and URL. After any failure the record and its files match: both old or both new. */
  replace(
    record: MediaFile,
    upload: Upload,
    file: ReceivedFile,
    info: FileInfo,
  ): Promise<MediaFile | null>
  edit(record: MediaFile, info: FileInfo): Promise<MediaFile | null>
  move(record: MediaFile, folder: string | null): Promise<MediaFile | null>
  /** Moves the file to the trash, if the trash keeps it. Returns false if there is no such file. */
  remove(record: MediaFile): Promise<boolean>
}

/** `infos` and `documentIds` are by position. */
export interface AddOptions {
  readonly documentIds?: readonly string[]
  readonly uploadedBy?: string | null
}

export interface MediaLibraryDependencies extends PrivacyDependencies {
  readonly images: ImageWork
  /** Null: files are deleted permanently. */
  readonly trash: FileTrash | null
}

export function openMediaLibrary(dependencies: MediaLibraryDependencies): MediaLibrary {
  const { records, storage, trash } = dependencies
  return {
    get: (id) => records.get(/^\d{1,15}$/.test(id) ? { id: Number(id) } : { documentId: id }),
    add: (upload, infos, attach, options = {}) =>
      add(dependencies, upload, { infos, attach, ...options }),
    replace: async (record, upload, file, info) => {
      const { private: isPrivate = record.private === true, ...others } = info
      const current = await changePrivacy(dependencies, record, isPrivate)
      if (current === null) return null
      return replace(dependencies, current, { upload, file, info: others, replaced: current })
    },
    edit: (record, info) => edit(dependencies, record, info),
    move: async ({ documentId }, folder) =>
      (await records.patch(documentId, { folder }))?.after ?? null,
    remove: async (record) => {
      const { documentId } = record
      if (trash?.keeps(record) === true) return trash.remove(documentId)
      const removed = await records.remove(documentId)
      if (removed === null) return false
      await discard(storage, storedNames(removed))
      return true
    },
  }
}

interface Adding extends AddOptions {
  readonly infos: readonly FileInfo[]
  readonly attach: (records: readonly MediaFile[]) => Promise<void>
}

async function add(
  dependencies: MediaLibraryDependencies,
  upload: Upload,
  { infos, attach, documentIds = [], uploadedBy = null }: Adding,
): Promise<readonly MediaFile[]> {
  const { records, storage } = dependencies
  const prepared = await Promise.all(
    upload.files.map((file, index) =>
      prepareFile(dependencies, { upload, file, info: infos[index] ?? {}, replaced: null }),
    ),
  )
  const files = prepared.map(({ values }, index) => {
    return { ...values, documentId: documentIds[index] ?? newDocumentId(), uploadedBy }
  })
  const stored: string[] = []
  try {
    for (const [index, { parts }] of prepared.entries()) {
      const file = upload.files[index]
      for (const [name, path] of parts) {
        stored.push(name)
        const isDirect = file?.store !== undefined && path === file.path
        await (isDirect ? file.store(name) : storage.put(name, path))
      }
    }
    const added = await records.add(files)
    await attach(added)
    return added
  } catch (error) {
    await withdraw(dependencies, files, stored).catch(() => undefined)
    throw error
  }
}

/** Records first: a file without a record is invisible, and `quire media check` finds it. */
async function withdraw(
  { records, storage }: Pick<MediaLibraryDependencies, 'records' | 'storage'>,
  files: readonly NewFile[],
  stored: readonly string[],
): Promise<void> {
  await records.withdraw(files)
  await Promise.allSettled(stored.map((name) => storage.remove(name)))
}

/** New bytes stay next to the old ones until one write switches the record. */
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
  const changes = {
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
  }
  // A concurrent change of privacy has given the file other names.
  const asOf = { onlyHash: record.hash }
  const changed = await records.patch(record.documentId, changes, asOf)
  const outdated = changed === null ? added : storedNames(changed.before)
  const kept = changed === null ? [] : added
  await discard(
    storage,
    outdated.filter((one) => !kept.includes(one)),
  )
  return changed?.after ?? null
}

/** Renames the stored files, because a file under its plain name is served without reading the record. */
async function makeRoom(storage: MediaStorage, record: MediaFile): Promise<void> {
  for (const part of partsOf(record)) {
    await storage.rename(plainName(part), namedByRecord(part, record.generation))
  }
}

async function discard(storage: MediaStorage, names: readonly string[]): Promise<void> {
  for (const name of names) await storage.remove(name).catch(() => undefined)
}

async function edit(
  dependencies: MediaLibraryDependencies,
  record: MediaFile,
  { private: isPrivate = record.private === true, ...info }: FileInfo,
): Promise<MediaFile | null> {
  const { storage, records } = dependencies
  const current = await changePrivacy(dependencies, record, isPrivate)
  if (current === null) return null
  const movesFocus = info.focalPoint !== undefined
  const changed = await records.patch(record.documentId, {
    ...info,
    ...(movesFocus && { variants: [] }),
  })
  if (movesFocus) await discard(storage, changed?.before.variants ?? [])
  return changed?.after ?? null
}
