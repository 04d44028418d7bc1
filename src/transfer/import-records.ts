import { newUserValues } from '../accounts/accounts.ts'
import { USER } from '../accounts/users.ts'
import type { DocumentContext } from '../documents/context.ts'
import { ValidationError } from '../errors.ts'
import { findStoredVersionIds } from '../mongo/read/read-versions.ts'
import type { StoredVersion } from '../mongo/versions/stored-version.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { addVersions } from '../mongo/write/write-versions.ts'
import type { Data, Uid } from '../schema/definition.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ArchiveIndex } from './archive-index.ts'
import type { ArchiveEntity } from './scan-archive.ts'

/** What records are stored with: files and end users, which have one published version without a locale. */
export interface RecordsImport {
  readonly documents: DocumentContext
  readonly index: Pick<ArchiveIndex, 'linked'>
  /** The documentId that each role has here, by its id there. */
  readonly roles: ReadonlyMap<number, string>
  /** The id that each folder of files has here, by its id there. */
  readonly folders: ReadonlyMap<number, string>
  readonly keepsIds: boolean
  readonly leaveBehind: (sentence: string) => void
}

const KEY = { locale: NO_LOCALE, status: 'published' } as const
const FILE = 'plugin::upload.file'

/** What the archive knows of a file; the rest is made here when it is needed. */
const FILE_VALUES = [
  'name',
  'alternativeText',
  'caption',
  'focalPoint',
  'width',
  'height',
  'formats',
  'hash',
  'ext',
  'mime',
  'size',
  'url',
  'previewUrl',
] as const

/** Stores the records of files that are missing; their bytes come after them. Returns how many were new. */
export function importFileRecords(
  context: RecordsImport,
  rows: readonly ArchiveEntity[],
): Promise<number> {
  return storeMissing(context, FILE, rows, ({ id, data }) => {
    const [folder] = context.index.linked(FILE, id, 'folder')
    return {
      ...Object.fromEntries(FILE_VALUES.map((name) => [name, data[name] ?? null])),
      thumbhash: null,
      provider: 'local',
      provider_metadata: null,
      folder: folder === undefined ? null : (context.folders.get(folder.ref) ?? null),
    }
  })
}

/**
 * Stores the end users that are missing, with the hashes of their passwords: they sign in with the passwords
 * that they have. Codes from mails are not taken. Returns how many were new.
 */
export function importUsers(
  context: RecordsImport,
  rows: readonly ArchiveEntity[],
): Promise<number> {
  return storeMissing(context, USER, rows, ({ id, data }) => {
    const [role] = context.index.linked(USER, id, 'role')
    const values = newUserValues({
      username: String(data['username']),
      email: String(data['email']).toLowerCase(),
      password: textOf(data['password']),
      role: role === undefined ? null : (context.roles.get(role.ref) ?? null),
    })
    const { provider, confirmed, blocked } = data
    return {
      ...values,
      provider: typeof provider === 'string' ? provider : values.provider,
      confirmed: confirmed === true,
      blocked: blocked === true,
    }
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

async function storeMissing(
  { documents, keepsIds, leaveBehind }: RecordsImport,
  uid: Uid,
  rows: readonly ArchiveEntity[],
  valuesOf: (row: ArchiveEntity) => Data,
): Promise<number> {
  const { database, ids } = documents
  const plan = documents.contentType(uid)
  const idOf = ({ data }: ArchiveEntity): string => versionId(String(data['documentId']), KEY)
  const stored = await findStoredVersionIds(database, plan, rows.map(idOf))
  const missing = rows.filter((row) => !stored.has(idOf(row)))
  const numbers = keepsIds ? [] : await ids.take(plan.collectionName, missing.length)
  const versions = missing.map((row, index): StoredVersion => ({
    ...valuesOf(row),
    ...KEY,
    id: numbers[index] ?? row.id,
    documentId: String(row.data['documentId']),
    createdAt: new Date(String(row.data['createdAt'])),
    updatedAt: new Date(String(row.data['updatedAt'])),
    publishedAt: new Date(String(row.data['publishedAt'] ?? row.data['updatedAt'])),
  }))
  let added = 0
  for (const version of versions) {
    try {
      await addVersions(database, plan, [version])
      added += 1
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      leaveBehind(`${uid} ${version.documentId}: ${error.message}`)
    }
  }
  return added
}
