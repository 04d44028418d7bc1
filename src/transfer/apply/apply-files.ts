import { typesByName } from '../../content/bulk/bulk-line.ts'
import type { BulkRun } from '../../content/bulk/run-lines.ts'
import { DryRunResults } from '../../content/bulk/batch-view.ts'
import type { DocumentContext } from '../../content/context.ts'
import { ApplicationError } from '../../base/errors.ts'
import type { LocaleList } from '../../content/locales/locales.ts'
import { currentOrigin } from '../../mongo/connection/authorship.ts'
import type { IdAllocator } from '../../mongo/system/id-allocator.ts'
import type { Schema } from '../../schema/plan.ts'
import { type DocumentIdsByType, pruneTypes, type Pruned } from './prune.ts'
import { type Counts, readRepeatedly, type ReadOptions } from './read-passes.ts'
import { findSources } from './source-files.ts'

export interface ApplyOptions extends ReadOptions {
  readonly prune: boolean
  readonly confirm: (found: Pruned) => Promise<boolean>
}

export interface Applying {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: LocaleList
}

export interface ApplyReport {
  readonly files: Readonly<Record<string, Counts>>
  readonly faults: readonly string[]
  readonly pruned: Pruned | null
  readonly complete: boolean
}

const UNRESTRICTED_WRITER = {
  mayRead: () => true,
  may: () => true,
  assertMay: () => undefined,
}

/**
 * Writes the documents of the files. It skips unchanged documents, so you can repeat it. Lines that
 * refer to later documents are read again in further passes. It prunes only if no line failed.
 * @throws ApplicationError if a file is unreadable
 */
export async function applyFiles(applying: Applying, options: ApplyOptions): Promise<ApplyReport> {
  const types = typesByName(applying.schema.contentTypes.values())
  const files = await findSources(options.path, types)
  const { documents, locales } = applying
  const run: BulkRun = {
    context: options.dryRun ? trialContext(documents) : documents,
    rules: { types, locales },
    writer: { ...UNRESTRICTED_WRITER, origin: currentOrigin() },
    ...(options.dryRun && { trial: new DryRunResults() }),
  }
  const named: DocumentIdsByType = new Map()
  const { files: counts, ...rest } = await readRepeatedly(run, files, { ...options, named })
  const report = { ...rest, files: Object.fromEntries(counts) }
  const isWhole = rest.complete && [...counts.values()].every(({ failed }) => failed === 0)
  const mayPrune = options.prune && isWhole
  return { ...report, pruned: mayPrune ? await pruneTypes(run, { files, named }, options) : null }
}

function trialContext(documents: DocumentContext): DocumentContext {
  return { ...documents, ids: trialIds(), hashPassword: () => Promise.resolve('') }
}

function trialIds(): IdAllocator {
  let last = 0
  return {
    take: (_sequence, count) => Promise.resolve(Array.from({ length: count }, () => (last += 1))),
    raise: () => Promise.reject(new ApplicationError('A dry run raises no ids')),
    giveBack: () => undefined,
  }
}
