import { CmsError, ValidationError } from '../../base/errors.ts'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { DocumentContext } from '../../content/context.ts'
import { importDocuments, type ImportedDocument } from './import-documents.ts'
import type { LocaleList, Locales } from '../../content/locales/locales.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import { entryData, populateWhole } from './source-entry.ts'
import type { Source } from './source.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

const PAGE = 100

export interface FileImport {
  has(documentId: string): Promise<boolean>
  add(record: Data, bytes: Buffer): Promise<void>
}

export interface SourceImport {
  readonly source: Source
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly locales: () => Promise<LocaleList>
  readonly destination: ImportDestination | null
  readonly onProgress?: (done: number, total: number) => void
}

export interface ImportDestination {
  readonly documents: DocumentContext
  readonly locales: Pick<Locales, 'add'>
  readonly files: FileImport
}

export interface SourceReport {
  readonly types: Readonly<Record<string, { readonly versions: number; readonly added: number }>>
  readonly files: { readonly read: number; readonly added: number }
  readonly notTaken: readonly string[]
}

/** Existing content stays, so that an interrupted import can be repeated. @throws ApplicationError */
export async function importFromSource(given: SourceImport): Promise<SourceReport> {
  const notTaken: string[] = []
  const locales = await importLocales(given, notTaken)
  const { stored, report: files } = await importFiles(given, notTaken)
  const types: Record<string, { versions: number; added: number }> = {}
  const plans = [...given.schema.contentTypes.values()].filter(
    ({ uid, adopted }) => uid.startsWith('api::') && adopted === undefined,
  )
  const onRead = await progressOf(given, plans)
  for (const plan of plans) {
    types[plan.uid] = await importType(given, { plan, locales, stored, notTaken, onRead })
    const secret = [...plan.attributes.values()].filter((attribute) => attribute.private)
    if (secret.length > 0) {
      const names = secret.map(({ name }) => name).join(', ')
      notTaken.push(`${plan.uid}: ${names}: what is private is not shown by the source`)
    }
  }
  notTaken.push('end users, roles and API tokens: the source shows no passwords and no keys')
  return { types, files, notTaken }
}

async function importLocales(
  { source, locales, destination }: SourceImport,
  notTaken: string[],
): Promise<readonly string[]> {
  const here = await locales()
  const there = (await source.read('i18n/locales')) as readonly Data[] | null
  if (there === null) {
    notTaken.push('locales: the source does not list them; content in those that are here is read')
    return here.all.map(({ code }) => code)
  }
  for (const { code, name } of there) {
    if (here.has(String(code))) continue
    await destination?.locales.add({ code: String(code), name: String(name) })
  }
  return there.map(({ code }) => String(code))
}

async function importFiles(
  given: SourceImport,
  notTaken: string[],
): Promise<{ readonly stored: ReadonlySet<string>; readonly report: SourceReport['files'] }> {
  const stored = new Set<string>()
  let [read, added] = [0, 0]
  for await (const record of filesOf(given.source, notTaken)) {
    read += 1
    const isNew = await importFile(given, record, notTaken)
    if (isNew !== null) stored.add(String(record['documentId']))
    if (isNew === true) added += 1
  }
  return { stored, report: { read, added } }
}

async function* filesOf(source: Source, notTaken: string[]): AsyncGenerator<Data> {
  for (let start = 0; ; start += PAGE) {
    const query = { start, limit: PAGE, sort: 'id:asc' }
    const records = (await source.read('upload/files', query)) as readonly Data[] | null
    if (records === null) notTaken.push('files: the source does not show them')
    yield* records ?? []
    if ((records ?? []).length < PAGE) return
  }
}

async function importFile(
  { source, destination }: SourceImport,
  record: Data,
  notTaken: string[],
): Promise<boolean | null> {
  const documentId = String(record['documentId'])
  try {
    if (destination === null || (await destination.files.has(documentId))) return false
    await destination.files.add(record, await source.download(String(record['url'])))
    return true
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    notTaken.push(`file ${String(record['name'])} (${documentId}): ${error.message}`)
    return null
  }
}

