import { ValidationError } from '../../errors.ts'
import { findStoredVersionIds } from '../../mongo/read/read-versions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { addVersions } from '../../mongo/write/write-versions.ts'
import { newRevision, REVISION } from '../../mongo/versions/revision.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { completeImports } from './complete-imports.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/** A document as an import brings it; what all locales share is given with each of them. */
export interface ImportedDocument {
  /** Follows from what the document is (`documentIdFor`), so that bringing it twice stores it once. */
  readonly documentId: string
  /** At most one for each locale. */
  readonly versions: readonly ImportedVersion[]
}

export interface ImportedVersion extends VersionKey {
  /** As a client would send it. */
  readonly data: Data
  /** What it had where it comes from; absent: a new id, and the time of the import. */
  readonly origin?: VersionOrigin
  /** In stored form, and not checked: orders of inverse sides, hashes of passwords. */
  readonly stored?: Data
}

export interface VersionOrigin {
  /** No other version of the collection may have it; null for a new one. */
  readonly id: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | null
}

/** How far an import has come. */
export interface ImportProgress {
  /** Documents looked at: stored by now, all of them. */
  readonly documents: number
  /** Those with at least one new version. */
  readonly added: number
}

export interface ImportReport extends ImportProgress {
  /** False when the signal ended it before the last document. */
  readonly complete: boolean
}

export interface ImportOptions {
  /** Versions written with one command; a document is never spread over two. */
  readonly batchSize?: number
  /** Ends the import after the batch in flight. */
  readonly signal?: AbortSignal
  readonly onBatch?: (progress: ImportProgress) => void
  /**
   * The documents were held together elsewhere, so that of a relation that may name a document once none
   * names it twice. Otherwise such relations are refused, as nobody looks for another that does.
   */
  readonly isConsistent?: boolean
  /** Every version is given, drafts of what is published too: none is added. */
  readonly isWhole?: boolean
  /** Told of what was published elsewhere and breaks a rule of its declaration; it is stored all the same. Absent: it is refused. */
  readonly onUnpublishable?: (sentence: string) => void
}

const BATCH_SIZE = 1_000
/** An import brings what no client of the API may write. */
const TRUSTED = { creating: true, isTrusted: true } as const

/**
 * Stores the versions that are not there yet, in batches; what is there stays as it is, its values and
 * timestamps included. A batch is not atomic, but an import that ended anywhere, even by a kill,
 * goes on when it is run again. What is published in a type with draft & publish has a draft beside it.
 * @throws ValidationError for the first document that the content-type does not allow; the batches
 * before its own are stored.
 */
export async function importDocuments(
  context: DocumentContext,
  plan: ContentTypePlan,
  documents: Iterable<ImportedDocument>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { batchSize = BATCH_SIZE, signal, onBatch } = options
  let progress: ImportProgress = { documents: 0, added: 0 }
  for (const batch of inBatches(documents, batchSize)) {
    if (signal?.aborted === true) return { ...progress, complete: false }
    const added = await importBatch(context, plan, batch, options)
    progress = {
      documents: progress.documents + batch.length,
      added: progress.added + added,
    }
    onBatch?.(progress)
  }
  return { ...progress, complete: true }
}

function* inBatches(
  documents: Iterable<ImportedDocument>,
  size: number,
): Generator<readonly ImportedDocument[]> {
  let batch: ImportedDocument[] = []
  let count = 0
  for (const document of documents) {
    batch.push(document)
    count += document.versions.length
    if (count < size) continue
    yield batch
    batch = []
    count = 0
  }
  if (batch.length > 0) yield batch
}

/** One version that is to be stored, not yet numbered. */
interface Wanted extends ImportedVersion {
  readonly documentId: string
}

