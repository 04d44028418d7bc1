import { newUserValues } from '../people/accounts/accounts.ts'
import { ANONYMOUS_PROVIDER, USER, type UserValues } from '../people/accounts/users.ts'
import type { DocumentContext } from '../content/context.ts'
import type { Locales } from '../content/locales/locales.ts'
import {
  importDocuments,
  type ImportedVersion,
  type VersionOrigin,
} from './import/import-documents.ts'
import { ValidationError } from '../base/errors.ts'
import {
  mergeTranslations,
  type ParseRules,
  parseTranslations,
} from '../media/file-translations.ts'
import { BYTE_ATTRIBUTES } from '../media/file-records.ts'
import { isPrivateName } from '../media/private-names.ts'
import { findStoredVersionIds } from '../mongo/read/get-versions.ts'
import type { StoredVersion } from '../mongo/versions/stored-version.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { addVersions } from '../mongo/write/add-versions.ts'
import { addedAttributes } from '../schema/built-in-types.ts'
import { FILE_TEXTS, FILE_TRANSLATIONS, type Data, type Uid } from '../schema/definition.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ArchiveIndex } from './archive-index.ts'
import { valuesOf, type ValueSources } from './archive-values.ts'
import type { ArchiveEntity } from './scan-archive.ts'

export interface RecordsImport {
  readonly documents: DocumentContext
  readonly index: Pick<ArchiveIndex, 'linked'>
  readonly roles: ReadonlyMap<number, string>
  readonly folders: ReadonlyMap<number, string>
  readonly keepsIds: boolean
  readonly leaveBehind: (sentence: string) => void
}

export interface FilesImport extends RecordsImport {
  readonly locales: Pick<Locales, 'current'>
}

export type UserSources = Pick<ValueSources, 'index' | 'defaultLocale' | 'planOf'>

const KEY = { locale: NO_LOCALE, status: 'published' } as const
const FILE = 'plugin::upload.file'

const FILE_VALUES = ['name', ...FILE_TEXTS, 'focalPoint', ...BYTE_ATTRIBUTES] as const

export async function importFileRecords(
  context: FilesImport,
  rows: readonly ArchiveEntity[],
): Promise<number> {
  const locales = await context.locales.current()
  return storeMissing(context, FILE, rows, (row) => {
    const { id, data } = row
    const [folder] = context.index.linked(FILE, id, 'folder')
    return {
      ...Object.fromEntries(FILE_VALUES.map((name) => [name, data[name] ?? null])),
      ...translationsOf(row, locales, context),
      private: isPrivateName(String(data['hash'])), // decides how the bytes are served
      thumbhash: null,
      provider: 'local',
      provider_metadata: null,
      folder: folder === undefined ? null : (context.folders.get(folder.ref) ?? null),
    }
  })
}

function translationsOf(
  { data }: ArchiveEntity,
  locales: ParseRules['locales'],
  { leaveBehind }: Pick<FilesImport, 'leaveBehind'>,
): Data {
  try {
    const sent = data[FILE_TRANSLATIONS] ?? null
    const change = parseTranslations(sent, { locales, assertKeys: () => undefined })
    const translations = mergeTranslations(null, change)
    return translations === null ? {} : { [FILE_TRANSLATIONS]: translations }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    leaveBehind(`${FILE} ${String(data['documentId'])}: ${error.message}`)
    return {}
  }
}

/** Project attributes are validated like content. Mailed codes are not imported. */
export async function importUsers(
  context: RecordsImport & UserSources,
  rows: readonly ArchiveEntity[],
): Promise<number> {
  const { documents, leaveBehind } = context
  const plan = documents.contentType(USER)
  const added = addedAttributes(plan)
  const checked = { ...plan, validators: plan.validators.only(added.map(({ name }) => name)) }
  const holder = { ...plan, attributes: new Map(added.map((one) => [one.name, one])) }
  const onUnpublishable = (sentence: string): void =>
    leaveBehind(`${sentence} (taken all the same)`)
  const options = { isConsistent: true, isWhole: true, onUnpublishable }
  let count = 0
  for (const row of rows) {
    if (row.data['provider'] === ANONYMOUS_PROVIDER) {
      leaveBehind(`${USER} ${row.id}: the tokens of anonymous users are invalid on another server`)
      continue
    }
    const source = { holder, type: USER, ref: row.id, data: row.data }
    const { data, orders } = valuesOf(source, context)
    const version: ImportedVersion = {
      ...KEY,
      data,
      stored: { ...orders, ...userValuesOf(context, row) },
      origin: { id: context.keepsIds ? row.id : null, ...datesOf(row) },
    }
    const documentId = String(row.data['documentId'])
    try {
      const user = { documentId, versions: [version] }
      count += (await importDocuments(documents, checked, [user], options)).added
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      leaveBehind(`${USER} ${documentId}: ${error.message}`)
    }
  }
  return count
}

function userValuesOf({ index, roles }: RecordsImport, { id, data }: ArchiveEntity): UserValues {
  const [role] = index.linked(USER, id, 'role')
  const values = newUserValues({
    username: String(data['username']),
    email: String(data['email']).toLowerCase(),
    password: toText(data['password']),
    role: role === undefined ? null : (roles.get(role.ref) ?? null),
  })
  const { provider, confirmed, blocked } = data
  return {
    ...values,
    provider: typeof provider === 'string' ? provider : values.provider,
    confirmed: confirmed === true,
    blocked: blocked === true,
  }
}

function datesOf({ data }: ArchiveEntity): Omit<VersionOrigin, 'id'> {
  return {
    createdAt: new Date(String(data['createdAt'])),
    updatedAt: new Date(String(data['updatedAt'])),
    publishedAt: new Date(String(data['publishedAt'] ?? data['updatedAt'])),
  }
}

function toText(value: unknown): string {
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
    ...datesOf(row),
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
