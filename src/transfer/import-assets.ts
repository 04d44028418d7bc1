import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isStorageName, type MediaStorage } from '../media/storage/storage.ts'
import type { ArchiveEntry } from './read-archive.ts'

export interface AssetsImport {
  readonly storage: MediaStorage
  readonly folder: string
  readonly leaveBehind: (sentence: string) => void
}

/** The folder of pictures before they were cropped. */
export const ORIGINALS = 'quire/originals/'

const BYTES = /^(?:assets\/uploads|quire\/originals)\/([^/]+)$/

/** A stored file of the same size stays. Returns whether it was new. */
export async function importAsset(
  { storage, folder, leaveBehind }: AssetsImport,
  { path, size, bytes }: ArchiveEntry,
): Promise<boolean> {
  const name = BYTES.exec(path)?.[1]
  if (name === undefined) {
    bytes.resume()
    return false
  }
  if (!isStorageName(name)) {
    bytes.resume()
    leaveBehind(`file ${basename(path)}: no name that is stored here`)
    return false
  }
  if ((await storage.get(name))?.size === size) {
    bytes.resume()
    return false
  }
  await mkdir(folder, { recursive: true })
  const temporary = await mkdtemp(join(folder, 'import-'))
  try {
    const file = join(temporary, 'file')
    await pipeline(bytes, createWriteStream(file))
    await storage.put(name, file)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  return true
}
