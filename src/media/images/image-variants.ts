import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ValidationError } from '../../base/errors.ts'
import type { FileRecord, FileRecords } from '../file-records.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { FocalPoint } from '../file-info.ts'
import { withSpoolFolder } from '../spool-folder.ts'
import { getByAddress, type NamedFile, type ServedFiles } from '../served-files.ts'
import { isStorageName, type MediaStorage, type StoredFile } from '../storage/storage.ts'
import { namedByRecord, type Part, possibleNames, splitName } from '../stored-names.ts'
import { isOriginal, variantName, type VariantRequest } from './variant-request.ts'
import type { ImageProcesses } from './image-processes.ts'
import type { ImageWork } from './image-work.ts'
import { shareWork } from './share-work.ts'

export interface ImageVariants {
  /** Null if the image is missing or being replaced. @throws ValidationError, ServiceUnavailableError */
  get(address: string, variant: VariantRequest, asker: Asker): Promise<NamedFile | null>
}

export interface Asker {
  readonly gone: AbortSignal
  waitFor<T>(wait: () => Promise<T>): Promise<T>
}

export interface ImageVariantsDependencies {
  readonly storage: MediaStorage
  readonly records: Pick<FileRecords, 'getByHash' | 'addVariant'>
  readonly files: ServedFiles
  readonly images: ImageWork
  readonly spoolFolder: string
}

const MAX_VARIANTS = 200

const SCALABLE = 'image/svg+xml'

export function openImageVariants(dependencies: ImageVariantsDependencies): ImageVariants {
  const { storage, records, files, images } = dependencies
  const shared = shareWork<NamedFile | null>()
  const makeOnce = (work: Making, gone: AbortSignal): Promise<NamedFile | null> =>
    shared(work.made, gone, (signal) =>
      images.inTurn((processes) => make(dependencies, processes, work, signal), { signal }),
    )
  const get = async (
    address: string,
    variant: VariantRequest,
    asker: Asker,
    last: FileRecord | null,
  ): Promise<NamedFile | null> => {
    const atHand = await getAtHand(storage, address, variant)
    if (atHand !== null) return atHand
    const seen = await getByAddress(records, address)
    if (seen === null || (last !== null && revisionOf(last) === revisionOf(seen))) return null
    if (seen.width === null)
      throw new ValidationError(`${address} is not an image that can be converted`)
    if (isOriginal(variant) || seen.mime === SCALABLE) return files.get(address)
    const made = variantName(stemOf(address, seen), seen.ext, variant)
    const known = await getMade(storage, seen, made)
    const found =
      known ?? (await asker.waitFor(() => makeOnce({ address, seen, made, variant }, asker.gone)))
    // The record changed during rendering, so try again with the new one.
    return found ?? get(address, variant, asker, seen)
  }
  return { get: (address, variant, asker) => get(address, variant, asker, null) }
}

async function getAtHand(
  storage: MediaStorage,
  address: string,
  variant: VariantRequest,
): Promise<NamedFile | null> {
  if (isOriginal(variant) || !isStorageName(address)) return null
  const { hash, ext } = splitName(address)
  const name = variantName(hash, ext, variant)
  const [original, file] = await Promise.all([storage.get(address), storage.get(name)])
  return original === null || file === null ? null : { name, file }
}

function stemOf(address: string, { generation }: FileRecord): string {
  const part = splitName(address)
  return generation === undefined ? part.hash : splitName(namedByRecord(part, generation)).hash
}

async function getMade(
  storage: MediaStorage,
  record: FileRecord,
  made: string,
): Promise<NamedFile | null> {
  const file = record.variants?.includes(made) === true ? await storage.get(made) : null
  return file === null ? null : { name: made, file }
}

interface Making {
  readonly address: string
  readonly seen: FileRecord
  readonly made: string
  readonly variant: VariantRequest
}

/** If the record changed meanwhile, the variant is outdated and is removed. */
async function make(
  { storage, records, spoolFolder }: ImageVariantsDependencies,
  processes: ImageProcesses,
  { address, seen, made, variant }: Making,
  signal: AbortSignal,
): Promise<NamedFile | null> {
  const record = await getByAddress(records, address)
  if (record === null || record.generation !== seen.generation) return null
  // Another process may have finished the same variant. Writing it again would look like a new file to clients.
  const known = await getMade(storage, record, made)
  if (known !== null) return known
  const original = await getOriginal(storage, splitName(address), record.generation)
  if (original === null) return null
  await withSpoolFolder(spoolFolder, 'variant-', async (folder) => {
    const source = join(folder, address)
    const target = join(folder, made)
    const focalPoint = record.focalPoint as FocalPoint | null
    await pipeline(original.read(), createWriteStream(source))
    await processes.run({ kind: 'render', source, target, variant, focalPoint }, signal)
    await storage.put(made, target)
  })
  const forgotten = await records.addVariant(record, made, MAX_VARIANTS)
  for (const outdated of forgotten ?? [made]) await storage.remove(outdated)
  const file = forgotten === null ? null : await storage.get(made)
  return file === null ? null : { name: made, file }
}

async function getOriginal(
  storage: MediaStorage,
  part: Part,
  generation: string | undefined,
): Promise<StoredFile | null> {
  for (const name of possibleNames(part, generation)) {
    const file = await storage.get(name)
    if (file !== null) return file
  }
  return null
}
