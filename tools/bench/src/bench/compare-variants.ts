import type { ChildServer } from './child-server.ts'
import type { LoadGenerator } from './load.ts'
import type { BenchOptions } from './options.ts'
import { computePercentile } from './statistics.ts'
import type { Workload } from './workloads.ts'

interface Round {
  readonly rate: number
  /**
   * Milliseconds of CPU per creation: of the server, and of this process, which runs the embedded
   * engine.
   */
  readonly serverMs: number
  readonly engineMs: number
}

/** Variants may share a server. */
export interface Variant {
  readonly server: ChildServer
  readonly workload: Workload
}

/** The rounds of each variant. */
type Rounds = ReadonlyMap<string, readonly Round[]>

const WARM_UP_MS = 1_000

/**
 * Rounds alternate, so that ratios are paired. One server runs at a time and the others are paused:
 * an idle server would still read the commits of the others. Ratios compare with the first variant.
 */
export async function compareVariants(
  variants: ReadonlyMap<string, Variant>,
  generator: LoadGenerator,
  options: BenchOptions,
): Promise<readonly string[]> {
  const [first] = variants.values()
  return toRows(first?.workload.name ?? '', await runRounds(variants, generator, options))
}

/** @throws Error for an unknown name */
export function findWorkload(workloads: readonly Workload[], name: string): Workload {
  const found = workloads.find((workload) => workload.name === name)
  if (found === undefined) throw new Error(`the workload ${name} is missing`)
  return found
}

async function runRounds(
  variants: ReadonlyMap<string, Variant>,
  generator: LoadGenerator,
  { rounds, seconds, connections }: BenchOptions,
): Promise<Rounds> {
  const settings = { connections: connections[0] ?? 1, durationMs: seconds * 1_000 }
  const warmUp = { ...settings, durationMs: WARM_UP_MS }
  const found = new Map([...variants.keys()].map((name): [string, Round[]] => [name, []]))
  const runVariant = async ({ server, workload }: Variant): Promise<Round> => {
    server.resume()
    await runOnce(server, generator, workload, warmUp) // also catches up with the log
    const round = await runOnce(server, generator, workload, settings)
    server.pause()
    return round
  }
  for (const { server } of variants.values()) server.pause()
  try {
    for (const variant of variants.values()) await runVariant(variant) // warms up the JIT
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, variant] of rotate([...variants], round)) {
        found.get(name)?.push(await runVariant(variant))
      }
    }
  } finally {
    for (const { server } of variants.values()) server.resume()
  }
  return found
}

/** Rotates the order, so that each variant runs in each position and after each other one. */
function rotate<T>(variants: readonly T[], round: number): readonly T[] {
  const order = round % 2 === 0 ? variants : variants.toReversed()
  const first = Math.floor(round / 2) % variants.length
  return [...order.slice(first), ...order.slice(0, first)]
}

async function runOnce(
  server: ChildServer,
  generator: LoadGenerator,
  workload: Workload,
  { connections, durationMs }: { readonly connections: number; readonly durationMs: number },
): Promise<Round> {
  const own = process.cpuUsage()
  const before = await server.usage()
  const { times, seconds } = await generator.run({
    ...workload,
    base: server.base,
    connections,
    durationMs,
  })
  const after = await server.usage()
  const { user, system } = process.cpuUsage(own)
  const count = times.length
  return {
    rate: count / seconds,
    serverMs: (after.cpuMs - before.cpuMs) / count,
    engineMs: (user + system) / 1_000 / count,
  }
}

function toRows(workload: string, found: Rounds): readonly string[] {
  const [base = []] = found.values()
  const middle = (values: readonly number[]): number => computePercentile(values, 0.5)
  const rows = [...found].map(([name, rounds]) => {
    const ratios = rounds.map(({ rate }, round) => rate / (base[round]?.rate ?? NaN))
    const cpu = rounds.map(({ serverMs, engineMs }) => serverMs + engineMs)
    const ofBase = base.map(({ serverMs, engineMs }) => serverMs + engineMs)
    return [
      name,
      middle(rounds.map(({ rate }) => rate)).toFixed(0),
      `${middle(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      middle(rounds.map(({ serverMs }) => serverMs)).toFixed(2),
      middle(rounds.map(({ engineMs }) => engineMs)).toFixed(2),
      (middle(ofBase) / middle(cpu)).toFixed(3),
    ]
  })
  const head = [workload, 'req/s', 'ratio (min–max)', 'CPU ms', 'engine ms', 'CPU ratio']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}
