import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { ApplicationError, because } from '../../base/errors.ts'

export interface FileChange {
  readonly file: string
  readonly text: string | null
}

/** Syncs the text under another name, then renames. If a write fails, earlier ones are reverted. */
export async function replaceFiles(folder: string, changes: readonly FileChange[]): Promise<void> {
  const before = await Promise.all(changes.map(({ file }) => readTextIfExists(file)))
  for (const { file } of changes) await assertWithin(folder, file)
  let done = 0
  try {
    for (const change of changes) {
      await replace(change)
      done += 1
    }
  } catch (error) {
    for (const [index, { file }] of changes.slice(0, done).entries()) {
      await replace({ file, text: before[index] ?? null })
    }
    throw error
  }
}

async function readTextIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function assertWithin(folder: string, file: string): Promise<void> {
  const root = await realpath(folder)
  const below = relative(folder, dirname(file))
    .split(sep)
    .filter((name) => name !== '')
  let at = root
  for (const name of below) {
    at = join(at, name)
    await mkdir(at).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
    if ((await realpath(at)) !== at) throw isLink(at, file)
  }
  const found = await lstat(file).catch(() => null)
  if (found?.isSymbolicLink() === true) throw isLink(file, file)
}

function isLink(link: string, file: string): ApplicationError {
  const message = `${link} is a link: ${file} is not written`
  return new ApplicationError(message, {}, because(message, 'declare.link', { name: link }))
}

async function replace({ file, text }: FileChange): Promise<void> {
  if (text === null) {
    await rm(file, { force: true })
    return
  }
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
