import { CmsError } from '../../base/errors.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { DocumentContext } from '../context.ts'
import { type BulkLine, type BulkWriter, type LineRules, parseBulkLine } from './bulk-line.ts'
import { type Done, hashingOnce, runInside } from './write-lines.ts'
import { type LineOutcome, runBatch } from './run-batch.ts'
import type { DryRunResults } from './batch-view.ts'

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
  /** If set, the run is a dry run. */
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
    return { line, read, own: hashingOnce(context) }
  })
  return retryCollisions(() =>
    context.database.transact(async (session) => {
      const answers: LineAnswer[] = []
      for (const { line, read, own } of parsed) {
        signal?.throwIfAborted()
        const run = (): Promise<Done> => runInside(own, read, writer, session)
        answers.push({ line, outcome: await naming(line, run) })
      }
      return answers
    }, writer.origin),
  )
}

async function naming(line: number, run: () => Promise<Done>): Promise<Done> {
  try {
    return await run()
  } catch (error) {
    // Other errors must reach the transaction unchanged, because it decides by their type whether to retry.
    throw error instanceof CmsError && error.status < 500 ? new LineFault(line, error) : error
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
