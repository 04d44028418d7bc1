import Joi from 'joi'
import { ApplicationError, because, fault, NotFoundError, validationError } from '../base/errors.ts'
import { noteRow } from '../mongo/connection/commit-record.ts'
import type { Database, Session } from '../mongo/connection/database.ts'
import { openVersionedCache, type VersionedCache } from '../mongo/system/versioned-cache.ts'
import { ensureIndexes } from '../mongo/system/system-collections.ts'
import { newDocumentId } from '../mongo/versions/document-id.ts'
import { versionsOf } from '../mongo/versions/stored-version.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

/** Folders only organize files for editors. URLs of files do not depend on them. */
export interface Folder {
  readonly id: string
  readonly name: string
  readonly parent: string | null
  readonly path: string
}

export interface CountedFolder extends Folder {
  readonly files: number
}

export interface Folders {
  list(): Promise<readonly CountedFolder[]>
  ids(): Promise<readonly string[]>
  /** @throws ValidationError, NotFoundError for a missing parent */
  create(input: FolderInput): Promise<Folder>
  /** @throws ValidationError, NotFoundError, ApplicationError for a move into itself */
  update(id: string, input: Partial<FolderInput>): Promise<Folder>
  /** Maps each id to its id here. A folder with the same parent and name is reused. @throws ApplicationError */
  add(folders: readonly Omit<Folder, 'path'>[]): Promise<ReadonlyMap<string, string>>
  /** @throws NotFoundError, ApplicationError for a folder that is not empty */
  remove(id: string): Promise<Folder>
}

export interface FolderInput {
  readonly name: string
  readonly parent?: string | null
}

interface FolderRow {
  readonly _id: string
  readonly name: string
  readonly parent: string | null
}

const MAX_FOLDERS = 2_000
const MAX_DEPTH = 20

const FIELDS = {
  name: Joi.string()
    .max(100)
    .pattern(/^(?!\s)[^\p{Cc}/\\]+(?<!\s)$/u),
  parent: Joi.string().max(24).allow(null),
}
export const NEW_FOLDER = Joi.object<FolderInput>({ ...FIELDS, name: FIELDS.name.required() })
export const FOLDER_CHANGE = Joi.object<Partial<FolderInput>>(FIELDS)

interface FoldersContext {
  readonly db: Database
  readonly plan: ContentTypePlan
  readonly versionedCache: VersionedCache<readonly FolderRow[]>
}

export async function openFolders(
  db: Database,
  plan: ContentTypePlan,
  now: () => Date,
): Promise<Folders> {
  const rows = rowsOf(db)
  await ensureIndexes(rows, [{ key: { parent: 1, name: 1 }, name: 'parent_name', unique: true }])
  const load = (): Promise<FolderRow[]> => rows.find({}).toArray()
  const versionedCache = await openVersionedCache({ db, key: 'folders', firstChange: 0, load, now })
  const context = { db, plan, versionedCache }
  return {
    list: () => listFolders(context),
    ids: async () => (await versionedCache.current()).map(({ _id }) => _id),
    create: (input) => createFolder(context, input),
    update: (id, input) => updateFolder(context, id, input),
    add: (folders) => addFolders(context, folders),
    remove: (id) => removeFolder(context, id),
  }
}

export const FOLDER_TYPE = 'plugin::upload.folder'

function note(session: Session, op: 'put' | 'delete', { _id }: FolderRow): void {
  noteRow(session, op, { type: FOLDER_TYPE, documentId: _id })
}

const rowsOf = (db: Database) => db.table<FolderRow>('quire_folders')

function all(db: Database, session: Session): Promise<FolderRow[]> {
  return rowsOf(db).find({}, { session }).toArray()
}

async function listFolders({
  db,
  plan,
  versionedCache,
}: FoldersContext): Promise<readonly CountedFolder[]> {
  const rows = await versionedCache.current()
  const counted = await versionsOf(db, plan).aggregate<{
    readonly _id: string
    readonly files: number
  }>([
    { $match: { folder: { $in: rows.map(({ _id }) => _id) } } },
    { $group: { _id: '$folder', files: { $sum: 1 } } },
  ])
  const files = new Map(counted.map((row) => [row._id, row.files]))
  return rows
    .map((row) => ({ ...toFolder(rows, row), files: files.get(row._id) ?? 0 }))
    .sort((one, other) => one.path.localeCompare(other.path, 'en'))
}

