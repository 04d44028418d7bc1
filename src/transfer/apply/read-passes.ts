import type { Readable } from 'node:stream'
import {
  type BulkRun,
  type LineAnswer,
  runLines,
  type SentLine,
} from '../../content/bulk/run-lines.ts'
import type { Done } from '../../content/bulk/write-lines.ts'
import type { CmsError } from '../../base/errors.ts'
import {
  findWaiting,
  keepMutual,
  type Missing,
  type WaitingLine,
  withoutMissing,
} from './defer-relations.ts'
import type { FileReferences } from './file-references.ts'
import { prepareLines } from './prepare-lines.ts'
import type { DocumentIdsByType } from './prune.ts'
import { countLines, readSource } from './read-source.ts'
import type { SourceFile } from './source-files.ts'

export interface ReadOptions {
  readonly path: string
  readonly key: string | null
  readonly dryRun: boolean
  readonly input: Readable
  readonly onProgress: (done: number, total: number) => void
  readonly signal?: AbortSignal
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

export interface PassReport {
  readonly files: ReadonlyMap<string, Counts>
  readonly faults: readonly string[]
  readonly complete: boolean
}

const GROUP = 1_000
const MAX_FAULTS = 100
const MAX_PASSES = 10
const MAX_DEFERRED = 100_000

/** Lines that refer to each other are completed in a last pass. */
export async function readRepeatedly(
  run: BulkRun,
  files: readonly SourceFile[],
  options: ReadOptions & Pick<Pass, 'named' | 'references'>,
): Promise<PassReport> {
  const reading = { ...options, total: await totalOf(files), begun: new Map() }
  const isStream = options.path === '-'
  let before = Infinity
  let state = await readAll(run, files, reading, null)
  for (let pass = 1; pass < MAX_PASSES; pass += 1) {
    const { size } = state.waiting
    if (size === 0 || size >= before || isStream || !state.complete) break
    before = size
    state = await readAll(run, files, reading, state)
  }
  if (state.waiting.size === 0 || isStream || !state.complete) return state
  const begun = await beginMutual(run, files, { ...options, waiting: state.waiting })
  return begun.size === 0 ? state : readAll(run, files, { ...reading, begun }, state)
}

interface PassState extends PassReport {
  readonly waiting: ReadonlySet<string>
}

type Result = Done['result']

interface Pass extends ReadOptions {
  readonly total: number | null
  readonly named: DocumentIdsByType
  readonly references: FileReferences
  readonly begun: ReadonlyMap<string, Result>
}

async function readAll(
  run: BulkRun,
  files: readonly SourceFile[],
  options: Pass,
  before: PassState | null,
): Promise<PassState> {
  const state = {
    files: new Map<string, Counts>(),
    faults: [] as string[],
    complete: true,
    waiting: new Set<string>(),
  }
  let done = 0
  for (const file of files) {
    const counts = { lines: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 }
    for await (const group of inGroups(readSource(file, options))) {
      const lines = await prepareUnlessAborted(run, group, options)
      if (lines === null) {
        state.complete = false
        break
      }
      for await (const answers of runLines(run, lines)) {
        takeAll(answers, file, counts, state, options)
        done += answers.length
        options.onProgress(done, Math.max(options.total ?? 0, done))
      }
    }
    const earlier = before?.files.get(file.name)
    state.files.set(file.name, added(counts, earlier, options.dryRun))
    if (!state.complete) break
  }
  return state
}

function takeAll(
  answers: readonly LineAnswer[],
  file: SourceFile,
  counts: WritableCounts,
  state: { faults: string[]; waiting: Set<string> },
  pass: Pass,
): void {
  counts.lines += answers.length
  for (const answer of answers) take(answer, file, counts, state, pass)
}

function take(
  { line, outcome }: LineAnswer,
  file: SourceFile,
  counts: WritableCounts,
  state: { faults: string[]; waiting: Set<string> },
  { named, begun }: Pass,
): void {
  if (!('error' in outcome)) {
    const { result, documentId } = outcome
    counts[begun.get(nameOfLine(file, line)) ?? result] += 1
    if (file.plan !== null && documentId !== null && result !== 'deleted') {
      const ids = named.get(file.plan) ?? new Set()
      named.set(file.plan, ids)
      ids.add(documentId)
    }
    return
  }
  const { error } = outcome
  assertOfLine(error)
  counts.failed += 1
  if (error.errorCode === 'unknown_relation_target') state.waiting.add(nameOfLine(file, line))
  if (state.faults.length < MAX_FAULTS) state.faults.push(`${file.name}:${line}: ${error.message}`)
}

/** The next pass finds lines of earlier passes unchanged. In a dry run they are still to be done. */
function added(now: Counts, before: Counts | undefined, dryRun: boolean): Counts {
  if (before === undefined) return now
  const created = now.created + before.created
  const updated = now.updated + (dryRun ? 0 : before.updated)
  const deleted = now.deleted + (dryRun ? 0 : before.deleted)
  const unchanged = Math.max(0, now.lines - created - updated - deleted - now.failed)
  return { ...now, created, updated, deleted, unchanged }
}

async function beginMutual(
  run: BulkRun,
  files: readonly SourceFile[],
  options: ReadOptions & Pick<PassState, 'waiting'> & Pick<Pass, 'references'>,
): Promise<ReadonlyMap<string, Result>> {
  const waiting = new Map<string, WaitingLine>()
  if (options.waiting.size > MAX_DEFERRED) return new Map()
  for await (const { file, group } of groupsOf(run, files, options)) {
    const own = group.filter(({ line }) => options.waiting.has(nameOfLine(file, line)))
    for (const [line, found] of await findWaiting(run, own)) {
      waiting.set(nameOfLine(file, line), found)
    }
  }
  const mutual = keepMutual(waiting)
  const begun = new Map<string, Result>()
  if (mutual.size === 0) return begun
  for await (const { file, group } of groupsOf(run, files, options)) {
    const parts = group.flatMap((sent) => {
      const missing: Missing | undefined = mutual.get(nameOfLine(file, sent.line))?.missing
      return missing === undefined ? [] : (withoutMissing(run, sent, missing) ?? [])
    })
    for await (const answers of runLines(run, parts)) {
      noteBegun(answers, file, begun)
    }
  }
  return begun
}

function noteBegun(
  answers: readonly LineAnswer[],
  file: SourceFile,
  begun: Map<string, Result>,
): void {
  for (const { line, outcome } of answers) {
    if ('error' in outcome) assertOfLine(outcome.error)
    else if (outcome.result !== 'unchanged') begun.set(nameOfLine(file, line), outcome.result)
  }
}

function assertOfLine(error: CmsError): void {
  if (error.status >= 500) throw error
}

function nameOfLine({ name }: SourceFile, line: number): string {
  return `${name}:${line}`
}

/** Null if the run is aborted. Files that are stored so far are found by the next run. */
async function prepareUnlessAborted(
  run: BulkRun,
  group: readonly SentLine[],
  { signal, references }: Pick<Pass, 'signal' | 'references'>,
): Promise<readonly SentLine[] | null> {
  const isAborted = (): boolean => signal?.aborted === true
  if (isAborted()) return null
  const lines = await prepareLines(run, group, references)
  return isAborted() ? null : lines
}

async function* groupsOf(
  run: BulkRun,
  files: readonly SourceFile[],
  options: ReadOptions & Pick<Pass, 'references'>,
): AsyncGenerator<{ readonly file: SourceFile; readonly group: readonly SentLine[] }> {
  for (const file of files) {
    for await (const group of inGroups(readSource(file, options))) {
      const lines = await prepareUnlessAborted(run, group, options)
      if (lines === null) return
      yield { file, group: lines }
    }
  }
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
