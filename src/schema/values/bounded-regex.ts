import { createContext, Script } from 'node:vm'

/** Of one text, on the clock; while a text of the same pattern has lately taken that long, and others may be as dear. */
const MOST_MS = 100
const MOST_MS_LATELY = 20
const LATELY_MS = 10_000
/** Of all texts that are compared before other work has a turn, of the processor. */
const MOST_CPU_MICROSECONDS = 200_000
/** What a comparison costs that does not search: as many of them as there are texts are no matter. */
const USUAL_MICROSECONDS = 200

interface Compared {
  regex: RegExp
  text: string
}

const compared: Compared = { regex: /$/, text: '' }
const CONTEXT = createContext(compared)
const COMPARISON = new Script('regex.test(text)')

/** Since other work had a turn. */
let spent = 0
/** When a pattern was given up last. */
const givenUp = new WeakMap<RegExp, number>()

/**
 * Whether a text matches a pattern that a declaration gives; null where that takes too long. A pattern such as
 * `^(\w+\s?)*$` tries exponentially many ways to match some texts of 40 characters, and nothing else runs meanwhile.
 */
export function testInTime(regex: RegExp, text: string): boolean | null {
  if (spent === 0) setImmediate(() => (spent = 0))
  if (spent >= MOST_CPU_MICROSECONDS) return null
  const isSuspect = performance.now() - (givenUp.get(regex) ?? -LATELY_MS) < LATELY_MS
  const timeout = isSuspect ? MOST_MS_LATELY : MOST_MS
  const before = process.cpuUsage()
  const found = compare(regex, text, timeout)
  const { user, system } = process.cpuUsage(before)
  spent += Math.max(1, user + system - USUAL_MICROSECONDS)
  if (found !== null) return found
  // Of a processor that was busy with others it has had too little.
  if (user + system < (timeout * 1_000) / 4) return compare(regex, text, timeout)
  givenUp.set(regex, performance.now())
  return null
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