function createFolder(
  { db, versionedCache }: FoldersContext,
  { name, parent = null }: FolderInput,
): Promise<Folder> {
  return versionedCache.change(async (session) => {
    const rows = await all(db, session)
    if (rows.length >= MAX_FOLDERS) {
      const message = `There are ${MAX_FOLDERS} folders`
      throw new ApplicationError(
        message,
        {},
        because(message, 'any.tooMany', { limit: MAX_FOLDERS }),
      )
    }
    const row = { _id: newDocumentId(), name, parent }
    assertFits([...rows, row], row)
    await rowsOf(db).insertOne(row, { session })
    note(session, 'put', row)
    return toFolder([...rows, row], row)
  })
}

function addFolders(
  { db, versionedCache }: FoldersContext,
  folders: readonly Omit<Folder, 'path'>[],
): Promise<ReadonlyMap<string, string>> {
  return versionedCache.change(async (session) => {
    const rows = await all(db, session)
    const ids = new Map<string, string>()
    const added: FolderRow[] = []
    for (const { id, name, parent: above } of folders) {
      const parent = above === null ? null : (ids.get(above) ?? above)
      const here =
        rows.find((row) => row._id === id) ??
        rows.find((row) => row.parent === parent && row.name === name)
      ids.set(id, here?._id ?? id)
      if (here !== undefined) continue
      if (rows.length >= MAX_FOLDERS) {
        const message = `There are ${MAX_FOLDERS} folders`
        throw new ApplicationError(
          message,
          {},
          because(message, 'any.tooMany', { limit: MAX_FOLDERS }),
        )
      }
      const row = { _id: id, name, parent }
      rows.push(row)
      assertFits(rows, row)
      added.push(row)
      note(session, 'put', row)
    }
    if (added.length > 0) await rowsOf(db).insertMany(added, { session })
    return ids
  })
}

function updateFolder(
  { db, versionedCache }: FoldersContext,
  id: string,
  input: Partial<FolderInput>,
): Promise<Folder> {
  return versionedCache.change(async (session) => {
    const rows = await all(db, session)
    const row = { ...rowOf(rows, id), ...input }
    const after = rows.map((one) => (one._id === id ? row : one))
    assertFits(after, row)
    const { name, parent } = row
    await rowsOf(db).updateOne({ _id: id }, { $set: { name, parent } }, { session })
    note(session, 'put', row)
    return toFolder(after, row)
  })
}

function removeFolder({ db, plan, versionedCache }: FoldersContext, id: string): Promise<Folder> {
  return versionedCache.change(async (session) => {
    const rows = await all(db, session)
    const row = rowOf(rows, id)
    const file = await versionsOf(db, plan).findOne({ folder: id }, { session })
    if (file !== null || rows.some(({ parent }) => parent === id)) {
      const message = 'The folder is not empty'
      throw new ApplicationError(message, {}, because(message, 'folder.notEmpty'))
    }
    await rowsOf(db).deleteOne({ _id: id }, { session })
    note(session, 'delete', row)
    return toFolder(rows, row)
  })
}

function rowOf(rows: readonly FolderRow[], id: string): FolderRow {
  const row = rows.find(({ _id }) => _id === id)
  if (row === undefined) throw new NotFoundError('There is no such folder')
  return row
}

function assertFits(rows: readonly FolderRow[], { _id, name, parent }: FolderRow): void {
  const isTaken = rows.some((row) => row._id !== _id && row.parent === parent && row.name === name)
  if (isTaken)
    throw validationError([
      fault(['name'], 'This attribute must be unique', name, { code: 'any.unique' }),
    ])
  let above = parent
  for (let depth = 0; above !== null; depth += 1) {
    if (above === _id || depth === MAX_DEPTH) {
      throw validationError([
        fault(['parent'], 'A folder cannot be within itself', parent, { code: 'folder.within' }),
      ])
    }
    const row = rows.find((one) => one._id === above)
    if (row === undefined) {
      throw validationError([
        fault(['parent'], 'There is no such folder', parent, { code: 'any.unknown' }),
      ])
    }
    above = row.parent
  }
}

function toFolder(rows: readonly FolderRow[], { _id, name, parent }: FolderRow): Folder {
  const names = [name]
  let above = parent
  while (above !== null && names.length <= MAX_DEPTH + 1) {
    const row = rows.find((one) => one._id === above)
    if (row === undefined) break
    names.unshift(row.name)
    above = row.parent
  }
  return { id: _id, name, parent, path: names.join('/') }
}
