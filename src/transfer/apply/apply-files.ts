import type { Readable } from 'node:stream'
import type { BulkWriter } from '../../documents/bulk/bulk-writer.ts'
import { typesByName } from '../../documents/bulk/bulk-line.ts'
import {
  type BulkRun,
  type LineAnswer,
  runLines,
  type SentLine,
} from '../../documents/bulk/run-lines.ts'
import { Trial } from '../../documents/bulk/trial.ts'
import type { DocumentContext } from '../../documents/context.ts'
import { ApplicationError } from '../../errors.ts'
import type { LocaleList } from '../../locales/locales.ts'
import type { IdAllocator } from '../../mongo/system/id-allocator.ts'
import type { Schema } from '../../schema/plan.ts'
import { withFiles } from './block-files.ts'
import { type Named, pruneTypes, type Pruned } from './prune.ts'
import { countLines, readSource } from './read-source.ts'
import { findSources, type SourceFile } from './source-files.ts'

export interface ApplyOptions {
  readonly path: string
  /** The unique attribute by which documents without a documentId are found; null: the first that they give. */
  readonly key: string | null
  readonly prune: boolean
  readonly dryRun: boolean
  /** Where `-` is read from. */
  readonly input: Readable
  /** Asked before anything is deleted. */
  readonly confirm: (found: Pruned) => Promise<boolean>
  readonly onProgress: (done: number, total: number) => void
  /** Ends after the lines in flight. */
  readonly signal?: AbortSignal
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

export interface Counts {
  readonly lines: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly deleted: number
  readonly failed: number
}

type WritableCounts = { -readonly [Name in keyof Counts]: number }

const GROUP = 1_000
const MOST_FAULTS = 100
/** Files that name each other's documents need a second reading; so many are enough for any chain of names. */
const MOST_PASSES = 10

/** Whoever may use the command line may do everything. */
const EVERYTHING: BulkWriter = { mayRead: () => true, may: () => true, assertMay: () => undefined }

/**
 * Makes documents what files say, which may be done again at any time: what is so already is not written.
 * Documents that name others of later files are carried out in another reading.
 * @throws ApplicationError for files that cannot be read, and to prune what failed in part
 */
export async function applyFiles(applying: Applying, options: ApplyOptions): Promise<ApplyReport> {
  const types = typesByName(applying.schema.contentTypes.values())
  const files = await findSources(options.path, types)
  const { documents, locales } = applying
  const run: BulkRun = {
    context: options.dryRun ? { ...documents, ids: trialIds() } : documents,
    rules: { types, locales },
    writer: EVERYTHING,
    ...(options.dryRun && { trial: new Trial() }),
  }
  const named: Named = new Map()
  const { files: counts, ...rest } = await readRepeatedly(run, files, { ...options, named })
  const report = { ...rest, files: Object.fromEntries(counts) }
  const isWhole = rest.complete && [...counts.values()].every(({ failed }) => failed === 0)
  const mayPrune = options.prune && isWhole
  return { ...report, pruned: mayPrune ? await pruneTypes(run, { files, named }, options) : null }
}

async function readRepeatedly(
  run: BulkRun,
  files: readonly SourceFile[],
  options: Omit<Pass, 'total'>,
): Promise<Omit<PassState, 'waiting'>> {
  const total = await totalOf(files)
  let before = Infinity
  let state: PassState = { files: new Map(), faults: [], complete: true, waiting: 0 }
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    state = await readAll(run, files, { ...options, total }, state)
    const canImprove = state.waiting > 0 && state.waiting < before && options.path !== '-'
    if (!canImprove || !state.complete) break
    before = state.waiting
  }
  const { files: counts, faults, complete } = state
  return { files: counts, faults, complete }
}

interface PassState {
  readonly files: Map<string, Counts>
  readonly faults: readonly string[]
  readonly complete: boolean
  /** Lines that named what is not there. */
  readonly waiting: number
}

interface Pass extends ApplyOptions {
  readonly total: number | null
  readonly named: Named
}

async function readAll(
  run: BulkRun,
  files: readonly SourceFile[],
  options: Pass,
  before: PassState,
): Promise<PassState> {
  const state = {
    files: new Map<string, Counts>(),
    faults: [] as string[],
    complete: true,
    waiting: 0,
  }
  let done = 0
  for (const file of files) {
    const counts = { lines: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 }
    for await (const group of inGroups(readSource(file, options))) {
      if (options.signal?.aborted === true) {
        state.complete = false
        break
      }
      for await (const answers of runLines(run, await withFiles(run, group))) {
        takeAll(answers, file, counts, state, options.named)
        done += answers.length
        options.onProgress(done, Math.max(options.total ?? 0, done))
      }
    }
    const earlier = before.files.get(file.name)
    state.files.set(file.name, added(counts, earlier, options.dryRun))
    if (!state.complete) break
  }
  return state
}

function takeAll(
  answers: readonly LineAnswer[],
  file: SourceFile,
  counts: WritableCounts,
  state: { faults: string[]; waiting: number },
  named: Named,
): void {
  counts.lines += answers.length
  for (const answer of answers) take(answer, file, counts, state, named)
}

function take(
  { line, outcome }: LineAnswer,
  file: SourceFile,
  counts: WritableCounts,
  state: { faults: string[]; waiting: number },
  named: Named,
): void {
  if (!('error' in outcome)) {
    counts[outcome.result] += 1
    if (file.plan !== null && outcome.documentId !== null && outcome.result !== 'deleted') {
      const ids = named.get(file.plan) ?? new Set()
      named.set(file.plan, ids)
      ids.add(outcome.documentId)
    }
    return
  }
  const { error } = outcome
  if (error.status >= 500) throw error
  counts.failed += 1
  if (error.errorCode === 'unknown_relation_target') state.waiting += 1
  if (state.faults.length < MOST_FAULTS) state.faults.push(`${file.name}:${line}: ${error.message}`)
}

/** What an earlier reading has done is found unchanged by the next; what it would have done is to be done still. */
function added(now: Counts, before: Counts | undefined, dryRun: boolean): Counts {
  if (before === undefined) return now
  const created = now.created + before.created
  const updated = now.updated + (dryRun ? 0 : before.updated)
  const deleted = now.deleted + (dryRun ? 0 : before.deleted)
  const unchanged = Math.max(0, now.lines - created - updated - deleted - now.failed)
  return { ...now, created, updated, deleted, unchanged }
}

async function* inGroups(lines: AsyncIterable<SentLine>): AsyncGenerator<readonly SentLine[]> {
  let group: SentLine[] = []
  for await (const line of lines) {
    group.push(line)
    if (group.length < GROUP) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

async function totalOf(files: readonly SourceFile[]): Promise<number | null> {
  let total = 0
  for (const file of files) {
    const lines = await countLines(file)
    if (lines === null) return null
    total += lines
  }
  return total
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
