import type { DocumentContext } from '../content/context.ts'
import {
  importDocuments,
  type ImportedDocument,
  type ImportedVersion,
  type VersionOrigin,
} from './import/import-documents.ts'
import { singleDocumentId } from '../content/write/single-document-id.ts'
import { ValidationError } from '../base/errors.ts'
import type { LocaleList } from '../content/locales/locales.ts'
import type { Data, Uid } from '../schema/definition.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ContentTypePlan, Schema } from '../schema/plan.ts'
import type { ArchiveIndex } from './archive-index.ts'
import { valuesOf } from './archive-values.ts'
import type { ArchiveEntity } from './scan-archive.ts'

export interface ContentImportOptions {
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly locales: Pick<LocaleList, 'defaultCode' | 'has'>
  readonly index: ArchiveIndex
  readonly target: ContentTarget | null
  readonly leaveBehind: (sentence: string) => void
  readonly runHooks: boolean
}

export interface ContentTarget {
  readonly documents: DocumentContext
  readonly keepsIds: boolean
}

interface TypeCount {
  versions: number
  added: number
}

const BCRYPT = /^\$2[abxy]\$/

export interface ContentImport {
  report(): Readonly<Record<Uid, TypeCount>>
  store(type: Uid, rows: readonly ArchiveEntity[]): Promise<void>
}

export function openContentImport(given: ContentImportOptions): ContentImport {
  const { schema, target } = given
  const counts = new Map<Uid, TypeCount>()
  return {
    report: () => Object.fromEntries(counts),
    store: async (type, rows) => {
      const plan = schema.contentTypes.get(type)
      if (plan === undefined || plan.adopted !== undefined) return
      const documents = rows.flatMap((row) => documentOf(given, plan, row))
      const count = counts.get(type) ?? { versions: 0, added: 0 }
      counts.set(type, count)
      count.versions += documents.reduce((sum, { versions }) => sum + versions.length, 0)
      if (target !== null) count.added += await importAll(given, target, plan, documents)
    },
  }
}

function documentOf(
  given: ContentImportOptions,
  plan: ContentTypePlan,
  row: ArchiveEntity,
): readonly ImportedDocument[] {
  const { index, leaveBehind, locales } = given
  const documentId =
    plan.kind === 'singleType' ? singleDocumentId(plan.uid) : String(row.data['documentId'])
  const locale = localeOf(plan, row.data, locales)
  if (locale === null) {
    const code = String(row.data['locale'])
    leaveBehind(`${plan.uid} ${documentId}: the locale ${code} is not here`)
    return []
  }
  if (plan.draftAndPublish || !isDraft(row)) {
    return [{ documentId, versions: versionsOf(given, plan, row, locale) }]
  }
  if (!hasOther(index, row, true)) {
    leaveBehind(`${plan.uid} ${documentId}: a draft, and the type has no drafts here`)
  }
  return []
}

function versionsOf(
  { index, schema, locales, target, leaveBehind }: ContentImportOptions,
  plan: ContentTypePlan,
  row: ArchiveEntity,
  locale: string,
): readonly ImportedVersion[] {
  const source = { holder: plan, type: plan.uid, ref: row.id, data: row.data }
  const { data, orders } = valuesOf(source, {
    index,
    defaultLocale: locales.defaultCode,
    planOf: (uid) => schema.contentTypes.get(uid),
    leaveBehind,
  })
  const passwords = withoutPasswords(plan, data)
  const origin = originOf(row, target?.keepsIds === true)
  const status = plan.draftAndPublish && isDraft(row) ? 'draft' : 'published'
  const stored = { ...orders, ...passwords.hashes }
  const version = { locale, status, data: passwords.data, stored, origin } as const
  if (!plan.draftAndPublish || status === 'draft' || hasOther(index, row, false)) return [version]
  const added = { ...origin, id: null, publishedAt: null }
  return [version, { ...version, status: 'draft', origin: added }]
}

function isDraft({ data }: ArchiveEntity): boolean {
  return (data['publishedAt'] ?? null) === null
}

function hasOther(index: ArchiveIndex, { type, data }: ArchiveEntity, published: boolean): boolean {
  const locale = typeof data['locale'] === 'string' ? data['locale'] : null
  return index.hasVersion(type, { documentId: String(data['documentId']), locale, published })
}

async function importAll(
  given: ContentImportOptions,
  target: ContentTarget,
  plan: ContentTypePlan,
  documents: readonly ImportedDocument[],
): Promise<number> {
  if (documents.length === 0) return 0
  const context = { ...target.documents, hashPassword: keepHash(target.documents) }
  const kept: string[] = []
  try {
    const { added } = await importDocuments(context, plan, documents, {
      isConsistent: true,
      isWhole: true,
      onUnpublishable: (sentence) => kept.push(sentence),
      ...(given.runHooks && { onRefused: given.leaveBehind }),
    })
    for (const sentence of kept) given.leaveBehind(`${sentence} (taken all the same)`)
    return added
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const [only] = documents
    if (documents.length === 1 && only !== undefined) {
      const [version] = only.versions
      given.leaveBehind(`${error.message} (${version?.status ?? ''} of ${only.documentId})`)
      return 0
    }
    const half = documents.length >> 1
    const first = await importAll(given, target, plan, documents.slice(0, half))
    return first + (await importAll(given, target, plan, documents.slice(half)))
  }
}

function keepHash({ hashPassword }: DocumentContext): DocumentContext['hashPassword'] {
  return (password) => (BCRYPT.test(password) ? Promise.resolve(password) : hashPassword(password))
}

function localeOf(
  plan: ContentTypePlan,
  { locale }: Data,
  locales: ContentImportOptions['locales'],
): string | null {
  const own = typeof locale === 'string' ? locale : null
  if (!plan.localized) return own === null || own === locales.defaultCode ? NO_LOCALE : null
  if (own === null) return locales.defaultCode
  return locales.has(own) ? own : null
}

function originOf({ id, data }: ArchiveEntity, keepsIds: boolean): VersionOrigin {
  const dateOf = (value: unknown): Date => new Date(String(value))
  const publishedAt = data['publishedAt'] ?? null
  return {
    id: keepsIds ? id : null,
    createdAt: dateOf(data['createdAt']),
    updatedAt: dateOf(data['updatedAt']),
    publishedAt: publishedAt === null ? null : dateOf(publishedAt),
  }
}

/** Password rules do not apply to hashes, which are stored as is. */
function withoutPasswords(
  plan: ContentTypePlan,
  data: Data,
): { readonly data: Data; readonly hashes: Data } {
  const isHash = ([name, value]: [string, unknown]): boolean => {
    const attribute = plan.attributes.get(name)
    const isPassword = attribute?.kind === 'scalar' && attribute.type === 'password'
    return isPassword && typeof value === 'string' && BCRYPT.test(value)
  }
  const entries = Object.entries(data)
  return {
    data: Object.fromEntries(entries.filter((entry) => !isHash(entry))),
    hashes: Object.fromEntries(entries.filter(isHash)),
  }
}
