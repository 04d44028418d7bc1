import { createContext, Script } from 'node:vm'
import { checkDeadline, hasDeadline, getRemainingMs } from '../deadline.ts'
import { CommandError } from '../errors.ts'

export interface TextTest {
  test(text: string): boolean
}

interface Choices {
  readonly loops: number
  readonly options: number
  /** True if a quantified group may contain another quantifier. */
  readonly isNested: boolean
}

const TOKEN = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\(\?|[^]/g

const LOOPS: ReadonlySet<string> = new Set(['*', '+', '{'])
const OPTIONS: ReadonlySet<string> = new Set(['?', '|'])

function choicesOf(pattern: string): Choices {
  const outer: number[] = []
  let [loops, options, isNested] = [0, 0, false]
  let within = 0
  for (const [token] of pattern.matchAll(TOKEN)) {
    isNested ||= within > 0 && LOOPS.has(token)
    if (LOOPS.has(token)) loops++
    if (OPTIONS.has(token)) options++
    if (token.startsWith('(')) outer.push(loops + options)
    within = token === ')' ? loops + options - (outer.pop() ?? 0) : 0
  }
  return { loops, options, isNested }
}

/** Upper bound of the steps of a backtracking matcher. */
function stepsOf({ loops, options, isNested }: Choices, length: number): number {
  return isNested ? 2 ** length : length ** (loops + 1) * 2 ** options
}

/** Matching with a time limit is not faster than this many steps. */
const MAX_UNLIMITED_STEPS = 1_000_000

interface Limited {
  readonly holder: { regex: RegExp; text: string }
  readonly script: Script
}

let limited: Limited | null = null

function prepare(): Limited {
  const holder = { regex: /(?:)/, text: '' }
  createContext(holder)
  return { holder, script: new Script('regex.test(text)') }
}

const FIRST_LIMIT_MS = 25
const MIN_LIMIT_MS = 5
/** For one text without a deadline. MongoDB limits the steps of a match instead. */
const MAX_MATCH_MS = 1_000

/** @throws CommandError MaxTimeMSExpired, 51156; TurnOver */
function testInTime(regex: RegExp, text: string): boolean {
  const { holder, script } = (limited ??= prepare())
  const startedAt = performance.now()
  Object.assign(holder, { regex, text })
  // The turn may end before the match does, which then starts over.
  for (let limitMs = FIRST_LIMIT_MS; ; limitMs *= 2) {
    const timeout = Math.ceil(Math.max(Math.min(limitMs, getRemainingMs()), MIN_LIMIT_MS))
    try {
      return script.runInContext(holder, { timeout }) as boolean
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    } finally {
      holder.text = ''
    }
    holder.text = text
    checkDeadline()
    if (!hasDeadline() && performance.now() - startedAt > MAX_MATCH_MS) throw tooLong()
  }
}

function tooLong(): CommandError {
  return new CommandError(
    'Location51156',
    'Error occurred while executing regular expression: the match takes too long',
  )
}

/** Stops at the deadline of its command, even with catastrophic backtracking. */
export function compileBoundedRegex(regex: RegExp): TextTest {
  const choices = choicesOf(regex.source)
  return {
    test: (text) =>
      stepsOf(choices, text.length) <= MAX_UNLIMITED_STEPS
        ? regex.test(text)
        : testInTime(regex, text),
  }
}
