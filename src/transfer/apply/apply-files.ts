import { ApplicationError } from '../../base/errors.ts'
import { typesByName } from '../../content/bulk/bulk-line.ts'
import type { BulkRun } from '../../content/bulk/run-lines.ts'
import { DryRunResults } from '../../content/bulk/dry-run-results.ts'
import { dryContext } from '../../content/bulk/dry-run.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { LocaleList } from '../../content/locales/locales.ts'
import { currentOrigin } from '../../mongo/connection/authorship.ts'
import type { Schema } from '../../schema/plan.ts'
import type { FileStore } from '../file-store.ts'
import { type FileCounts, openFileReferences } from './file-references.ts'
import { type DocumentIdsByType, pruneTypes, type Pruned } from './prune.ts'
import { type Counts, readRepeatedly, type ReadOptions } from './read-passes.ts'
import { findSources, folderOf, type SourceFile } from './source-files.ts'

export interface ApplyOptions extends ReadOptions {
  readonly prune: boolean
  readonly confirm: (found: Pruned) => Promise<boolean>
}

export interface Applying {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: LocaleList
  readonly store: FileStore | null
  readonly maxFileBytes: number
}

export interface ApplyReport {
  readonly files: Readonly<Record<string, Counts>>
  readonly media: FileCounts
  readonly faults: readonly string[]
  readonly pruned: Pruned | null
  readonly complete: boolean
}

const UNRESTRICTED_WRITER = {
  rules: undefined,
  mayRead: () => true,
  maySeePrivate: () => true,
  may: () => true,
  assertMay: () => undefined,
}

/** Deleted documents of another service have no trash. @throws ApplicationError */
function assertPrunable(files: readonly SourceFile[]): void {
  const adopted = files.find(({ plan }) => plan?.adopted !== undefined)?.plan
  if (adopted === undefined || adopted === null) return
  const message = `${adopted.singularName}: --prune deletes no documents of a collection that another service writes`
  throw new ApplicationError(message, {}, { code: 'read_only_type' })
}

/** Skips unchanged documents, so you can repeat it. Prunes only if no line failed. @throws ApplicationError */
export async function applyFiles(applying: Applying, options: ApplyOptions): Promise<ApplyReport> {
  const types = typesByName(applying.schema.contentTypes.values())
  const files = await findSources(options.path, types)
  if (options.prune) assertPrunable(files)
  const { documents, locales } = applying
  const run: BulkRun = {
    context: options.dryRun ? dryContext(documents) : documents,
    rules: { types, locales },
    writer: { ...UNRESTRICTED_WRITER, origin: currentOrigin() },
    ...(options.dryRun && { trial: new DryRunResults() }),
  }
  const named: DocumentIdsByType = new Map()
  const references = openFileReferences({
    folder: await folderOf(options.path),
    store: options.dryRun ? null : applying.store,
    maxFileBytes: applying.maxFileBytes,
    signal: options.signal,
  })
  const reading = { ...options, named, references }
  const { files: counts, ...rest } = await readRepeatedly(run, files, reading)
  const report = { ...rest, files: Object.fromEntries(counts), media: references.counts() }
  const isWhole = rest.complete && [...counts.values()].every(({ failed }) => failed === 0)
  const mayPrune = options.prune && isWhole
  return { ...report, pruned: mayPrune ? await pruneTypes(run, { files, named }, options) : null }
}
