import { rememberBriefly } from '../base/remember-briefly.ts'
import type { FileRecord, FileRecords } from './file-records.ts'
import { revisionOf } from '../mongo/versions/version-fields.ts'
import { isStorageName, type MediaStorage, type StoredFile } from './storage/storage.ts'
import { namedByRecord, splitName } from './stored-names.ts'

export interface ServedFiles {
  get(address: string): Promise<NamedFile | null>
  /** The record of an address, also of a format, at most half a second ago. Null without one. */
  documentIdOf(address: string): Promise<string | null>
}

export interface NamedFile {
  readonly name: string
  readonly file: StoredFile
}

export interface ServedFilesDependencies {
  readonly storage: Pick<MediaStorage, 'get'>
  readonly records: Pick<FileRecords, 'getByHash'>
}

/** Purges are sent at least a second after the commit, so no response with an outdated tag follows them. */
const TAG_MEMORY = { forMs: 500, maxKeys: 10_000 } as const

export function openServedFiles({ storage, records }: ServedFilesDependencies): ServedFiles {
  const get = async (address: string, last: FileRecord | null): Promise<NamedFile | null> => {
    const plain = isStorageName(address) ? await storage.get(address) : null
    if (plain !== null) return { name: address, file: plain }
    const record = await getByAddress(records, address)
    if (record === null || (last !== null && revisionOf(last) === revisionOf(record))) return null
    const file = await storage.get(namedByRecord(splitName(address), record.generation))
    // A replacement after the record was read has removed these bytes.
    return file === null ? get(address, record) : { name: address, file }
  }
  const documentIdOf = rememberBriefly(
    async (address) => (await getByAddress(records, address))?.documentId ?? null,
    TAG_MEMORY,
  )
  return {
    get: (address) => get(address, null),
    documentIdOf: async (address) => (isStorageName(address) ? documentIdOf(address) : null),
  }
}

export async function getByAddress(
  records: Pick<FileRecords, 'getByHash'>,
  address: string,
): Promise<FileRecord | null> {
  if (!isStorageName(address)) return null
  const { hash, ext } = splitName(address)
  const record = await records.getByHash(hash)
  return record?.ext === ext ? record : null
}
