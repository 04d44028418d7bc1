import { createContext, Script } from 'node:vm'
import { checkDeadline, hasDeadline, leftMs } from '../deadline.ts'
import { CommandError } from '../errors.ts'

export interface TextTest {
  test(text: string): boolean
}

/** Where a pattern leaves a choice, each of which may be tried with each other. */
interface Choices {
  /** What may repeat without an end. */
  readonly loops: number
  /** What may be left out, or stand for another. */
  readonly options: number
  /** Something repeats within what repeats, or may. */
  readonly isNested: boolean
}

/** What is escaped, a class of characters, the head of a group, or any other character. */
const TOKEN = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\(\?|[^]/g

const LOOPS: ReadonlySet<string> = new Set(['*', '+', '{'])
const OPTIONS: ReadonlySet<string> = new Set(['?', '|'])

function choicesOf(pattern: string): Choices {
  const outer: number[] = []
  let [loops, options, isNested] = [0, 0, false]
  /** Choices within the group that has just been closed. */
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

/** Steps of a matcher that tries everything, at most. */
function stepsOf({ loops, options, isNested }: Choices, length: number): number {
  return isNested ? 2 ** length : length ** (loops + 1) * 2 ** options
}

/** So many take less than asking for a time limit does, or little more. */
const FEW_STEPS = 1_000_000

/** What ends at its time limit in the middle of a match: nothing else does, but the end of its thread. */
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
const SHORTEST_LIMIT_MS = 5
/** Of one text, where the command itself has no end: MongoDB gives up a match after a number of steps, too. */
const LONGEST_MS = 1_000

/** @throws CommandError MaxTimeMSExpired, 51156; TurnOver */
function testInTime(regex: RegExp, text: string): boolean {
  const { holder, script } = (limited ??= prepare())
  const startedAt = performance.now()
  Object.assign(holder, { regex, text })
  // Whether a turn is over depends on more than the clock: a match that was ended may have to begin again.
  for (let limitMs = FIRST_LIMIT_MS; ; limitMs *= 2) {
    const timeout = Math.ceil(Math.max(Math.min(limitMs, leftMs()), SHORTEST_LIMIT_MS))
    try {
      return script.runInContext(holder, { timeout }) as boolean
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    } finally {
      holder.text = ''
    }
    holder.text = text
    checkDeadline()
    if (!hasDeadline() && performance.now() - startedAt > LONGEST_MS) throw tooLong()
  }
}

function tooLong(): CommandError {
  return new CommandError(
    'Location51156',
    'Error occurred while executing regular expression: the match takes too long',
  )
}

/** A test by a regular expression that ends when its command has to, however many ways there are to match. */
export function boundedRegex(regex: RegExp): TextTest {
  const choices = choicesOf(regex.source)
  return {
    test: (text) =>
      stepsOf(choices, text.length) <= FEW_STEPS ? regex.test(text) : testInTime(regex, text),
  }
}
