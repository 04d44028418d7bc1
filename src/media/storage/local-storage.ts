import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  assertStorageName,
  isStorageName,
  type Leftover,
  type MediaStorage,
  type StoredFile,
  type StoredName,
  uploadsPath,
} from './storage.ts'

/** No storage name has it, so that half a copy is never served. */
const PART = '.part~'

/** Files in one folder of this machine, made when it does not exist. */
export async function openLocalStorage(folder: string): Promise<MediaStorage> {
  await mkdir(folder, { recursive: true })
  const pathOf = (name: string): string => {
    assertStorageName(name)
    return join(folder, name)
  }
  return {
    provider: 'local',
    put: (name, path) => move(path, pathOf(name)),
    rename: (from, to) => renameFile(pathOf(from), pathOf(to)),
    get: (name) => (isStorageName(name) ? getFile(pathOf(name)) : Promise.resolve(null)),
    remove: (name) => rm(pathOf(name), { force: true }),
    urlOf: uploadsPath,
    list: () => list(folder),
    leftovers: () => leftovers(folder),
  }
}

/** Whatever else lies in the folder is not ours. */
async function* list(folder: string): AsyncGenerator<StoredName> {
  for (const name of await readdir(folder)) {
    if (!isStorageName(name)) continue
    const file = await getFile(join(folder, name))
    if (file !== null) yield { name, modifiedAt: file.modifiedAt }
  }
}

async function* leftovers(folder: string): AsyncGenerator<Leftover> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(PART)) continue
    const path = join(folder, name)
    const file = await getFile(path)
    if (file === null) continue
    const remove = (): Promise<void> => rm(path, { force: true })
    yield { what: `half a copy, ${name}`, modifiedAt: file.modifiedAt, remove }
  }
}

async function getFile(path: string): Promise<StoredFile | null> {
  try {
    const { size, mtime, mtimeMs, ino } = await stat(path)
    return {
      size,
      etag: `"${[size, Math.round(mtimeMs * 1000), ino].map((part) => part.toString(36)).join('-')}"`,
      modifiedAt: mtime,
      read: (range) => createReadStream(path, { ...range }),
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function renameFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
    await syncFolder(dirname(to))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/**
 * A rename is one step, but cannot leave its file system. The bytes are on the disk before the name is, and both
 * before this ends: its record will be, and a power cut must not leave that alone.
 */
async function move(from: string, to: string): Promise<void> {
  await syncFile(from)
  try {
    await rename(from, to)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    const part = `${to}${PART}`
    await copyFile(from, part)
    await syncFile(part)
    await rename(part, to)
    await rm(from, { force: true })
  }
  await syncFolder(dirname(to))
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Its names. Windows cannot, and writes them in its own time. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code
}
