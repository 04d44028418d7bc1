import { isDeepStrictEqual } from 'node:util'
import { openCommandProxy } from '../wire/command-proxy.ts'
import { fillBody, type LoadGenerator, type LoadResult } from './load.ts'
import type { Bench } from './prepare.ts'
import { type ServerPair, type Side, SIDES, startSide } from './servers.ts'
import { computePercentile, type Spread, computeSpread } from './statistics.ts'
import type { Workload } from './workloads.ts'

export interface MeasureSettings {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

export interface SideResult {
  readonly requestsPerSecond: Spread
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bytes: number
  readonly cpuMs: number
  readonly residentBytes: number
}

export interface WorkloadResult {
  readonly workload: Workload
  readonly connections: number
  readonly posts: number
  readonly sides: Readonly<Record<Side, SideResult>>
  /** Quire's requests per second divided by those of the bare server, per round. */
  readonly ratio: Spread
}

interface Round {
  readonly load: LoadResult
  readonly cpuMs: number
  readonly residentBytes: number
}

const WARM_UP_MS = 700
const COMMAND_SAMPLES = 9
const SHOWN_CHARACTERS = 2_000

/** Alternates between both servers, so that other load affects both equally. */
export async function measureWorkload(
  pair: ServerPair,
  generator: LoadGenerator,
  workload: Workload,
  { rounds, seconds, connections }: MeasureSettings,
): Promise<Omit<WorkloadResult, 'posts'>> {
  const run = (side: Side, durationMs: number): Promise<LoadResult> =>
    generator.run({
      ...workload,
      base: pair[side].base,
      connections,
      durationMs,
    })
  for (const side of SIDES) await run(side, WARM_UP_MS)
  const found: Record<Side, Round[]> = { quire: [], bare: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const side of SIDES) {
      const before = await pair[side].usage()
      const load = await run(side, seconds * 1000)
      const after = await pair[side].usage()
      const { residentBytes } = after
      found[side].push({ load, cpuMs: after.cpuMs - before.cpuMs, residentBytes })
    }
  }
  const ratios = found.quire.map((round, index) => {
    const other = found.bare[index]
    return other === undefined ? 0 : rateOf(round) / rateOf(other)
  })
  const sides = { quire: summarize(found.quire), bare: summarize(found.bare) }
  return { workload, connections, sides, ratio: computeSpread(ratios) }
}

function summarize(rounds: readonly Round[]): SideResult {
  const times = rounds.flatMap(({ load }) => load.times)
  const total = (of: (round: Round) => number): number =>
    rounds.reduce((sum, round) => sum + of(round), 0)
  return {
    requestsPerSecond: computeSpread(rounds.map(rateOf)),
    p50Ms: computePercentile(times, 0.5),
    p99Ms: computePercentile(times, 0.99),
    bytes: total(({ load }) => load.bytes) / times.length,
    cpuMs: total(({ cpuMs }) => cpuMs) / times.length,
    residentBytes: Math.max(...rounds.map(({ residentBytes }) => residentBytes)),
  }
}

function rateOf({ load }: Round): number {
  return load.times.length / load.seconds
}

/**
 * @throws Error unless both servers return the same response, because the ratio would compare
 * different work
 */
export async function assertSameAnswers(
  pair: ServerPair,
  { method, paths }: Workload,
): Promise<void> {
  const path = paths[0] ?? ''
  if (method !== 'GET') return
  const [one, other] = await Promise.all(
    SIDES.map(async (side) =>
      withoutToken((await (await fetch(pair[side].base + path)).json()) as object),
    ),
  )
  if (isDeepStrictEqual(one, other)) return
  const [quire, bare] = [one, other].map((body) => JSON.stringify(body).slice(0, SHOWN_CHARACTERS))
  throw new Error(`${path}:\n${quire ?? ''}\nis not\n${bare ?? ''}`)
}

/** Removes the sync token, because each server has its own. */
function withoutToken(body: object): object {
  return 'next' in body ? { ...body, next: typeof body.next } : body
}

/** Database commands per request, by workload: the median of some samples. */
export async function countCommands(
  { env }: Pick<Bench, 'env'>,
  side: Side,
  workloads: readonly Workload[],
): Promise<ReadonlyMap<string, number>> {
  const proxy = await openCommandProxy(env['MONGODB_URI'] ?? '')
  const server = await startSide(side, { ...env, MONGODB_URI: proxy.uri })
  const counts = new Map<string, number>()
  for (const workload of workloads) {
    const samples: number[] = []
    for (let sample = 0; sample < COMMAND_SAMPLES; sample += 1) {
      proxy.take()
      await send(server.base, workload, sample)
      samples.push(proxy.take())
    }
    counts.set(workload.name, computePercentile(samples, 0.5))
  }
  await server.stop()
  await proxy.close()
  return counts
}

async function send(base: string, workload: Workload, index: number): Promise<void> {
  const { method, paths, bodies, headers } = workload
  const body = fillBody(bodies[index % Math.max(bodies.length, 1)])
  const path = paths[index % paths.length] ?? ''
  const answer = await fetch(base + path, { method, headers, ...(body !== undefined && { body }) })
  await answer.text()
  if (!answer.ok && answer.status !== 304) throw new Error(`${method} ${path}: ${answer.status}`)
}
