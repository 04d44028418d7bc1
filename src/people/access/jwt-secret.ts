import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../base/errors.ts'

const FILE = 'jwt-secret'

/** Creates a missing secret. Concurrent starts get the same one. @throws ConfigError if the file is empty. */
export async function keptJwtSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE)
  const kept = await readIfPresent(file)
  if (kept !== null) return kept
  await mkdir(dataDir, { recursive: true })
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true, // An empty file after a power failure would prevent every start.
    })
    // Unlike a rename, a link never replaces a file that another process has just created.
    await link(draft, file).catch(unless('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  const made = await readIfPresent(file)
  if (made === null) throw new Error(`${file} was made and is gone`)
  return made
}

async function readIfPresent(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(unless('ENOENT'))
  if (text === undefined) return null
  const secret = text.trim()
  if (secret === '')
    throw new ConfigError([`${file} is empty; remove it, and a new secret is made`])
  return secret
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined
    throw error
  }
}
