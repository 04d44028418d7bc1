import type { AsOf, ChangedFile, FileChanges, FileRecord, FileRecords } from './file-records.ts'
import type { ImageWork } from './images/image-work.ts'
import type { Keep, RetiredFiles } from './retired-files.ts'
import { type Incoming, type PreparedFile, prepareFile } from './prepare-file.ts'
import type { MediaStorage } from './storage/storage.ts'
import { namedByRecord, partsOf, plainName, storedNames } from './stored-names.ts'

export interface ReplaceDependencies {
  readonly storage: MediaStorage
  readonly records: FileRecords
  readonly images: ImageWork
  readonly retired: RetiredFiles
}

export interface Replacement {
  readonly incoming: Incoming
  /** Written together with the new bytes. */
  readonly changes: FileChanges
  readonly asOf: AsOf
  /** `formats` of a picture that is too small for other sizes. */
  readonly noFormats: Readonly<Record<string, never>> | null
  /** Runs in the transaction that switches the record. */
  readonly alongside?: Keep
}

/**
 * Stores new bytes next to the old ones until one write switches the record.
 * @returns null if the record is missing or has changed since `asOf`
 */
export async function replaceBytes(
  dependencies: ReplaceDependencies,
  record: FileRecord,
  replacement: Replacement,
): Promise<FileRecord | null> {
  const prepared = await prepareFile(dependencies, replacement.incoming)
  const { parts, generation } = prepared
  const replacing = { ...replacement, prepared }
  // Without a generation, the record has these names already.
  if (generation === undefined) return storeParts(dependencies, record, replacing)
  return dependencies.retired.announce([...parts.keys()], (keep) =>
    storeParts(dependencies, record, {
      ...replacing,
      alongside: async (session) => {
        await keep(session)
        await replacement.alongside?.(session)
      },
    }),
  )
}

async function storeParts(
  dependencies: ReplaceDependencies,
  record: FileRecord,
  { prepared, ...replacement }: Replacement & { readonly prepared: PreparedFile },
): Promise<FileRecord | null> {
  const { storage, records } = dependencies
  const { incoming, changes, asOf, noFormats, alongside } = replacement
  const { values, parts, generation } = prepared
  const added = [...parts.keys()]
  try {
    for (const [name, path] of parts) await storage.put(name, path)
    if (generation !== undefined) await makeRoom(storage, record)
  } catch (error) {
    const known = storedNames(record)
    const strays = added.filter((name) => !known.includes(name))
    await discardNames(storage, strays)
    throw error
  }
  const { width, height, thumbhash, mime, size } = values
  const written = {
    ...incoming.info,
    width,
    height,
    thumbhash,
    mime,
    size,
    formats: values.formats ?? noFormats,
    variants: [],
    ...(generation !== undefined && { generation }),
    ...changes,
  }
  const changed = await records.patch(record.documentId, written, asOf, alongside)
  await discardOutdated(dependencies, record, changed, added)
  return changed?.after ?? null
}

async function discardOutdated(
  { storage, records }: ReplaceDependencies,
  { documentId }: FileRecord,
  changed: ChangedFile | null,
  added: readonly string[],
): Promise<void> {
  const current = changed?.after ?? (await records.get({ documentId }))
  const kept = current === null ? [] : storedNames(current)
  const outdated = changed === null ? added : storedNames(changed.before)
  await discardNames(
    storage,
    outdated.filter((one) => !kept.includes(one)),
  )
}

/** Renames the stored files, because a file under its plain name is served without reading the record. */
async function makeRoom(storage: MediaStorage, record: FileRecord): Promise<void> {
  for (const part of partsOf(record)) {
    await storage.rename(plainName(part), namedByRecord(part, record.generation))
  }
}

export async function discardNames(
  storage: Pick<MediaStorage, 'remove'>,
  names: readonly string[],
): Promise<void> {
  for (const name of names) await storage.remove(name).catch(() => undefined)
}
