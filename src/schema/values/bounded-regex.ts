import { createContext, Script } from 'node:vm'

/** Wall time per text. If the pattern timed out recently, the lower limit applies. */
const MAX_MS = 100
const MAX_AVERAGE_MS = 20
const LATELY_MS = 10_000
/** An attempt counts in full if it had this share of its timeout as CPU time. */
const CPU_SHARE = 0.8
/** CPU time of all texts between two turns of the event loop. */
const MAX_CPU_MICROSECONDS = 200_000
/** Cost of a comparison without backtracking. It does not count against the limit. */
const USUAL_MICROSECONDS = 200
const CONTROLS = 20
/** A usual comparison costs this multiple of one with an empty text: 200 µs instead of 50 µs. */
const USUAL_CONTROLS = 4

interface Compared {
  regex: RegExp
  text: string
}

const compared: Compared = { regex: /$/, text: '' }
const CONTEXT = createContext(compared)
const COMPARISON = new Script('regex.test(text)')

let spent = 0
let texts = 0
const givenUp = new WeakMap<RegExp, number>()

/** Null if it takes too long: `^(\w+\s?)*$` backtracks exponentially on some short texts. */
export function testInTime(regex: RegExp, text: string): boolean | null {
  if (mostSteps(regex, text.length) <= QUICK_STEPS) return regex.test(text)
  if (texts === 0) setImmediate(() => ([spent, texts] = [0, 0]))
  if (isSpent()) return null
  const isSuspect = performance.now() - (givenUp.get(regex) ?? -LATELY_MS) < LATELY_MS
  const timeout = isSuspect ? MAX_AVERAGE_MS : MAX_MS
  const elapsed = startProcessorClock()
  let found = compare(regex, text, timeout)
  // Repeat if the timeout passed while the CPU was busy with other processes. Several attempts share the CPU time of one.
  while (found === null && elapsed() < timeout * 1_000 * CPU_SHARE) {
    found = compare(regex, text, timeout)
  }
  texts += 1
  spent += Math.max(0, elapsed() - USUAL_MICROSECONDS)
  if (found === null) givenUp.set(regex, performance.now())
  return found
}

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

/** `threadCpuUsage` exists in newer Node versions. `cpuUsage` includes other threads, which compress and hash. */
const clocks: {
  cpuUsage(before?: NodeJS.CpuUsage): NodeJS.CpuUsage
  threadCpuUsage?(before?: NodeJS.CpuUsage): NodeJS.CpuUsage
} = process

function startProcessorClock(): () => number {
  const read = (before?: NodeJS.CpuUsage): NodeJS.CpuUsage =>
    clocks.threadCpuUsage?.(before) ?? clocks.cpuUsage(before)
  const before = read()
  return () => {
    const { user, system } = read(before)
    return user + system
  }
}

/** Comparisons with fewer steps are cheaper than a time limit, which takes 50 µs and a thread. */
const QUICK_STEPS = 100_000

function mostSteps(regex: RegExp, characters: number): number {
  const shape = shapes.get(regex) ?? shapeOf(regex.source)
  shapes.set(regex, shape)
  if (shape === null) return Infinity
  // Each repetition may end anywhere, independently of the others, and the search may start anywhere.
  return shape.branches * (characters + 1) ** (shape.repetitions + 1)
}

interface Shape {
  readonly repetitions: number
  readonly branches: number
}

const shapes = new WeakMap<RegExp, Shape | null>()

const ELEMENT = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]/g

/** A repeated group, a lookaround or a backreference. Matched after the preceding element. */
const NOT_SIMPLE = /^\)[*+{]$|^\(\?$|\\[1-9kpP]$/

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
