import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../../base/errors.ts'
import { pathExists } from './path-exists.ts'

/** Error codes of file systems without user folders, such as /proc. */
const NOT_A_PLACE = new Set(['ENOENT', 'ENOTDIR'])

/**
 * Recursive `mkdir` never returns if it fails with ENOENT in an existing parent. Other errors are ignored, because a
 * read-only disk is sufficient with S3 and `MONGODB_URI`. @throws ConfigError if the folder is impossible
 */
export async function checkDataFolder(folder: string): Promise<void> {
  let missing = resolve(folder)
  if (await pathExists(missing)) return
  while (!(await pathExists(dirname(missing)))) missing = dirname(missing)
  try {
    await mkdir(missing)
    await rmdir(missing).catch(() => undefined) // another process uses it
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!NOT_A_PLACE.has(code ?? '')) return
    throw new ConfigError([`QUIRE_DATA_DIR: ${folder} cannot be created: ${message}`])
  }
}
