// A process of its own, started with --expose-gc: how much of what came and went only a collection of the
// whole heap finds, in bytes. The first argument names what held it.

import { ActiveSet } from '../../../src/mongo/connection/active-sets.ts'

const ROUNDS = 400
const KEPT_AT_ONCE = 4
const ROUNDS_TO_COLLECT = 16
const WEIGHT = 5_000 // elements of an array of each thing: 16 MB in all

type Collect = (options?: { readonly type: 'minor' }) => void
const collect = Reflect.get(globalThis, 'gc') as Collect

const weighty = (): object => ({ weight: Array.from({ length: WEIGHT }, () => null) })

const things = process.argv[2] === 'Set' ? new Set<object>() : new ActiveSet<object>()
const kept = [weighty()]
for (const thing of kept) things.add(thing)
collect() // what holds them is old from here on
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
