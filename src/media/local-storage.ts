import { createReadStream } from 'node:fs'
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageName, type MediaStorage, type StoredFile } from './storage.ts'

/** Files in one folder of this machine, made when it does not exist. */
export async function openLocalStorage(folder: string): Promise<MediaStorage> {
  await mkdir(folder, { recursive: true })
  const pathOf = (name: string): string => {
    if (!isStorageName(name)) throw new Error(`${JSON.stringify(name)} is no name of a stored file`)
    return join(folder, name)
  }
  return {
    provider: 'local',
    put: (name, path) => move(path, pathOf(name)),
    get: (name) => (isStorageName(name) ? getFile(pathOf(name)) : Promise.resolve(null)),
    remove: (name) => rm(pathOf(name), { force: true }),
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

/** A rename is one step, but cannot leave its file system. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    const part = `${to}.part`
    await copyFile(from, part)
    await rename(part, to)
    await rm(from, { force: true })
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code
}
