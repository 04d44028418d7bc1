import { setTimeout as wait } from 'node:timers/promises'
import { describeMachine } from '../bench/report.ts'
import { findLosses } from '../mixed-load/find-losses.ts'
import { type LoadReport, startMixedLoad } from '../mixed-load/mixed-load.ts'
import type { SoakOptions } from './options.ts'
import { type SoakReport, toLine } from './report.ts'
import type { Sample } from './sample.ts'
import { SOAK_TOKEN, type SoakedServer, startSoakedServer } from './soaked-server.ts'
import { startStrangers } from './strangers.ts'

/** Beyond this a request hangs: far more than a loaded machine takes. */
const TIMEOUT_MS = 60_000

interface Soak {
  readonly options: SoakOptions
  /** Told how it goes. */
  readonly say: (line: string) => void
  /** Ends the load early; what was seen until then is reported. */
  readonly ended: AbortSignal
}

/**
 * Starts a server, keeps it under mixed load, watches its memory, looks for losses and removes what
 * it made.
 *
 * @throws Error when the server does not start, or ends by itself
 */
export async function runSoak(soak: Soak): Promise<SoakReport> {
  const server = await startSoakedServer(soak.options.collect)
  try {
    return await watch(server, soak)
  } finally {
    await server.stop()
  }
}

async function watch(server: SoakedServer, soak: Soak): Promise<SoakReport> {
  const { base, database } = server
  soak.say(`${base} on ${database}`)
  const atStart: Sample = { seconds: 0, requests: 0, ...(await server.figures()) }
  const { writers, readers, uploaders, strangers: count, pauseMs } = soak.options
  const to = { token: SOAK_TOKEN, timeoutMs: TIMEOUT_MS, pauseMs }
  const load = await startMixedLoad({ ...to, bases: [base], writers, readers, uploaders })
  const strangers = startStrangers({ ...to, base, count })
  const answers = (): Answers => together([load, strangers.client])
  let samples: readonly Sample[]
  let report: LoadReport
  try {
    samples = await sample(server, answers, soak)
  } finally {
    ;[report] = await Promise.all([load.stop(), strangers.stop()])
  }
  const losses = soak.ended.aborted ? null : await findLosses(base, SOAK_TOKEN, report)
  return {
    machine: describeMachine(),
    database,
    samples: [atStart, ...samples],
    acknowledged: report.ledger.acknowledged,
    losses,
    ...answers(),
  }
}

type Answers = Pick<SoakReport, 'requests' | 'statuses' | 'wrong'>

function together(loads: readonly Answers[]): Answers {
  const statuses = new Map<string, number>()
  for (const [answer, count] of loads.flatMap((load) => [...load.statuses])) {
    statuses.set(answer, (statuses.get(answer) ?? 0) + count)
  }
  const requests = loads.reduce((sum, load) => sum + load.requests, 0)
  return { requests, statuses, wrong: loads.flatMap(({ wrong }) => wrong) }
}

/** At equal intervals until the time is over, and once more at the end. */
async function sample(
  server: SoakedServer,
  answers: () => Answers,
  { options: { seconds, everySeconds }, say, ended }: Soak,
): Promise<readonly Sample[]> {
  const began = performance.now()
  const elapsed = (): number => (performance.now() - began) / 1000
  const samples: Sample[] = []
  while (elapsed() < seconds) {
    const next = Math.min((samples.length + 1) * everySeconds, seconds)
    // An early end is no failure: what is left is to report.
    await wait(Math.max(next - elapsed(), 0) * 1000, undefined, { signal: ended }).catch(() => null)
    if (ended.aborted) break
    const figures = await server.figures()
    const { requests, statuses } = answers()
    const taken = { seconds: elapsed(), requests, ...figures }
    samples.push(taken)
    say(toLine(taken, statuses))
  }
  return samples
}