async function progressOf(
  { source, onProgress }: SourceImport,
  plans: readonly ContentTypePlan[],
): Promise<(count: number) => void> {
  if (onProgress === undefined) return () => undefined
  let [done, total] = [0, 0]
  for (const plan of plans.filter(({ kind }) => kind === 'collectionType')) {
    for (const status of statusesOf(plan)) {
      const everywhere = plan.localized ? { locale: '*' } : {}
      const asked = { status, ...everywhere, pagination: { start: 0, limit: 1 } }
      const answer = (await source.read(plan.pluralName, asked)) as Counted | null
      total += answer?.meta?.pagination?.total ?? 0
    }
  }
  return (count) => {
    done += count
    onProgress(done, Math.max(done, total))
  }
}

interface Counted {
  readonly meta?: { readonly pagination?: { readonly total?: number } }
}

function statusesOf({ draftAndPublish }: ContentTypePlan): readonly Status[] {
  return draftAndPublish ? ['draft', 'published'] : ['published']
}

interface TypeImport {
  readonly onRead: (count: number) => void
  readonly plan: ContentTypePlan
  readonly locales: readonly string[]
  readonly stored: ReadonlySet<string>
  readonly notTaken: string[]
}

/** Drafts are imported first, because a published version creates a draft only if none exists. */
async function importType(
  given: SourceImport,
  { plan, locales, stored, notTaken, onRead }: TypeImport,
): Promise<{ versions: number; added: number }> {
  const sum = { versions: 0, added: 0 }
  for (const status of statusesOf(plan)) {
    for await (const entries of entriesOf(given.source, plan, status, locales)) {
      if (entries === null) {
        notTaken.push(`${plan.uid}: the source has no ${status} content of it, or does not show it`)
        break
      }
      const documents = entries.map((entry): ImportedDocument => {
        const own = plan.kind === 'singleType' ? singleDocumentId(plan.uid) : null
        const locale = plan.localized ? String(entry['locale']) : NO_LOCALE
        const version = { locale, status, data: entryData(entry, plan, stored) }
        return { documentId: own ?? String(entry['documentId']), versions: [version] }
      })
      sum.versions += documents.length
      if (given.destination !== null) {
        sum.added += await store(given.destination.documents, plan, documents, notTaken)
      }
      onRead(documents.length)
    }
  }
  return sum
}

async function* entriesOf(
  source: Source,
  plan: ContentTypePlan,
  status: Status,
  locales: readonly string[],
): AsyncGenerator<readonly Data[] | null> {
  const query = { status, populate: populateWhole(plan) }
  if (plan.kind === 'singleType') yield* localesOf(source, plan, query, locales)
  else yield* pagesOf(source, plan, query)
}

async function* localesOf(
  source: Source,
  plan: ContentTypePlan,
  query: Data,
  locales: readonly string[],
): AsyncGenerator<readonly Data[]> {
  for (const locale of plan.localized ? locales : [NO_LOCALE]) {
    const asked = locale === NO_LOCALE ? query : { ...query, locale }
    const answer = (await source.read(plan.singularName, asked)) as { data: Data } | null
    if (answer !== null) yield [answer.data]
  }
}

async function* pagesOf(
  source: Source,
  plan: ContentTypePlan,
  query: Data,
): AsyncGenerator<readonly Data[] | null> {
  for (let start = 0; ; start += PAGE) {
    const pagination = { start, limit: PAGE }
    const everywhere = plan.localized ? { locale: '*' } : {}
    const asked = { ...query, ...everywhere, sort: 'id:asc', pagination }
    const answer = (await source.read(plan.pluralName, asked)) as { data: readonly Data[] } | null
    yield answer === null ? null : answer.data
    if ((answer?.data.length ?? 0) < PAGE) return
  }
}

async function store(
  context: DocumentContext,
  plan: ContentTypePlan,
  documents: readonly ImportedDocument[],
  notTaken: string[],
): Promise<number> {
  try {
    return (await importDocuments(context, plan, documents, { isConsistent: true })).added
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const [only, ...others] = documents
    if (only === undefined) return 0
    if (others.length === 0) {
      notTaken.push(`${error.message} (${only.versions[0]?.status} of ${only.documentId})`)
      return 0
    }
    let added = 0
    for (const document of documents) added += await store(context, plan, [document], notTaken)
    return added
  }
}
