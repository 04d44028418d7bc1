import { newDocumentId } from '../mongo/versions/document-id.ts'
import type { FileRecord, NewFile } from './file-records.ts'
import type { FileInfo } from './file-info.ts'
import type { CropArea } from './crop-area.ts'
import { cropFile } from './crop-file.ts'
import { changePrivacy, type PrivacyDependencies } from './change-privacy.ts'
import { missingOrChanged } from './current-bytes.ts'
import type { ImageWork } from './images/image-work.ts'
import { prepareFile } from './prepare-file.ts'
import { discardNames, replaceBytes } from './replace-bytes.ts'
import type { ReceivedFile, Upload } from './receive-upload.ts'
import { storedNames } from './stored-names.ts'

export type MediaFile = FileRecord

export interface MediaLibrary {
  get(id: string): Promise<MediaFile | null>
  /** @throws ConflictError for a file in the trash */
  assertNotInTrash(documentId: string): Promise<void>
  /** Stores all files or none. @throws ConflictError if a given documentId is in the trash */
  add(
    upload: Upload,
    infos: readonly FileInfo[],
    attach: (records: readonly MediaFile[]) => Promise<void>,
    options?: AddOptions,
  ): Promise<readonly MediaFile[]>
  /** Keeps id and URL. After any failure the record and its files match: both old or both new. @throws ConflictError */
  replace(
    record: MediaFile,
    upload: Upload,
    file: ReceivedFile,
    info: FileInfo,
  ): Promise<MediaFile | null>
  /** Keeps the original, which null restores. @throws ValidationError, ConflictError, NotFoundError */
  crop(record: MediaFile, area: CropArea | null): Promise<MediaFile | null>
  edit(record: MediaFile, info: FileInfo): Promise<MediaFile | null>
  move(record: MediaFile, folder: string | null): Promise<MediaFile | null>
  /** Moves the file to the trash, if the trash keeps it. Returns false if there is no such file. */
  remove(record: MediaFile): Promise<boolean>
}

/** `infos` and `documentIds` are by position. */
export interface AddOptions {
  readonly documentIds?: readonly string[]
  /** Throws a ConflictError if a file with one of the `documentIds` is in the trash. */
  readonly refusesTrashed?: boolean
  readonly uploadedBy?: string | null
  readonly folder?: string | null
}

export interface MediaLibraryDependencies extends PrivacyDependencies {
  readonly images: ImageWork
}

export function openMediaLibrary(dependencies: MediaLibraryDependencies): MediaLibrary {
  const { records, storage, trash } = dependencies
  return {
    get: (id) => records.get(/^\d{1,15}$/.test(id) ? { id: Number(id) } : { documentId: id }),
    assertNotInTrash: async (documentId) => trash?.assertAbsent(documentId),
    add: (upload, infos, attach, options = {}) =>
      add(dependencies, upload, { infos, attach, ...options }),
    replace: async (record, upload, file, info) => {
      const { private: isPrivate = record.private === true, ...others } = info
      const current = await changePrivacy(dependencies, record, isPrivate)
      if (current === null) return null
      await trash?.settle(record.documentId)
      const replaced = await replaceBytes(dependencies, current, {
        incoming: { upload, file, info: others, replaced: current },
        changes: { name: others.name ?? file.name, original: null },
        noFormats: {},
        // A concurrent change of privacy has given the file other names.
        asOf: { onlyHash: current.hash },
      })
      return replaced ?? missingOrChanged(dependencies, current)
    },
    crop: (record, area) => cropFile(dependencies, record, area),
    edit: (record, info) => edit(dependencies, record, info),
    move: async ({ documentId }, folder) =>
      (await records.patch(documentId, { folder }))?.after ?? null,
    remove: async (record) => {
      const { documentId } = record
      if (trash?.keeps(record) === true) return trash.remove(documentId)
      const removed = await records.remove(documentId)
      if (removed === null) return false
      await discardNames(storage, storedNames(removed))
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
  { infos, attach, documentIds = [], refusesTrashed = false, uploadedBy = null, folder }: Adding,
): Promise<readonly MediaFile[]> {
  const { records, storage, trash } = dependencies
  const prepared = await Promise.all(
    upload.files.map((file, index) =>
      prepareFile(dependencies, { upload, file, info: infos[index] ?? {}, replaced: null }),
    ),
  )
  const files = prepared.map(({ values }, index) => {
    const documentId = documentIds[index] ?? newDocumentId()
    return { ...values, documentId, uploadedBy, ...(folder && { folder }) }
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
    // After the insert, which blocks others from storing and deleting the same file until the commit.
    const added = await records.add(files, async (session) => {
      const refused = refusesTrashed ? documentIds : []
      for (const documentId of refused) await trash?.assertAbsent(documentId, session)
    })
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
  if (movesFocus) await discardNames(storage, changed?.before.variants ?? [])
  return changed?.after ?? null
}
