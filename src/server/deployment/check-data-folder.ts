import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../../base/errors.ts'
import { pathExists } from './path-exists.ts'

/** `mkdir` fails with these where the file system holds no folders of users, such as /proc. */
const NOT_A_PLACE = new Set(['ENOENT', 'ENOTDIR'])

/**
 * Checks that a missing folder can be created, and leaves nothing behind: a dry run must not create it. Node's
 * recursive `mkdir` never returns where the parent exists and `mkdir` still fails with ENOENT, so the start
 * tries the topmost missing folder without it. Other errors are left to the users of the folder, because a
 * read-only disk is fine with S3 and `MONGODB_URI`.
 * @throws ConfigError if the file system cannot hold the folder
 */
export async function checkDataFolder(folder: string): Promise<void> {
  let missing = resolve(folder)
  if (await pathExists(missing)) return
  while (!(await pathExists(dirname(missing)))) missing = dirname(missing)
  try {
    await mkdir(missing)
    await rmdir(missing).catch(() => undefined) // another process uses it already
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!NOT_A_PLACE.has(code ?? '')) return
    throw new ConfigError([`QUIRE_DATA_DIR: ${folder} cannot be created: ${message}`])
  }
}
