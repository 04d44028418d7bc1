import { constants, createReadStream } from 'node:fs'
import { access, copyFile, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../../base/errors.ts'
import {
  assertStorageName,
  isStorageName,
  type Leftover,
  type MediaStorage,
  type StoredFile,
  type StoredName,
  uploadsPath,
} from './storage.ts'

const PART = '.part~'

/** @throws ConfigError if the folder cannot be used */
export async function openLocalStorage(folder: string): Promise<MediaStorage> {
  await assertWritable(folder)
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

async function assertWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const message = `QUIRE_DATA_DIR: ${folder} must be a folder that files can be written to (${why})`
    throw new ConfigError([message])
  }
}

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

/** Returns null also for links, which may lead anywhere, and for other non-files. */
async function getFile(path: string): Promise<StoredFile | null> {
  try {
    const found = await lstat(path)
    if (!found.isFile()) return null
    const { size, mtime, mtimeMs, ino } = found
    return {
      size,
      etag: `"${[size, Math.round(mtimeMs * 1000), ino].map((part) => part.toString(36)).join('-')}"`,
      modifiedAt: mtime,
      read: (range) => createReadStream(path, { ...range, flags: READ_NO_LINK }),
    }
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return null
    throw error
  }
}

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

/** Does not follow a link created after the check. `O_NOFOLLOW` does not exist on Windows. */
const READ_NO_LINK = (constants.O_RDONLY | constants.O_NOFOLLOW) as unknown as string

async function renameFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
    await syncFolder(dirname(to))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Atomic. Syncs bytes and name: a power failure must not leave a record without its file. */
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

/** Syncs the names in a folder. Not supported on Windows. */
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
