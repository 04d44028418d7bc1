import type { LoadGenerator } from './load.ts'
import type { ServerPair } from './servers.ts'
import type { Workload } from './workloads.ts'

const PARTS = 10

/** Resident memory of Quire under load, in bytes, at equal intervals. */
export async function measureMemory(
  { quire }: ServerPair,
  generator: LoadGenerator,
  workload: Workload,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
): Promise<readonly number[]> {
  const resident: number[] = []
  for (let part = 0; part < PARTS; part += 1) {
    const durationMs = (seconds * 1000) / PARTS
    const base = quire.base
    await generator.run({ ...workload, base, connections, durationMs })
    resident.push((await quire.usage()).residentBytes)
  }
  return resident
}