/** Answers of how many documents something was new. */
async function importBatch(
  context: DocumentContext,
  plan: ContentTypePlan,
  batch: readonly ImportedDocument[],
  options: ImportOptions,
): Promise<number> {
  const { database, ids } = context
  const wanted = batch.flatMap((document) => wantedVersions(plan, document, options))
  const stored = await findStoredVersionIds(
    database,
    plan,
    wanted.map((version) => versionId(version.documentId, version)),
  )
  const missing = wanted.filter((version) => !stored.has(versionId(version.documentId, version)))
  if (missing.length === 0) return 0
  const contents = await contentsOf(context, plan, missing, options)
  const unnumbered = missing.filter(({ origin }) => (origin?.id ?? null) === null)
  const numbers = (await ids.take(plan.collectionName, unnumbered.length)).values()
  const at = context.now()
  const toVersion = (version: Wanted): StoredVersion => {
    const { documentId, locale, status, origin, stored } = version
    const publishedAt = status === 'published' ? at : null
    const { createdAt, updatedAt, ...own } = origin ?? { createdAt: at, updatedAt: at, publishedAt }
    return {
      ...contents.get(version.data),
      ...stored,
      id: origin?.id ?? numbers.next().value ?? 0,
      documentId,
      locale,
      status,
      createdAt,
      updatedAt,
      publishedAt: own.publishedAt,
    }
  }
  await addVersions(database, plan, missing.map(toVersion))
  return new Set(missing.map(({ documentId }) => documentId)).size
}

/**
 * What is to be stored of each `data` that was given, once: a draft and what is published of it have the same
 * components, with the same ids, and are the same revision.
 */
async function contentsOf(
  context: DocumentContext,
  plan: ContentTypePlan,
  versions: readonly Wanted[],
  options: ImportOptions,
): Promise<ReadonlyMap<Data, Data>> {
  const parsed = new Map<Data, Data>()
  for (const version of versions) parsed.set(version.data, parseValues(plan, version, options))
  const isConsistent = options.isConsistent === true
  const complete = await completeImports(context, plan, [...parsed.values()], isConsistent)
  return new Map(
    [...parsed.keys()].map((data, index) => [
      data,
      { ...complete[index], [REVISION]: newRevision() },
    ]),
  )
}

function wantedVersions(
  plan: ContentTypePlan,
  { documentId, versions }: ImportedDocument,
  { isWhole = false }: ImportOptions,
): readonly Wanted[] {
  if (isWhole) return versions.map((version) => ({ ...version, documentId }))
  return versions.flatMap((version) =>
    statusesOf(plan, version.status).map((status) => ({ ...version, documentId, status })),
  )
}

function statusesOf(plan: ContentTypePlan, status: Status): readonly Status[] {
  if (!plan.draftAndPublish) return ['published']
  return status === 'published' ? ['published', 'draft'] : ['draft']
}

/** @throws ValidationError that says which document it is about. */
function parseValues(
  plan: ContentTypePlan,
  wanted: Wanted,
  { onUnpublishable }: ImportOptions,
): Data {
  try {
    if (!plan.draftAndPublish) return plan.validators.direct(wanted.data, TRUSTED)
    const values = plan.validators.draft(wanted.data, TRUSTED)
    if (wanted.status === 'published') assertPublishable(plan, wanted, values, onUnpublishable)
    return values
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const message = `${nameOf(plan, wanted)}: ${error.message}`
    throw new ValidationError(message, error.details, { cause: error, code: error.errorCode })
  }
}

function assertPublishable(
  plan: ContentTypePlan,
  wanted: Wanted,
  values: Data,
  onUnpublishable: ImportOptions['onUnpublishable'],
): void {
  try {
    plan.validators.publishable(values)
  } catch (error) {
    if (onUnpublishable === undefined || !(error instanceof ValidationError)) throw error
    onUnpublishable(`${nameOf(plan, wanted)}: ${error.message}`)
  }
}

function nameOf({ uid }: ContentTypePlan, { documentId, locale }: Wanted): string {
  return [uid, documentId, ...(locale === NO_LOCALE ? [] : [locale])].join(' ')
}
