import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CmsError } from '../base/errors.ts'
import {
  assertInside,
  cannotCrop,
  type CropArea,
  isSameArea,
  movedFocus,
  type OriginalFile,
  SEVERAL_PAGES,
  type Size,
  wholeOf,
} from './crop-area.ts'
import { type CurrentBytes, missingOrChanged, whileCurrent } from './current-bytes.ts'
import { HEAD_BYTES } from './detect-type.ts'
import type { FocalPoint } from './file-info.ts'
import type { FileRecord } from './file-records.ts'
import { type Incoming, isServedHere } from './prepare-file.ts'
import { newOriginalHash } from './private-names.ts'
import type { Keep } from './retired-files.ts'
import { replaceBytes, type ReplaceDependencies } from './replace-bytes.ts'
import { fetchStored, withSpoolFolder } from './spool-folder.ts'
import { plainName, possibleNames } from './stored-names.ts'

export interface CropDependencies extends ReplaceDependencies, CurrentBytes {
  readonly spoolFolder: string
}

const SCALABLE = 'image/svg+xml'

/**
 * Replaces the bytes by a part of the original, which is kept. Null restores the original.
 * @returns null if there is no such file any more
 * @throws ValidationError for a file that cannot be cropped and an area outside of it; ConflictError if its bytes have
 * changed meanwhile; NotFoundError if they are missing
 */
export async function cropFile(
  dependencies: CropDependencies,
  record: FileRecord,
  wanted: CropArea | null,
): Promise<FileRecord | null> {
  const whole = wholeOf(sizeOf(record))
  const area = partOf(whole, wanted)
  if (area === null && !record.original) return record
  const { trash, spoolFolder } = dependencies
  const focus = record.focalPoint as FocalPoint | null
  const focalPoint = movedFocus(focus, record.original?.crop ?? whole, area ?? whole)
  await trash?.settle(record.documentId)
  const changed = await whileCurrent(dependencies, record, () =>
    withSpoolFolder(spoolFolder, 'crop-', (folder) =>
      area === null
        ? restoreOriginal(dependencies, record, { folder, focalPoint })
        : storeCrop(dependencies, record, { folder, focalPoint, area }),
    ),
  )
  return changed ?? missingOrChanged(dependencies, record)
}

/** Null for the whole picture. @throws ValidationError for an area outside of it */
function partOf(whole: CropArea, wanted: CropArea | null): CropArea | null {
  if (wanted === null) return null
  assertInside(wanted, whole)
  return isSameArea(wanted, whole) ? null : wanted
}

/** @throws ValidationError for files without pixels */
function sizeOf({ original, width, height, mime }: FileRecord): Size {
  if (original) return original
  if (width !== null && height !== null && mime !== SCALABLE) return { width, height }
  throw cannotCrop('Only pictures that consist of pixels can be cropped')
}

interface Cropping {
  readonly folder: string
  readonly focalPoint: FocalPoint | null
}

async function restoreOriginal(
  dependencies: CropDependencies,
  record: FileRecord,
  { folder, focalPoint }: Cropping,
): Promise<FileRecord | null> {
  const path = join(folder, 'original')
  await fetchStored(dependencies.storage, originalNames(record), path)
  return replaceBytes(dependencies, record, {
    incoming: await incomingOf(record, folder, path),
    changes: { original: null, focalPoint },
    noFormats: noFormats(record),
    asOf: { onlyBytes: record },
  })
}

async function storeCrop(
  dependencies: CropDependencies,
  record: FileRecord,
  { folder, focalPoint, area }: Cropping & { readonly area: CropArea },
): Promise<FileRecord | null> {
  const { storage, retired } = dependencies
  const source = join(folder, 'original')
  const target = join(folder, 'cropped')
  await render(dependencies, { names: originalNames(record), source, target, area })
  const incoming = await incomingOf(record, folder, target)
  const original: OriginalFile = { ...(record.original ?? newOriginal(record)), crop: area }
  const replaceIn = (current: FileRecord, alongside?: Keep): Promise<FileRecord | null> =>
    replaceBytes(dependencies, current, {
      incoming,
      changes: { original, focalPoint },
      noFormats: noFormats(record),
      asOf: { onlyBytes: current },
      ...(alongside && { alongside }),
    })
  if (record.original) return replaceIn(record)
  return retired.announce([plainName(original)], async (keep) => {
    await storage.put(plainName(original), source)
    if (isServedHere(record, storage)) return replaceIn(record, keep)
    // A bucket has one name for old and new bytes, so the record must know the original before they are replaced.
    const claimed = await claim(dependencies, record, { original, keep })
    return claimed === null ? null : replaceIn(claimed)
  })
}

/** Null stays null, as an upload without other sizes has stored it. */
function noFormats({ formats }: FileRecord): Readonly<Record<string, never>> | null {
  return formats === null ? null : {}
}

async function claim(
  { records }: CropDependencies,
  record: FileRecord,
  { original, keep }: { readonly original: OriginalFile; readonly keep: Keep },
): Promise<FileRecord | null> {
  const changes = { original: { ...original, crop: null } }
  const changed = await records.patch(record.documentId, changes, { onlyBytes: record }, keep)
  return changed?.after ?? null
}

interface Rendering {
  readonly names: readonly string[]
  readonly source: string
  readonly target: string
  readonly area: CropArea
}

/** The original is read within the turn, so that waiting requests occupy no disk. */
async function render(
  { storage, images }: CropDependencies,
  { names, source, target, area }: Rendering,
): Promise<void> {
  try {
    await images.inTurn(
      async ({ run }) => {
        await fetchStored(storage, names, source)
        await run({ kind: 'crop', source, target, area })
      },
      { isUrgent: true },
    )
  } catch (error) {
    if (!(error instanceof Error) || error instanceof CmsError) throw error
    if (!('code' in error)) throw cannotCrop('The picture cannot be read')
    if (error.code === SEVERAL_PAGES)
      throw cannotCrop('A picture with several frames or pages cannot be cropped')
    throw error
  }
}

function newOriginal(record: FileRecord): OriginalFile {
  const { ext, mime, size } = record
  const { width, height } = sizeOf(record)
  return { hash: newOriginalHash(), ext, mime, size, width, height, crop: null }
}

function originalNames(record: FileRecord): readonly string[] {
  return record.original ? [plainName(record.original)] : possibleNames(record, record.generation)
}

async function incomingOf(record: FileRecord, folder: string, path: string): Promise<Incoming> {
  const { name, mime, original } = record
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const head = buffer.subarray(0, bytesRead)
    const file = { path, name, type: original?.mime ?? mime, size, head }
    const upload = { files: [file], fields: new Map(), ignored: new Set<string>(), folder }
    return { upload, file, info: {}, replaced: record }
  } finally {
    await handle.close()
  }
}
