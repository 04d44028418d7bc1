import { join } from 'node:path'
import { ConflictError } from '../base/errors.ts'
import type { FileRecord, FileRecords, FormatValues } from './file-records.ts'
import { newHash } from './file-name.ts'
import { discardNames } from './replace-bytes.ts'
import type { RetiredFiles } from './retired-files.ts'
import { fetchStored, withSpoolFolder } from './spool-folder.ts'
import { asDiskErrors, tryAgain } from './storage/disk-errors.ts'
import { addressOfPart, type MediaStorage } from './storage/storage.ts'
import { namedByRecord, type Part, plainName, possibleNames, servedNames } from './stored-names.ts'

export interface PrivacyDependencies {
  readonly storage: MediaStorage
  readonly records: FileRecords
  readonly retired: RetiredFiles
  readonly spoolFolder: string
}

const ATTEMPTS = 3

/**
 * Stores the bytes under new names, because caches keep the old address for a year. One write
 * switches the record, then the old names are removed.
 * @throws ConflictError if the file keeps changing, NotFoundError if its bytes are missing, ServiceUnavailableError if the
 *   old names could not be removed yet
 */
export async function changePrivacy(
  dependencies: PrivacyDependencies,
  record: FileRecord,
  isPrivate: boolean,
): Promise<FileRecord | null> {
  if ((record.private === true) === isPrivate) return record
  const { records, retired } = dependencies
  await retired.prepare()
  let seen: FileRecord | null = record
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (seen === null || (seen.private === true) === isPrivate) return seen
    const changed = await switchNames(dependencies, seen, isPrivate)
    if (changed !== null) {
      await asDiskErrors(() => tryAgain(() => retired.finish()))
      return changed
    }
    seen = await records.get({ documentId: record.documentId })
  }
  throw new ConflictError('The file was changed by another request')
}

interface Copy {
  readonly from: readonly string[]
  readonly to: string
}

async function switchNames(
  dependencies: PrivacyDependencies,
  record: FileRecord,
  isPrivate: boolean,
): Promise<FileRecord | null> {
  const { storage, records, retired } = dependencies
  const { generation, documentId } = record
  const hash = newHash(record.name, record.ext, isPrivate)
  const named = (part: Part): string =>
    generation === undefined ? plainName(part) : namedByRecord(part, generation)
  const copyOf = (from: Part, to: Part): Copy => {
    return { from: possibleNames(from, generation), to: named(to) }
  }
  const addressOf = (part: Part): string => addressOfPart(storage, plainName(part), generation)
  const own = { hash, ext: record.ext }
  const formats = Object.entries(record.formats ?? {}).map(([name, format]) => {
    const part = { hash: `${name}_${hash}`, ext: format.ext }
    const values: FormatValues = { ...format, hash: part.hash, url: addressOf(part) }
    return { name, values, copy: copyOf(format, part) }
  })
  const copied: string[] = []
  try {
    for (const { from, to } of [copyOf(record, own), ...formats.map(({ copy }) => copy)]) {
      copied.push(to)
      await copyStored(dependencies, from, to)
    }
    const changes = {
      private: isPrivate,
      hash,
      url: addressOf(own),
      formats:
        record.formats === null
          ? null
          : Object.fromEntries(formats.map(({ name, values }) => [name, values])),
      variants: [],
    }
    const changed = await records.patch(documentId, changes, record, (session) =>
      retired.add(session, servedNames(record)),
    )
    if (changed !== null) return changed.after
  } catch (error) {
    await discardNames(storage, copied)
    throw error
  }
  await discardNames(storage, copied)
  return null
}

async function copyStored(
  { storage, spoolFolder }: PrivacyDependencies,
  from: readonly string[],
  to: string,
): Promise<void> {
  await withSpoolFolder(spoolFolder, 'privacy-', async (folder) => {
    const path = join(folder, 'file')
    await fetchStored(storage, from, path)
    await storage.put(to, path)
  })
}
