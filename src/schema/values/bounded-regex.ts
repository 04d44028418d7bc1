import { createContext, Script } from 'node:vm'

/** Of one text, on the clock; while a text of the same pattern has lately taken that long, and others may be as dear. */
const MAX_MS = 100
const MAX_AVERAGE_MS = 20
const LATELY_MS = 10_000
/** Of all texts that are compared before other work has a turn, of the processor. */
const MAX_CPU_MICROSECONDS = 200_000
/** What a comparison costs that does not search: as many of them as there are texts are no matter. */
const USUAL_MICROSECONDS = 200
/** Comparisons of an empty text, which measure the speed of the machine. */
const CONTROLS = 20
/** Cost of a usual comparison, as a multiple of that of an empty text: 200 µs where the latter takes 50. */
const USUAL_CONTROLS = 4

interface Compared {
  regex: RegExp
  text: string
}

const compared: Compared = { regex: /$/, text: '' }
const CONTEXT = createContext(compared)
const COMPARISON = new Script('regex.test(text)')

/** Since other work had a turn: beyond the usual, and by how many texts. */
let spent = 0
let texts = 0
/** When a pattern was given up last. */
const givenUp = new WeakMap<RegExp, number>()

/**
 * Whether a text matches a pattern that a declaration gives; null where that takes too long. A pattern such as
 * `^(\w+\s?)*$` tries exponentially many ways to match some texts of 40 characters, and nothing else runs meanwhile.
 */
export function testInTime(regex: RegExp, text: string): boolean | null {
  if (mostSteps(regex, text.length) <= QUICK_STEPS) return regex.test(text)
  if (texts === 0) setImmediate(() => ([spent, texts] = [0, 0]))
  if (isSpent()) return null
  const isSuspect = performance.now() - (givenUp.get(regex) ?? -LATELY_MS) < LATELY_MS
  const timeout = isSuspect ? MAX_AVERAGE_MS : MAX_MS
  const elapsed = startProcessorClock()
  let found = compare(regex, text, timeout)
  // Of a processor that was busy with others it has had too little.
  while (found === null && elapsed() < (timeout * 1_000) / 4) found = compare(regex, text, timeout)
  texts += 1
  spent += Math.max(0, elapsed() - USUAL_MICROSECONDS)
  if (found === null) givenUp.set(regex, performance.now())
  return found
}

/** Whether the texts of this turn took too long, and more than usual on this machine at this moment. */
function isSpent(): boolean {
  if (spent < MAX_CPU_MICROSECONDS) return false
  if (spent === Infinity) return true
  const elapsed = startProcessorClock()
  for (let control = 0; control < CONTROLS; control += 1) compare(/^$/, '', MAX_MS)
  const usual = (USUAL_CONTROLS * elapsed()) / CONTROLS
  const excess = spent - texts * Math.max(0, usual - USUAL_MICROSECONDS)
  ;[spent, texts] = excess < MAX_CPU_MICROSECONDS / 2 ? [Math.max(0, excess), 1] : [Infinity, 1]
  return spent === Infinity
}

/** Newer Nodes know the time of a thread: others of this process compress and hash meanwhile. */
const clocks: {
  cpuUsage(before?: NodeJS.CpuUsage): NodeJS.CpuUsage
  threadCpuUsage?(before?: NodeJS.CpuUsage): NodeJS.CpuUsage
} = process

/** In microseconds, of the processor. */
function startProcessorClock(): () => number {
  const read = (before?: NodeJS.CpuUsage): NodeJS.CpuUsage =>
    clocks.threadCpuUsage?.(before) ?? clocks.cpuUsage(before)
  const before = read()
  return () => {
    const { user, system } = read(before)
    return user + system
  }
}

/** Comparing them takes less than setting a time limit: 50 µs on a quiet machine, and a thread. */
const QUICK_STEPS = 100_000

/** What the steps of a comparison are bounded by; Infinity where nothing simple is known. */
function mostSteps(regex: RegExp, characters: number): number {
  const shape = shapes.get(regex) ?? shapeOf(regex.source)
  shapes.set(regex, shape)
  if (shape === null) return Infinity
  // Each repetition ends anywhere, whatever the others do, and the search begins anywhere.
  return shape.branches * (characters + 1) ** (shape.repetitions + 1)
}

interface Shape {
  readonly repetitions: number
  readonly branches: number
}

const shapes = new WeakMap<RegExp, Shape | null>()

/** One element of a pattern: an escape, a class, or a character. */
const ELEMENT = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]/g

/** A group that is repeated or looks around, and what refers to one: each after the element before it. */
const NOT_SIMPLE = /^\)[*+{]$|^\(\?$|\\[1-9kpP]$/

/** Null for what repeats groups, looks around or back. */
function shapeOf(source: string): Shape | null {
  let [repetitions, branches, last] = [0, 1, '']
  for (const [element] of source.matchAll(ELEMENT)) {
    if (NOT_SIMPLE.test(last + element)) return null
    if (/^[*+{?]$/.test(element)) repetitions += 1
    if (element === '|') branches *= 2
    last = element
  }
  return { repetitions, branches }
}

function compare(regex: RegExp, text: string, timeout: number): boolean | null {
  Object.assign(compared, { regex, text })
  try {
    return COMPARISON.runInContext(CONTEXT, { timeout }) === true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  } finally {
    compared.text = ''
  }
}
