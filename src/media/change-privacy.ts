import { join } from 'node:path'
import type { OriginalFile } from './crop-area.ts'
import type { FileChanges, FileRecord, FormatValues } from './file-records.ts'
import { type CurrentBytes, fileChanged, whileCurrent } from './current-bytes.ts'
import { newHash } from './file-name.ts'
import { newOriginalHash } from './private-names.ts'
import type { RetiredFiles } from './retired-files.ts'
import { fetchStored, withSpoolFolder } from './spool-folder.ts'
import { asDiskErrors, tryAgain } from './storage/disk-errors.ts'
import { addressOfPart, type MediaStorage } from './storage/storage.ts'
import { namedByRecord, type Part, plainName, possibleNames, storedNames } from './stored-names.ts'

export interface PrivacyDependencies extends CurrentBytes {
  readonly storage: MediaStorage
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
  const { records, retired, trash } = dependencies
  await retired.prepare()
  let seen: FileRecord | null = record
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (seen === null || (seen.private === true) === isPrivate) return seen
    const current = seen
    await trash?.settle(record.documentId)
    const changed = await whileCurrent(dependencies, current, () =>
      switchNames(dependencies, current, isPrivate),
    )
    if (changed !== null) {
      await asDiskErrors(() => tryAgain(() => retired.finish()))
      return changed
    }
    seen = await records.get({ documentId: record.documentId })
  }
  throw fileChanged()
}

interface Copy {
  readonly from: readonly string[]
  readonly to: string
}

interface NewNames {
  readonly copies: readonly Copy[]
  readonly changes: FileChanges
}

async function switchNames(
  dependencies: PrivacyDependencies,
  record: FileRecord,
  isPrivate: boolean,
): Promise<FileRecord | null> {
  const { records, retired } = dependencies
  const { copies, changes } = newNames(dependencies, record, isPrivate)
  const names = copies.map(({ to }) => to)
  return retired.announce(names, async (keep) => {
    for (const { from, to } of copies) await copyStored(dependencies, from, to)
    const changed = await records.patch(record.documentId, changes, record, async (session) => {
      await keep(session)
      await retired.add(session, storedNames(record))
    })
    return changed?.after ?? null
  })
}

function newNames(
  { storage }: Pick<PrivacyDependencies, 'storage'>,
  record: FileRecord,
  isPrivate: boolean,
): NewNames {
  const { generation, ext } = record
  const hash = newHash(record.name, ext, isPrivate)
  const named = (part: Part): string =>
    generation === undefined ? plainName(part) : namedByRecord(part, generation)
  const copyOf = (from: Part, to: Part): Copy => {
    return { from: possibleNames(from, generation), to: named(to) }
  }
  const addressOf = (part: Part): string => addressOfPart(storage, plainName(part), generation)
  const own = { hash, ext }
  const formats = Object.entries(record.formats ?? {}).map(([name, format]) => {
    const part = { hash: `${name}_${hash}`, ext: format.ext }
    const values: FormatValues = { ...format, hash: part.hash, url: addressOf(part) }
    return { name, values, copy: copyOf(format, part) }
  })
  const original = renamedOriginal(record.original)
  const changes = {
    private: isPrivate,
    hash,
    url: addressOf(own),
    formats:
      record.formats === null
        ? null
        : Object.fromEntries(formats.map(({ name, values }) => [name, values])),
    variants: [],
    ...(original && { original: original.values }),
  }
  const copies = [copyOf(record, own), ...formats.map(({ copy }) => copy)]
  return { copies: original === null ? copies : [...copies, original.copy], changes }
}

/** Ends the addresses of the original that readers have. */
function renamedOriginal(
  original: OriginalFile | null | undefined,
): { readonly values: OriginalFile; readonly copy: Copy } | null {
  if (!original) return null
  const values = { ...original, hash: newOriginalHash() }
  return { values, copy: { from: [plainName(original)], to: plainName(values) } }
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
