import * as fc from 'fast-check'
import { serveWrites } from './serve-writes.ts'
import { RuleWriter } from './writer.ts'
import { WRITE_PROBE, WRITE_WORLD } from './write-world.ts'

/**
 * Sends random writes to random worlds, and returns their number by verb and status. @throws Error with the seed and
 * the write that contradicts the interpreter
 */
export async function writeInWorlds(
  writes: number,
  seed: number,
  perWorld: number,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const worlds = fc.sample(WRITE_WORLD, { numRuns: Math.ceil(writes / perWorld), seed })
  for (const [index, world] of worlds.entries()) {
    const served = await serveWrites(world)
    try {
      const writer = new RuleWriter(served)
      const number = Math.min(perWorld, writes - index * perWorld)
      for (const probe of fc.sample(WRITE_PROBE, { numRuns: number, seed: seed + index })) {
        await writer.write(probe).catch((error: unknown) => {
          throw new Error(`seed ${seed}, world ${index}: ${String(error)}`, { cause: error })
        })
      }
      for (const [key, count] of Object.entries(writer.counts)) {
        counts[key] = (counts[key] ?? 0) + count
      }
    } finally {
      await served.close()
    }
  }
  return counts
}
