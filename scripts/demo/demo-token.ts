import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Access } from '../../src/people/access/access.ts'
import { UnauthorizedError } from '../../src/base/errors.ts'

const NAME = 'Demo'
const DESCRIPTION = 'Made by npm run demo: reads everything, drafts included.'

/** Of the file: its owner alone may read it. */
const PRIVATE = 0o600

/**
 * The key of a read-only API token that works. The server stores no keys, so this one is kept in `file`
 * to be shown again; where it is lost or refused, the demo's token gets a new one.
 */
export async function demoToken(
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
