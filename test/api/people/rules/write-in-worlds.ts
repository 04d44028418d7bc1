import * as fc from 'fast-check'
import { RulePusher } from './pusher.ts'
import { type ServedWrites, serveWrites } from './serve-writes.ts'
import { RuleWriter } from './writer.ts'
import {
  PUSH_PROBE,
  type PushProbe,
  WRITE_PROBE,
  WRITE_WORLD,
  type WriteProbe,
} from './write-world.ts'

type Counts = Readonly<Record<string, number>>

interface Prober<P> {
  readonly counts: Counts
  send(probe: P): Promise<void>
}

interface Probes<P> {
  readonly probe: fc.Arbitrary<P>
  readonly open: (served: ServedWrites) => Prober<P>
}

const WRITES: Probes<WriteProbe> = { probe: WRITE_PROBE, open: (served) => new RuleWriter(served) }
const PUSHES: Probes<PushProbe> = { probe: PUSH_PROBE, open: (served) => new RulePusher(served) }

/**
 * Sends random writes to random worlds, and returns their number by verb and status. @throws Error with the seed and
 * the write that contradicts the interpreter
 */
export function writeInWorlds(writes: number, seed: number, perWorld: number): Promise<Counts> {
  return probeWorlds(WRITES, { runs: writes, seed, perWorld })
}

/** The same with requests to `_push`. */
export function pushInWorlds(pushes: number, seed: number, perWorld: number): Promise<Counts> {
  return probeWorlds(PUSHES, { runs: pushes, seed, perWorld })
}

async function probeWorlds<P>(
  { probe, open }: Probes<P>,
  { runs, seed, perWorld }: Readonly<Record<'runs' | 'seed' | 'perWorld', number>>,
): Promise<Counts> {
  const counts: Record<string, number> = {}
  const worlds = fc.sample(WRITE_WORLD, { numRuns: Math.ceil(runs / perWorld), seed })
  for (const [index, world] of worlds.entries()) {
    const served = await serveWrites(world)
    try {
      const prober = open(served)
      const number = Math.min(perWorld, runs - index * perWorld)
      for (const one of fc.sample(probe, { numRuns: number, seed: seed + index })) {
        await prober.send(one).catch((error: unknown) => {
          throw new Error(`seed ${seed}, world ${index}: ${String(error)}`, { cause: error })
        })
      }
      for (const [key, count] of Object.entries(prober.counts)) {
        counts[key] = (counts[key] ?? 0) + count
      }
    } finally {
      await served.close()
    }
  }
  return counts
}
