import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'

export interface Binaries {
  readonly mongod: string
  readonly mongos: string
}

/**
 * Finds mongod and mongos in one folder of `MONGODB_BIN` or the PATH. Otherwise returns the missing
 * names.
 */
export async function findBinaries(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Binaries | { readonly missing: readonly string[] }> {
  const { MONGODB_BIN: named = '', PATH = '' } = env
  const folders = named === '' ? PATH.split(path.delimiter) : [named]
  const [mongod, mongos] = await Promise.all([search(folders, 'mongod'), search(folders, 'mongos')])
  if (mongod !== null && mongos !== null) return { mongod, mongos }
  return {
    missing: [...(mongod === null ? ['mongod'] : []), ...(mongos === null ? ['mongos'] : [])],
  }
}

async function search(folders: readonly string[], name: string): Promise<string | null> {
  const file = process.platform === 'win32' ? `${name}.exe` : name
  for (const folder of folders.filter((each) => each !== '')) {
    const candidate = path.join(folder, file)
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return candidate
  }
  return null
}
