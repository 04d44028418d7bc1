// A separate process, started with --expose-gc. Prints how many bytes of garbage only a full collection frees. The
// first argument names the holder.

import { ActiveSet } from '../../../../src/mongo/connection/driver-patches/active-sets.ts'

const ROUNDS = 400
const KEPT_AT_ONCE = 4
const ROUNDS_TO_COLLECT = 16
const WEIGHT = 5_000 // elements per item: 16 MB in total

type Collect = (options?: { readonly type: 'minor' }) => void
const collect = Reflect.get(globalThis, 'gc') as Collect

const weighty = (): object => ({ weight: Array.from({ length: WEIGHT }, () => null) })

const things = process.argv[2] === 'Set' ? new Set<object>() : new ActiveSet<object>()
const kept = [weighty()]
for (const thing of kept) things.add(thing)
collect() // the holder is in the old generation from here on
for (let round = 0; round < ROUNDS; round += 1) {
  const thing = weighty()
  things.add(thing)
  kept.push(thing)
  if (kept.length > KEPT_AT_ONCE) things.delete(kept.shift() ?? thing)
  if (round % ROUNDS_TO_COLLECT === 0) collect({ type: 'minor' })
}
for (const thing of kept.splice(0)) things.delete(thing)
collect({ type: 'minor' })
const { heapUsed } = process.memoryUsage()
collect()
process.stdout.write(String(heapUsed - process.memoryUsage().heapUsed))
