import { realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { ApplicationError } from '../base/errors.ts'

/** Path parts may come from outside. Null for a missing file. @throws ApplicationError outside of the folder */
export async function findFileWithin(
  folder: string,
  parts: readonly string[],
): Promise<string | null> {
  const wanted = parts.join('/')
  if (parts.length === 0 || !parts.every(isPathPart)) throw leadsOut(wanted, folder)
  if (!isBelow(resolve(folder, ...parts), resolve(folder))) throw leadsOut(wanted, folder)
  const [file, root] = await Promise.all([
    realPathOf(resolve(folder, ...parts)),
    realPathOf(folder),
  ])
  if (file === null || root === null) return null
  if (!isBelow(file, root)) throw leadsOut(wanted, folder)
  return file
}

function isPathPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !/[/\\\0]/.test(part)
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

async function realPathOf(path: string): Promise<string | null> {
  return realpath(path).catch(() => null)
}

function leadsOut(path: string, folder: string): ApplicationError {
  return new ApplicationError(`${path} is no path of a file in ${folder}`)
}
