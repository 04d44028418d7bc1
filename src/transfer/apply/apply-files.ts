import type { BulkWriter } from '../../content/bulk/bulk-writer.ts'
import { typesByName } from '../../content/bulk/bulk-line.ts'
import type { BulkRun } from '../../content/bulk/run-lines.ts'
import { DryRunResults } from '../../content/bulk/dry-run-results.ts'
import type { DocumentContext } from '../../content/context.ts'
import { ApplicationError } from '../../base/errors.ts'
import type { LocaleList } from '../../content/locales/locales.ts'
import type { IdAllocator } from '../../mongo/system/id-allocator.ts'
import type { Schema } from '../../schema/plan.ts'
import { type DocumentIdsByType, pruneTypes, type Pruned } from './prune.ts'
import { type Counts, readRepeatedly, type ReadOptions } from './read-passes.ts'
import { findSources } from './source-files.ts'

export interface ApplyOptions extends ReadOptions {
  readonly prune: boolean
  /** Asked before anything is deleted. */
  readonly confirm: (found: Pruned) => Promise<boolean>
}

export interface Applying {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: LocaleList
}

export interface ApplyReport {
  /** By file. */
  readonly files: Readonly<Record<string, Counts>>
  /** The first hundred, a sentence each. */
  readonly faults: readonly string[]
  /** By uid; null unless it was asked for, and done. */
  readonly pruned: Pruned | null
  /** False when it was ended early. */
  readonly complete: boolean
}

/** The command line has all rights. */
const UNRESTRICTED_WRITER: BulkWriter = {
  mayRead: () => true,
  may: () => true,
  assertMay: () => undefined,
}

/**
 * Makes documents what files say, which may be done again at any time: what is so already is not written.
 * Documents that name others of later files, or one another, are carried out in further readings.
 * @throws ApplicationError for files that cannot be read, and to prune what failed in part
 */
export async function applyFiles(applying: Applying, options: ApplyOptions): Promise<ApplyReport> {
  const types = typesByName(applying.schema.contentTypes.values())
  const files = await findSources(options.path, types)
  const { documents, locales } = applying
  const run: BulkRun = {
    context: options.dryRun ? trialContext(documents) : documents,
    rules: { types, locales },
    writer: UNRESTRICTED_WRITER,
    ...(options.dryRun && { trial: new DryRunResults() }),
  }
  const named: DocumentIdsByType = new Map()
  const { files: counts, ...rest } = await readRepeatedly(run, files, { ...options, named })
  const report = { ...rest, files: Object.fromEntries(counts) }
  const isWhole = rest.complete && [...counts.values()].every(({ failed }) => failed === 0)
  const mayPrune = options.prune && isWhole
  return { ...report, pruned: mayPrune ? await pruneTypes(run, { files, named }, options) : null }
}

/** Takes no ids of what is not stored, and hashes no passwords. */
function trialContext(documents: DocumentContext): DocumentContext {
  return { ...documents, ids: trialIds(), hashPassword: () => Promise.resolve('') }
}

/** Ids of what is not stored. */
function trialIds(): IdAllocator {
  let last = 0
  return {
    take: (_sequence, count) => Promise.resolve(Array.from({ length: count }, () => (last += 1))),
    raise: () => Promise.reject(new ApplicationError('A dry run raises no ids')),
    giveBack: () => undefined,
  }
}
