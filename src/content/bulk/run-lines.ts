import { CmsError } from '../../base/errors.ts'
import { isRefusal } from '../../base/is-refusal.ts'
import { retryCollisions } from '../../mongo/write/write-path.ts'
import type { DocumentContext } from '../context.ts'
import { type BulkLine, type BulkWriter, type LineRules, parseBulkLine } from './bulk-line.ts'
import { refusedInOne } from './decide-line.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { PreviousChanged, retryChanged } from '../hooks/seen-versions.ts'
import { dryContext, dryRunLine } from './dry-run.ts'
import {
  assertSeenBefore,
  prepareLine,
  type PreparedLine,
  writtenDocument,
} from './prepare-line.ts'
import { contextOfLine, type Done, runInside } from './write-lines.ts'
import { type LineOutcome, runBatch } from './run-batch.ts'
import { DryRunResults } from './dry-run-results.ts'

export interface SentLine {
  readonly line: number
  readonly sent: { readonly value: unknown } | { readonly error: CmsError }
}

export interface LineAnswer {
  readonly line: number
  readonly outcome: LineOutcome
}

export interface BulkRun {
  readonly context: DocumentContext
  readonly rules: LineRules
  readonly writer: BulkWriter
  readonly trial?: DryRunResults
  /** Stops the run before the next line. An atomic run fails with its reason, a CmsError. */
  readonly signal?: AbortSignal
}

/** Maximum time between two responses, unless a single line takes longer. */
const ANSWER_MS = 2_000

export class LineFault extends Error {
  readonly line: number
  override readonly cause: CmsError

  constructor(line: number, cause: CmsError) {
    super(cause.message)
    this.line = line
    this.cause = cause
  }
}

/** In order, in chunks of about two seconds. Stops early if the signal is aborted. */
export async function* runLines(
  run: BulkRun,
  lines: readonly SentLine[],
): AsyncGenerator<readonly LineAnswer[]> {
  let rest: readonly ParsedLine[] = lines.map(({ line, sent }) => ({
    line,
    read: parse(sent, run.rules),
  }))
  while (rest.length > 0 && run.signal?.aborted !== true) {
    const answers = await runSome(run, rest)
    rest = rest.slice(answers.length)
    yield answers
  }
}

interface ParsedLine {
  readonly line: number
  readonly read: BulkLine | { readonly error: CmsError }
}

async function runSome(
  { context, writer, trial, signal }: BulkRun,
  lines: readonly ParsedLine[],
): Promise<readonly LineAnswer[]> {
  const good = lines.flatMap(({ read }) => ('error' in read ? [] : [read]))
  const until = performance.now() + ANSWER_MS
  const isOver = (): boolean => performance.now() >= until || signal?.aborted === true
  const outcomes = (await runBatch(context, good, writer, { trial, isOver })).values()
  const answers: LineAnswer[] = []
  for (const { line, read } of lines) {
    const outcome = 'error' in read ? read : outcomes.next().value
    if (outcome === undefined) break
    answers.push({ line, outcome })
  }
  return answers
}

/** Executes all lines in one transaction. @throws LineFault, CmsError */
export function runAtomically(
  { context, rules, writer, signal }: BulkRun,
  lines: readonly SentLine[],
): Promise<readonly LineAnswer[]> {
  const parsed = lines.map(({ line, sent }) => {
    const read = parse(sent, rules)
    if ('error' in read) throw new LineFault(line, read.error)
    const refusal = refusedInOne(writer, read)
    if (refusal !== null) throw new LineFault(line, refusal)
    return { line, read, own: contextOfLine(context, read) }
  })
  return retryChanged(async () => {
    const hooked = await prepareAll(context, parsed, writer)
    return retryCollisions(() =>
      context.database.transact(async (session) => {
        const answers: LineAnswer[] = []
        // A line may change the documents of later lines, so all of them are compared first.
        for (const { own, prepared } of hooked)
          await assertSeenBefore(own, prepared, writer, session)
        for (const { line, prepared, own } of hooked) {
          signal?.throwIfAborted()
          const compared = { line: prepared.line, seen: null }
          const run = (): Promise<Done> => runInside(own, compared, writer, session)
          answers.push({ line, outcome: await naming(line, run) })
        }
        return answers
      }, writer.origin),
    )
  })
}

interface OwnLine {
  readonly line: number
  readonly read: BulkLine
  readonly own: DocumentContext
}

interface HookedLine extends OwnLine {
  readonly prepared: PreparedLine
}

/** A dry run of each line lets later lines refer to its document. @throws LineFault */
async function prepareAll(
  context: DocumentContext,
  lines: readonly OwnLine[],
  writer: BulkWriter,
): Promise<readonly HookedLine[]> {
  if (lines.every(({ read }) => hooksOf(context, read.plan) === null)) {
    return lines.map((each) => ({ ...each, prepared: { line: each.read, seen: null } }))
  }
  const trial = new DryRunResults()
  const written = new Set<string>()
  const all: HookedLine[] = []
  for (const each of lines) {
    const { line, read, own } = each
    const prepared = await naming(line, () => prepareLine(own, read, writer, { trial, written }))
    const documentId = await dryRun(own, prepared, writer, trial)
    if (documentId !== null) written.add(writtenDocument(read.plan, documentId))
    all.push({ ...each, prepared })
  }
  return all
}

async function dryRun(
  own: DocumentContext,
  prepared: PreparedLine,
  writer: BulkWriter,
  trial: DryRunResults,
): Promise<string | null> {
  try {
    return (await dryRunLine(dryContext(own), prepared, writer, trial)).documentId
  } catch (error) {
    if (isRefusal(error)) return prepared.seen?.documentId ?? null
    throw error
  }
}

async function naming<T>(line: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    // Other errors must reach the transaction unchanged, because it decides by their type whether to retry.
    const isFault = error instanceof CmsError && !(error instanceof PreviousChanged)
    throw isFault && error.status < 500 ? new LineFault(line, error) : error
  }
}

function parse(sent: SentLine['sent'], rules: LineRules): BulkLine | { readonly error: CmsError } {
  if ('error' in sent) return sent
  try {
    return parseBulkLine(sent.value, rules)
  } catch (error) {
    if (error instanceof CmsError) return { error }
    throw error
  }
}
