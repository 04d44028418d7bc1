import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Access } from '../../../../src/people/access/access.ts'
import { UnauthorizedError } from '../../../../src/base/errors.ts'

const NAME = 'Demo'
const DESCRIPTION = 'Made by npm run demo: reads everything, drafts included.'

/** Readable only by the owner of the file. */
const PRIVATE = 0o600

/**
 * The key of a valid read-only API token. The server stores only a hash, so the key is kept in
 * `file`. If the key is lost or refused, the token gets a new key.
 */
export async function ensureDemoToken(
  access: Pick<Access, 'apiTokens' | 'principalOf'>,
  file: string,
): Promise<string> {
  const kept = await readKept(file)
  if (kept !== null && (await isGood(access, kept))) return kept
  const accessKey = await newKey(access)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${accessKey}\n`, { mode: PRIVATE })
  return accessKey
}

async function readKept(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function isGood(access: Pick<Access, 'principalOf'>, key: string): Promise<boolean> {
  try {
    return (await access.principalOf(`Bearer ${key}`)).kind === 'apiToken'
  } catch (error) {
    if (error instanceof UnauthorizedError) return false
    throw error
  }
}

async function newKey({ apiTokens }: Pick<Access, 'apiTokens'>): Promise<string> {
  const ours = (await apiTokens.list()).find(({ name }) => name === NAME)
  const { accessKey } =
    ours === undefined
      ? await apiTokens.create({ name: NAME, description: DESCRIPTION, type: 'read-only' })
      : await apiTokens.regenerate(ours.id)
  return accessKey
}
