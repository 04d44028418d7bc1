import { ConflictError } from '../base/errors.ts'
import { type FileRecord, type FileRecords, hasSameBytes } from './file-records.ts'
import type { FileTrash } from './file-trash.ts'

export interface CurrentBytes {
  readonly records: FileRecords
  /** Null: files are deleted permanently. */
  readonly trash: FileTrash | null
}

/**
 * Runs `work`, which reads the bytes of the record.
 * @returns null if it failed because the file was deleted or its bytes were replaced or moved meanwhile
 * @throws other errors of `work`
 */
export async function whileCurrent<T>(
  { records, trash }: CurrentBytes,
  record: FileRecord,
  work: () => Promise<T | null>,
): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    // To be read before the record, because a move can end meanwhile.
    const isMoving = (await trash?.isMoving(record.documentId)) ?? false
    const current = await records.get({ documentId: record.documentId })
    if (!isMoving && current !== null && hasSameBytes(current, record)) throw error
    return null
  }
}

/** @returns null if there is no such file any more. @throws ConflictError otherwise */
export async function missingOrChanged(
  { records }: Pick<CurrentBytes, 'records'>,
  { documentId }: FileRecord,
): Promise<null> {
  if ((await records.get({ documentId })) === null) return null
  throw fileChanged()
}

export function fileChanged(): ConflictError {
  return new ConflictError('The file was changed by another request', {}, { code: 'file_changed' })
}
