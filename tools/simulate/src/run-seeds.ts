import { bundlePrograms } from './world/programs.ts'
import { runSeed, type SeedResult } from './run-seed.ts'
import type { Mutation } from './host/bundle.ts'
import { KNOWN_FAULTS, type KnownFault } from './known-faults.ts'
import { watchRejections } from './host/install.ts'

export interface SeedsOptions {
  readonly from: number
  readonly count: number
  /** Distance of two seeds. Other processes run those between. */
  readonly step: number
  readonly isTraced: boolean
  /** No seed starts afterwards. */
  readonly seconds: number
  /** The name of a known fault that is brought back. The run ends when a seed finds it. */
  readonly fault: string | null
  /** The kinds of faults. Null: the seed decides. */
  readonly kinds: readonly string[] | null
}

/** Seed 0 only fills the caches of npm packages, so that every later run begins in the same state. */
const WARM_UP = 0

/** Runs seeds and prints the result. Returns whether all were good. */
export async function runSeeds(options: SeedsOptions): Promise<boolean> {
  const { from, count, step, isTraced, seconds } = options
  const fault = findFault(options.fault)
  const kinds = options.kinds ?? fault?.kinds ?? null
  watchRejections()
  const programs = await bundlePrograms(mutationsOf(fault))
  await runSeed(WARM_UP, programs)
  const startedAt = process.hrtime.bigint()
  const elapsed = (): number => Number(process.hrtime.bigint() - startedAt) / 1e9
  let done = 0
  let bad = 0
  for (let index = 0; index < count && elapsed() < seconds; index += 1) {
    const seed = from + index * step
    const began = elapsed()
    const result = await runSeed(seed, programs, {
      keepTrace: isTraced,
      kinds,
    })
    done += 1
    if (result.violations.length > 0) bad += 1
    report(result, { seconds: elapsed() - began, isTraced, fault: options.fault })
    if (fault !== null && bad > 0) break
  }
  print(`${done} seeds, ${bad} with faults, ${elapsed().toFixed(1)} s`)
  return bad === 0 && done > 0
}

function mutationsOf(fault: KnownFault | null): readonly Mutation[] {
  return fault === null ? [] : [fault.mutation]
}

/** @throws Error for an unknown name */
function findFault(name: string | null): KnownFault | null {
  if (name === null) return null
  const fault = Object.hasOwn(KNOWN_FAULTS, name) ? KNOWN_FAULTS[name] : undefined
  if (fault === undefined)
    throw new Error(`--mutation: one of ${Object.keys(KNOWN_FAULTS).join(', ')}`)
  return fault
}

function report(
  { seed, violations, trace }: SeedResult,
  {
    seconds,
    isTraced,
    fault,
  }: { readonly seconds: number; readonly isTraced: boolean; readonly fault: string | null },
): void {
  if (isTraced) for (const line of trace.lines()) print(line)
  const digest = trace.digest().slice(0, 16)
  print(`seed ${seed}: ${trace.events} events, ${seconds.toFixed(2)} s, trace ${digest}`)
  if (violations.length === 0) return
  for (const { at, text } of violations) print(`  at ${(at / 1e6).toFixed(6)} s: ${text}`)
  const mutation = fault === null ? '' : ` --mutation ${fault}`
  print(`  replay: npm run simulate -- --seed ${seed} --trace${mutation}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
