import { CmsError } from '../../errors.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { DocumentContext } from '../context.ts'
import { type BulkLine, type LineRules, parseBulkLine } from './bulk-line.ts'
import type { BulkWriter } from './bulk-writer.ts'
import { type Outcome, runBatch } from './run-batch.ts'
import { type Done, runInside } from './run-line.ts'
import type { Trial } from './trial.ts'

/** A line as it came: a value of JSON, or why it is none. */
export interface SentLine {
  /** Its place in what was sent, from 1. */
  readonly line: number
  readonly sent: { readonly value: unknown } | { readonly error: CmsError }
}

export interface LineAnswer {
  readonly line: number
  readonly outcome: Outcome
}

export interface BulkRun {
  readonly context: DocumentContext
  readonly rules: LineRules
  readonly writer: BulkWriter
  /** Given, nothing is written: what would have been is noted here. */
  readonly trial?: Trial
}

/** Of an atomic run: what is wrong with its first line that cannot be carried out. */
export class LineFault extends Error {
  readonly line: number
  override readonly cause: CmsError

  constructor(line: number, cause: CmsError) {
    super(cause.message)
    this.line = line
    this.cause = cause
  }
}

/** Carries out some lines, each by itself, and answers all of them in their order. */
export async function runLines(
  { context, rules, writer, trial }: BulkRun,
  lines: readonly SentLine[],
): Promise<readonly LineAnswer[]> {
  const parsed = lines.map(({ line, sent }) => ({ line, read: parse(sent, rules) }))
  const good = parsed.flatMap(({ read }) => ('error' in read ? [] : [read]))
  const outcomes = (await runBatch(context, good, writer, trial)).values()
  return parsed.map(({ line, read }) => {
    const outcome = 'error' in read ? read : outcomes.next().value
    if (outcome === undefined) throw new Error(`line ${line} has no outcome`)
    return { line, outcome }
  })
}

/** Carries out all lines in one transaction, or none of them. @throws LineFault, CmsError */
export function runAtomically(
  { context, rules, writer }: BulkRun,
  lines: readonly SentLine[],
): Promise<readonly LineAnswer[]> {
  const parsed = lines.map(({ line, sent }) => {
    const read = parse(sent, rules)
    if ('error' in read) throw new LineFault(line, read.error)
    return { line, read }
  })
  return retryCollisions(() =>
    context.database.transact(async (session) => {
      const answers: LineAnswer[] = []
      for (const { line, read } of parsed) {
        const run = (): Promise<Done> => runInside(context, read, writer, session)
        answers.push({ line, outcome: await naming(line, run) })
      }
      return answers
    }),
  )
}

async function naming(line: number, run: () => Promise<Done>): Promise<Done> {
  try {
    return await run()
  } catch (error) {
    // What is none of ours goes to the transaction as it is, for its rules of trying again.
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
