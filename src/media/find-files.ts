import type { Document } from 'mongodb'
import type { ContentTypePlan } from '../schema/plan.ts'
import { FILE_TEXTS, FILE_TRANSLATIONS } from '../schema/definition.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { Database } from '../mongo/connection/database.ts'
import { findReferencePaths } from '../mongo/read/reference-paths.ts'
import { asVersion, versionsOf } from '../mongo/versions/stored-version.ts'
import type { FileRecord } from './file-records.ts'

export const FILE_KINDS = ['image', 'video', 'audio', 'file'] as const
export type FileKind = (typeof FILE_KINDS)[number]

export const FILE_ORDERS = ['name', 'createdAt', 'updatedAt', 'size'] as const
export type FileOrder = (typeof FILE_ORDERS)[number]

export interface FileSearch {
  readonly folder: { readonly id: string } | { readonly others: readonly string[] } | null
  readonly text: string | null
  /** The locales whose texts are searched besides the file's own. */
  readonly locales: readonly string[]
  readonly kind: FileKind | null
  readonly isPrivate: boolean | null
  readonly order: FileOrder
  readonly direction: 'asc' | 'desc'
}

export interface FilePart {
  readonly start: number
  readonly size: number
}

/** The limit of paging. A higher total is reported as capped. */
const MAX_FILES = 5_000

export interface FoundFiles {
  readonly files: readonly FileRecord[]
  readonly total: number
  readonly capped: boolean
}

export async function findFiles(
  database: Database,
  plan: ContentTypePlan,
  search: FileSearch,
  { start, size }: FilePart,
): Promise<FoundFiles> {
  const match = matchOf(search)
  const [files, total] = await Promise.all([
    versionsOf(database, plan).find(match).sort(sortOf(search)).skip(start).limit(size).toArray(),
    versionsOf(database, plan).countDocuments(match, {
      limit: database.countLimit,
    }),
  ])
  return {
    files: files.map((file) => asVersion(plan, file) as FileRecord),
    total,
    capped: total === database.countLimit,
  }
}

interface FileAttribute {
  readonly plan: ContentTypePlan
  readonly path: string
}

export function findFileAttributes(
  { uid }: ContentTypePlan,
  types: readonly ContentTypePlan[],
): readonly FileAttribute[] {
  return types.flatMap((type) =>
    findReferencePaths(uid, type).map(({ path }) => ({ plan: type, path })),
  )
}

export async function findUnusedFiles(
  database: Database,
  plan: ContentTypePlan,
  search: FileSearch,
  places: readonly FileAttribute[],
  { start, size }: FilePart,
): Promise<FoundFiles> {
  const candidates = await versionsOf(database, plan)
    .find(matchOf(search), { projection: { documentId: 1 } })
    .sort(sortOf(search))
    .limit(MAX_FILES + 1)
    .toArray()
  const ids = candidates.slice(0, MAX_FILES).map((row) => String(row['documentId']))
  const used = await findUsed(database, places, ids)
  const unused = ids.filter((id) => !used.has(id))
  const shown = unused.slice(start, start + size)
  const found = await versionsOf(database, plan)
    .find({ ...KEY, documentId: { $in: shown } })
    .toArray()
  const byId = new Map(found.map((file) => [String(file['documentId']), asVersion(plan, file)]))
  return {
    files: shown.flatMap((id) => (byId.get(id) as FileRecord | undefined) ?? []),
    total: unused.length,
    capped: candidates.length > MAX_FILES,
  }
}

const CHUNK = 500

async function findUsed(
  database: Database,
  places: readonly FileAttribute[],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  for (let start = 0; start < ids.length; start += CHUNK) {
    const chunk = ids.slice(start, start + CHUNK)
    for (const { plan, path } of places) {
      const named = await versionsOf(database, plan).distinct(path, { [path]: { $in: chunk } })
      named.forEach((id) => used.add(String(id)))
    }
  }
  return used
}

const KEY = { locale: NO_LOCALE, status: 'published' } as const

function matchOf({ folder, text, locales, kind, isPrivate }: FileSearch): Document {
  const match: Document = { ...KEY }
  if (folder !== null && 'id' in folder) match['folder'] = folder.id
  if (folder !== null && 'others' in folder) match['folder'] = { $nin: [...folder.others] }
  if (kind !== null) match['mime'] = MIME[kind]
  if (isPrivate !== null) match['private'] = isPrivate ? true : { $ne: true }
  if (text !== null) {
    const contains = { $regex: escaped(text), $options: 'i' }
    const translated = locales.flatMap((code) =>
      FILE_TEXTS.map((name) => `${FILE_TRANSLATIONS}.${code}.${name}`),
    )
    match['$or'] = ['name', ...FILE_TEXTS, ...translated].map((name) => ({ [name]: contains }))
  }
  return match
}

const MIME: Readonly<Record<FileKind, Document>> = {
  image: { $regex: '^image/' },
  video: { $regex: '^video/' },
  audio: { $regex: '^audio/' },
  file: { $not: { $regex: '^(?:image|video|audio)/' } },
}

function sortOf({ order, direction }: FileSearch): Record<string, 1 | -1> {
  const sign = direction === 'asc' ? 1 : -1
  return { [order]: sign, id: sign }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
