import { setTimeout as wait } from 'node:timers/promises'
import { describeMachine } from '../bench/report.ts'
import { findLosses } from '../mixed-load/find-losses.ts'
import { type LoadReport, startMixedLoad } from '../mixed-load/mixed-load.ts'
import type { SoakOptions } from './options.ts'
import { type SoakReport, toSampleLine } from './report.ts'
import type { SoakSample } from './sample.ts'
import { SOAK_TOKEN, type SoakedServers, STALE_MS, startSoakedServers } from './soaked-servers.ts'
import { startStrangers } from './strangers.ts'

/** A request that takes longer counts as hanging. A loaded machine needs far less. */
const TIMEOUT_MS = 60_000

interface Soak {
  readonly options: SoakOptions
  readonly say: (line: string) => void
  /** Ends the load early. The report covers the time until then. */
  readonly ended: AbortSignal
}

/**
 * Starts servers under mixed load, samples their memory, checks for losses and removes all data.
 * @throws Error if a server does not start or ends by itself
 */
export async function runSoak(soak: Soak): Promise<SoakReport> {
  const servers = await startSoakedServers(soak.options)
  try {
    return await watch(servers, soak)
  } finally {
    await servers.stop()
  }
}

async function watch(servers: SoakedServers, soak: Soak): Promise<SoakReport> {
  const { bases, database } = servers
  soak.say(`${bases.join(', ')} on ${database}`)
  const atStart: SoakSample = { seconds: 0, requests: 0, ...(await servers.figures()) }
  const { writers, readers, visitors, uploaders, strangers: count, pauseMs } = soak.options
  const to = { token: SOAK_TOKEN, timeoutMs: TIMEOUT_MS, pauseMs }
  const load = await startMixedLoad({
    ...to,
    bases,
    writers,
    readers,
    uploaders,
    visitors: { count: visitors, staleMs: STALE_MS },
  })
  const strangers = startStrangers({ ...to, bases, count })
  const unanswered: string[] = []
  const figures = { requests: 0, statuses: new Map<string, number>(), wrong: unanswered }
  const answers = (): Answers => together([load, strangers.client, figures])
  let samples: readonly SoakSample[]
  let report: LoadReport
  try {
    samples = await sample(servers, answers, soak, (missed) => unanswered.push(missed))
  } finally {
    ;[report] = await Promise.all([load.stop(), strangers.stop()])
  }
  const losses = soak.ended.aborted ? null : await lossesOf(bases, report)
  return {
    machine: describeMachine(),
    database,
    samples: [atStart, ...samples],
    acknowledged: report.ledger.acknowledged,
    losses,
    ...answers(),
  }
}

/** Combines the losses that each server reports. */
async function lossesOf(bases: readonly string[], report: LoadReport): Promise<readonly string[]> {
  const losses = await Promise.all(bases.map((base) => findLosses(base, SOAK_TOKEN, report)))
  return [...new Set(losses.flat())]
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

/** A hanging server is a result of the run. */
function unlessOutOfTime(error: unknown): null {
  if (error instanceof Error && error.name === 'TimeoutError') return null
  throw error
}

/** Takes samples at equal intervals and one at the end. */
async function sample(
  servers: SoakedServers,
  answers: () => Answers,
  { options: { seconds, everySeconds }, say, ended }: Soak,
  miss: (missed: string) => void,
): Promise<readonly SoakSample[]> {
  const began = performance.now()
  const elapsed = (): number => (performance.now() - began) / 1000
  const samples: SoakSample[] = []
  while (elapsed() < seconds) {
    const next = Math.min((samples.length + 1) * everySeconds, seconds)
    // An early end is not a failure: the remaining step is the report.
    await wait(Math.max(next - elapsed(), 0) * 1000, undefined, { signal: ended }).catch(() => null)
    if (ended.aborted) break
    const figures = await servers.figures().catch(unlessOutOfTime)
    if (figures === null) {
      miss(`/metrics was not answered in time after ${elapsed().toFixed(0)} s`)
      continue
    }
    const { requests, statuses } = answers()
    const taken = { seconds: elapsed(), requests, ...figures }
    samples.push(taken)
    say(toSampleLine(taken, statuses))
  }
  return samples
}
