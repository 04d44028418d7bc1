import * as fc from 'fast-check'
import { type Probe, probeOf } from './probes.ts'
import { Prober } from './prober.ts'
import { serveWorld } from './serve-world.ts'
import { SIZE, WORLD, type World } from './world.ts'

/** Requests of different principals at the same moment must not share responses. */
const CONCURRENCY = 8

interface ProbeRun {
  readonly probes: number
  /** Probes of one world before the next one. */
  readonly perWorld: number
  readonly seed: number
}

/**
 * Probes random worlds and returns the number of probes by door and status. Probes of a world run at the same moment, a
 * few at a time. @throws Error with the seed and the probe that contradicts the oracle
 */
export async function probeWorlds({
  probes,
  perWorld,
  seed,
}: ProbeRun): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const worlds = fc.sample(WORLD, { numRuns: Math.ceil(probes / perWorld), seed })
  for (const [index, world] of worlds.entries()) {
    const number = Math.min(perWorld, probes - index * perWorld)
    const named = `seed ${seed}, world ${index}`
    addCounts(counts, await probeWorld(world, number, seed, named))
  }
  return counts
}

export function addCounts(
  counts: Record<string, number>,
  more: Readonly<Record<string, number>>,
): void {
  for (const [key, count] of Object.entries(more)) counts[key] = (counts[key] ?? 0) + count
}

async function probeWorld(
  world: World,
  number: number,
  seed: number,
  named: string,
): Promise<Readonly<Record<string, number>>> {
  const served = await serveWorld(world)
  try {
    const prober = new Prober(served)
    const probes = fc.sample(probeOf(world.shapes, SIZE), { numRuns: number, seed })
    for (let start = 0; start < probes.length; start += CONCURRENCY) {
      const group = probes.slice(start, start + CONCURRENCY)
      const results = await Promise.allSettled(group.map((probe) => runProbe(named, probe, prober)))
      throwFirst(results)
    }
    return prober.counts
  } finally {
    await served.server.close()
  }
}

function throwFirst(results: readonly PromiseSettledResult<void>[]): void {
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function runProbe(named: string, probe: Probe, prober: Prober): Promise<void> {
  try {
    await prober.probe(probe)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`${named}: ${JSON.stringify(probe)}\n${message}`, { cause: error })
  }
}
