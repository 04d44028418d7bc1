import type { FileRecord, FileRecords } from './file-records.ts'
import { NotImplementedError, ValidationError } from '../base/errors.ts'
import { spooledUploads } from './receive-upload.ts'
import type { ResumableUploads } from './resumable/resumable-uploads.ts'
import type { Leftover, MediaStorage } from './storage/storage.ts'
import type { TrashMoves } from './trash-moves.ts'
import { trashedName } from './trashed-names.ts'
import { type Part, partsOf, plainName, possibleNames, storedNames } from './stored-names.ts'

export interface MediaStores {
  readonly storage: MediaStorage
  readonly records: FileRecords
  readonly moves: Pick<TrashMoves, 'unsettled' | 'finish'>
  readonly resumable: Pick<ResumableUploads, 'storedNames'>
  readonly spoolFolder: string
}

export interface CheckOptions {
  readonly repair: boolean
  readonly before: Date
}

export type MediaFault =
  /** Repair removes the record. Entries that use it then show null. */
  | { readonly kind: 'record-without-file'; readonly what: string }
  | { readonly kind: 'format-without-file'; readonly what: string }
  /** Repair keeps the cropped picture, which cannot be reset then. */
  | { readonly kind: 'original-without-file'; readonly what: string }
  | { readonly kind: 'file-without-record'; readonly what: string }
  | { readonly kind: 'leftover'; readonly what: string }

export interface MediaReport {
  readonly records: number
  readonly files: number
  readonly faults: readonly MediaFault[]
  readonly repaired: boolean
  readonly young: number
  readonly foreign: number
  readonly unchecked: readonly string[]
}

interface Finding {
  readonly fault: MediaFault
  readonly repair: () => Promise<unknown>
}

/** Skips recent files, so that a server may run. @throws ValidationError if a repair would remove every record */
export async function checkMedia(stores: MediaStores, options: CheckOptions): Promise<MediaReport> {
  if (options.repair) await stores.moves.finish()
  const stored = new Map<string, Date>()
  for await (const { name, modifiedAt } of stores.storage.list()) stored.set(name, modifiedAt)
  // Twice, because a file can be restored or deleted while the records are read.
  const trashed = await readTrashedNames(stores)
  const { known, ...records } = await checkRecords(stores, stored)
  for (const name of [...trashed, ...(await readTrashedNames(stores))]) known.add(name)
  for (const name of await stores.resumable.storedNames()) known.add(name)
  if (options.repair && stored.size === 0 && records.findings.length > 0) {
    throw new ValidationError(
      `The storage is empty, but there are ${records.count} file records: is this the right storage? Nothing was changed`,
    )
  }
  const files = await checkFiles(stores.storage, stored, known, options.before)
  const left = await checkLeftovers(stores, options.before)
  const findings = [...records.findings, ...files.findings, ...left.findings]
  if (options.repair) for (const { repair } of findings) await repair()
  return {
    records: records.count,
    files: stored.size,
    faults: findings.map(({ fault }) => fault),
    repaired: options.repair,
    young: files.young + left.young,
    foreign: records.foreign,
    unchecked: left.unchecked,
  }
}

async function checkRecords(
  stores: MediaStores,
  stored: ReadonlyMap<string, Date>,
): Promise<{
  readonly findings: readonly Finding[]
  readonly known: Set<string>
  readonly count: number
  readonly foreign: number
}> {
  const findings: Finding[] = []
  const known = new Set<string>()
  let count = 0
  let foreign = 0
  for await (const record of stores.records.all()) {
    count += 1
    for (const name of storedNames(record)) known.add(name)
    if (record.provider !== stores.storage.provider) foreign += 1
    else {
      findings.push(...(await findLost(stores, record, stored)))
      findings.push(...(await findLostOriginal(stores, record, stored)))
    }
  }
  return { findings, known, count, foreign }
}

/** Both names, because a move can be incomplete. */
async function readTrashedNames({ records, moves }: MediaStores): Promise<readonly string[]> {
  const names = (await moves.unsettled()).flatMap((moving) => moving.names)
  for await (const { deletion, record } of records.trashed()) {
    for (const name of storedNames(record)) names.push(name, trashedName(name, deletion))
  }
  return names
}

