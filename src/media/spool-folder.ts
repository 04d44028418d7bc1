import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { NotFoundError } from '../base/errors.ts'
import { asDiskErrors } from './storage/disk-errors.ts'
import type { MediaStorage } from './storage/storage.ts'

/** Runs `work` with a new folder, which is removed afterwards. @throws ServiceUnavailableError if the disk refuses a write */
export function withSpoolFolder<T>(
  spoolFolder: string,
  prefix: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  return asDiskErrors(async () => {
    await mkdir(spoolFolder, { recursive: true })
    const folder = await mkdtemp(join(spoolFolder, prefix))
    try {
      return await work(folder)
    } finally {
      // The work is done, so that its result counts. The next start removes the folder.
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    }
  })
}

/** Another request can rename the file between the search and the read. */
const SEARCHES = 2

/** Copies the first name that is stored. @throws NotFoundError if none of them is */
export async function fetchStored(
  storage: Pick<MediaStorage, 'get'>,
  names: readonly string[],
  path: string,
): Promise<void> {
  let failure: unknown = new NotFoundError('The bytes of the file are missing')
  for (let search = 0; search < SEARCHES; search += 1) {
    for (const name of names) {
      const file = await storage.get(name)
      if (file === null) continue
      try {
        await pipeline(file.read(), createWriteStream(path))
        return
      } catch (error) {
        failure = error
      }
    }
  }
  throw failure
}
