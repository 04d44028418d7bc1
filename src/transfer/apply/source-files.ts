import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { ApplicationError } from '../../base/errors.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export type SourceFormat = 'json' | 'ndjson' | 'csv'

/** Holds roles and tokens, no content. */
export const ACCESS_FILE = 'access.json'

export interface SourceFile {
  readonly path: string | null
  readonly name: string
  readonly format: SourceFormat
  readonly plan: ContentTypePlan | null
  readonly locale: string | null
}

const FORMATS: ReadonlyMap<string, SourceFormat> = new Map([
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.csv', 'csv'],
])

/** Sorted by name: `article.csv`, `article.fr.json`, `02-article.ndjson`. @throws ApplicationError */
export async function findSources(
  path: string,
  types: ReadonlyMap<string, ContentTypePlan>,
): Promise<readonly SourceFile[]> {
  if (path === '-') {
    return [{ path: null, name: 'standard input', format: 'ndjson', plan: null, locale: null }]
  }
  if (basename(path) === ACCESS_FILE) return []
  if (!(await isFolder(path))) return [sourceOf(path, types)]
  const all = (await readdir(path, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort()
  if (all.length === 0) throw new ApplicationError(`${path}: there is no file in it`)
  const names = all.filter((name) => name !== ACCESS_FILE)
  return names.map((name) => sourceOf(join(path, name), types))
}

/** The file with roles and tokens at this path or in this folder. Null if there is none. */
export async function findAccessFile(path: string): Promise<string | null> {
  if (path === '-') return null
  if (basename(path) === ACCESS_FILE) return path
  if (!(await isFolder(path))) return null
  const names = await readdir(path)
  return names.includes(ACCESS_FILE) ? join(path, ACCESS_FILE) : null
}

/** The folder that paths in the files are relative to. Null for standard input. */
export async function folderOf(path: string): Promise<string | null> {
  if (path === '-') return null
  return (await isFolder(path)) ? path : dirname(path)
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new ApplicationError(`${path} cannot be read: ${code}`, {}, { cause: error })
  }
}

function sourceOf(path: string, types: ReadonlyMap<string, ContentTypePlan>): SourceFile {
  const name = basename(path)
  const format = FORMATS.get(extname(name).toLowerCase())
  if (format === undefined) {
    throw new ApplicationError(`${path}: expected a file .json, .ndjson, .jsonl or .csv`)
  }
  const [word = '', locale = null, ...others] = name
    .slice(0, -extname(name).length)
    .replace(/^\d+[-_]/, '')
    .split('.')
  const plan = types.get(word) ?? null
  if ((plan === null && format !== 'ndjson') || others.length > 0) {
    throw new ApplicationError(
      `${path}: expected a name such as article.${format} or article.fr.${format}, with the singular name of a content-type`,
    )
  }
  return { path, name, format, plan, locale: plan === null ? null : locale }
}