async function checkFiles(
  storage: MediaStorage,
  stored: ReadonlyMap<string, Date>,
  known: ReadonlySet<string>,
  before: Date,
): Promise<{ readonly findings: readonly Finding[]; readonly young: number }> {
  const findings: Finding[] = []
  let young = 0
  for (const [name, modifiedAt] of stored) {
    if (known.has(name)) continue
    if (modifiedAt > before) young += 1
    else findings.push(...(await findStray(storage, name)))
  }
  return { findings, young }
}

async function checkLeftovers(
  { storage, spoolFolder }: MediaStores,
  before: Date,
): Promise<{
  readonly findings: readonly Finding[]
  readonly young: number
  readonly unchecked: readonly string[]
}> {
  const findings: Finding[] = []
  const unchecked: string[] = []
  let young = 0
  for (const leftovers of [storage.leftovers(), spooledUploads(spoolFolder)]) {
    const found = await byAge(leftovers, before, unchecked)
    young += found.young
    findings.push(...found.old.map(toFinding))
  }
  return { findings, young, unchecked }
}

async function findLost(
  { storage, records, moves }: MediaStores,
  { documentId, ...seen }: FileRecord,
  stored: ReadonlyMap<string, Date>,
): Promise<readonly Finding[]> {
  const isListed = (part: Part): boolean =>
    possibleNames(part, seen.generation).some((name) => stored.has(name))
  if (partsOf(seen).every(isListed)) return []
  const record = await records.get({ documentId })
  if (record === null) return []
  if (await isMoving(moves, documentId)) return []
  const isLost = async (part: Part): Promise<boolean> => {
    for (const name of possibleNames(part, record.generation)) {
      if (stored.has(name) || (await storage.get(name)) !== null) return false
    }
    return true
  }
  if (await isLost(record)) {
    const what = `${record.id} (${record.name}): ${plainName(record)}`
    return [
      {
        fault: { kind: 'record-without-file', what },
        repair: () => records.remove(documentId, record),
      },
    ]
  }
  const formats = Object.entries(record.formats ?? {})
  const lost: Part[] = []
  for (const [, format] of formats) if (await isLost(format)) lost.push(format)
  if (lost.length === 0) return []
  const kept = formats.filter(([, format]) => !lost.includes(format))
  const what = `${record.id} (${record.name}): ${lost.map(plainName).join(', ')}`
  const repair = (): Promise<unknown> =>
    records.patch(documentId, { formats: Object.fromEntries(kept) }, record)
  return [{ fault: { kind: 'format-without-file', what }, repair }]
}

async function findLostOriginal(
  { storage, records, moves }: MediaStores,
  { documentId, original }: FileRecord,
  stored: ReadonlyMap<string, Date>,
): Promise<readonly Finding[]> {
  if (!original || stored.has(plainName(original))) return []
  const record = await records.get({ documentId })
  if (record?.original?.hash !== original.hash || (await isMoving(moves, documentId))) return []
  if ((await storage.get(plainName(original))) !== null) return []
  return [
    {
      fault: {
        kind: 'original-without-file',
        what: `${record.id} (${record.name}): ${plainName(original)}`,
      },
      repair: () => records.patch(documentId, { original: null }, record),
    },
  ]
}

/** To be read before the storage, because the move of a restored file can end meanwhile. */
async function isMoving(moves: MediaStores['moves'], documentId: string): Promise<boolean> {
  return (await moves.unsettled()).some((file) => file.documentId === documentId)
}

/** Checks again, because another process may have removed the file after the record. */
async function findStray(storage: MediaStorage, name: string): Promise<readonly Finding[]> {
  if ((await storage.get(name)) === null) return []
  return [
    {
      fault: { kind: 'file-without-record', what: name },
      repair: () => storage.remove(name),
    },
  ]
}

async function byAge(
  leftovers: AsyncIterable<Leftover>,
  before: Date,
  unchecked: string[],
): Promise<{ readonly old: readonly Leftover[]; readonly young: number }> {
  const old: Leftover[] = []
  let young = 0
  try {
    for await (const leftover of leftovers) {
      if (leftover.modifiedAt > before) young += 1
      else old.push(leftover)
    }
  } catch (error) {
    if (!(error instanceof NotImplementedError)) throw error
    unchecked.push(error.message)
  }
  return { old, young }
}

function toFinding({ what, remove }: Leftover): Finding {
  return { fault: { kind: 'leftover', what }, repair: remove }
}
