import { ValidationError } from '../../base/errors.ts'
import { findStoredVersionIds } from '../../mongo/read/get-versions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { addVersions } from '../../mongo/write/add-versions.ts'
import { newRevision, REVISION } from '../../mongo/versions/version-fields.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../../content/context.ts'
import { hookVersions } from './hook-versions.ts'
import { completeImports } from './complete-imports.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

export interface ImportedDocument {
  readonly documentId: string
  readonly versions: readonly ImportedVersion[]
}

export interface ImportedVersion extends VersionKey {
  readonly data: Data
  /** Metadata of the source. If omitted, the version gets a new id and the time of the import. */
  readonly origin?: VersionOrigin
  /** Values that are stored without validation: the order of inverse sides, and password hashes. */
  readonly stored?: Data
}

export interface VersionOrigin {
  /** Must be unique within the collection; null assigns a new id. */
  readonly id: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | null
}

export interface ImportProgress {
  readonly documents: number
  readonly added: number
}

export interface ImportReport extends ImportProgress {
  readonly complete: boolean
}

export interface ImportOptions {
  readonly batchSize?: number
  readonly signal?: AbortSignal
  readonly onBatch?: (progress: ImportProgress) => void
  /** The source guarantees exclusive relations. Otherwise an import with such relations is rejected. */
  readonly isConsistent?: boolean
  /** The source contains all versions, including drafts of published ones, so the import adds none. */
  readonly isWhole?: boolean
  /** Called for stored versions that violate their declaration. If omitted, such versions are rejected. */
  readonly onUnpublishable?: (sentence: string) => void
  /** Runs hooks. Called for versions that they refuse, which are left out. If omitted, no hook runs. */
  readonly onRefused?: ((sentence: string) => void) | undefined
}

const BATCH_SIZE = 1_000
const TRUSTED = { creating: true, isTrusted: true } as const

/** Existing versions stay. Published versions get a draft. @throws ValidationError; earlier batches are stored */
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

interface VersionToImport extends ImportedVersion {
  readonly documentId: string
}

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
  const absent = wanted.filter((version) => !stored.has(versionId(version.documentId, version)))
  const { onRefused } = options
  const missing =
    onRefused === undefined ? absent : await hookVersions(context, plan, absent, onRefused)
  if (missing.length === 0) return 0
  const contents = await contentsOf(context, plan, missing, options)
  const unnumbered = missing.filter(({ origin }) => (origin?.id ?? null) === null)
  const numbers = (await ids.take(plan.collectionName, unnumbered.length)).values()
  const at = context.now()
  const toVersion = (version: VersionToImport): StoredVersion => {
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

/** A draft and its published version share a `data` object, and thus component ids and revision. */
async function contentsOf(
  context: DocumentContext,
  plan: ContentTypePlan,
  versions: readonly VersionToImport[],
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
): readonly VersionToImport[] {
  if (isWhole) return versions.map((version) => ({ ...version, documentId }))
  return versions.flatMap((version) =>
    statusesOf(plan, version.status).map((status) => ({ ...version, documentId, status })),
  )
}

function statusesOf(plan: ContentTypePlan, status: Status): readonly Status[] {
  if (!plan.draftAndPublish) return ['published']
  return status === 'published' ? ['published', 'draft'] : ['draft']
}

function parseValues(
  plan: ContentTypePlan,
  wanted: VersionToImport,
  { onUnpublishable }: ImportOptions,
): Data {
  try {
    if (!plan.draftAndPublish) return plan.validators.direct(wanted.data, TRUSTED)
    const values = plan.validators.draft(wanted.data, TRUSTED)
    if (wanted.status === 'published') assertPublishable(plan, wanted, values, onUnpublishable)
    return values
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const message = `${versionName(plan, wanted)}: ${error.message}`
    throw new ValidationError(message, error.details, { cause: error, code: error.errorCode })
  }
}

function assertPublishable(
  plan: ContentTypePlan,
  wanted: VersionToImport,
  values: Data,
  onUnpublishable: ImportOptions['onUnpublishable'],
): void {
  try {
    plan.validators.publishable(values)
  } catch (error) {
    if (onUnpublishable === undefined || !(error instanceof ValidationError)) throw error
    onUnpublishable(`${versionName(plan, wanted)}: ${error.message}`)
  }
}

function versionName({ uid }: ContentTypePlan, { documentId, locale }: VersionToImport): string {
  return [uid, documentId, ...(locale === NO_LOCALE ? [] : [locale])].join(' ')
}
