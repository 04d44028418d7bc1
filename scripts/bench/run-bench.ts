import { startLoadGenerator } from './load.ts'
import { assertSameAnswers, countCommands, measure, type WorkloadResult } from './measure.ts'
import { measureMemory } from './memory.ts'
import type { BenchOptions } from './options.ts'
import { drawPlots, type Plotting } from './plots.ts'
import { prepareBench } from './prepare.ts'
import { describeMachine, type Report } from './report.ts'
import { readSeeded } from './seeded.ts'
import { startPair, stopPair } from './servers.ts'
import { measureStartUp } from './start-up.ts'
import { type Workload, workloadsFor } from './workloads.ts'

const START_UP = 'start-up'

type Say = (line: string) => void

/** Seeds, measures, and removes what it made. `say` is told how it goes. */
export async function runBench(options: BenchOptions, say: Say): Promise<Report> {
  say('seeding')
  const bench = await prepareBench(options)
  say(bench.reason)
  try {
    const pair = await startPair(bench, options.profile)
    const generator = startLoadGenerator()
    try {
      return await measureAll({ bench, pair, generator }, options, say)
    } finally {
      generator.stop()
      await stopPair(pair)
    }
  } finally {
    await bench.close()
  }
}

async function measureAll(
  running: Pick<Plotting, 'bench' | 'pair' | 'generator'>,
  options: BenchOptions,
  say: Say,
): Promise<Report> {
  const { bench, pair, generator } = running
  const all = workloadsFor(await readSeeded(pair.quire.base, options.posts))
  const chosen = choose(all, options.workload)
  const workloads: WorkloadResult[] = []
  for (const workload of chosen) {
    say(workload.name)
    await assertSameAnswers(pair, workload)
    workloads.push(await measure(pair, generator, workload, options))
  }
  const { memorySeconds: seconds, connections, plots: folder, sizes } = options
  const [list] = all
  const isWatched = seconds > 0 && list !== undefined
  const memory = isWatched
    ? await measureMemory(pair, generator, list, { seconds, connections })
    : null
  const commands = {
    quire: await countCommands(bench, 'quire', chosen),
    bare: await countCommands(bench, 'bare', chosen),
  }
  const withStartUp = options.workload === null || options.workload === START_UP
  const startUp = withStartUp ? await measureStartUp(bench, options.rounds) : null
  if (folder !== null) {
    say('drawing plots')
    await drawPlots({ ...running, settings: options, folder, sizes })
  }
  const database = `${bench.databaseVersion} (${bench.reason})`
  return { machine: describeMachine(), database, workloads, commands, startUp, memory }
}

/** @throws RangeError for a name that no workload has. */
function choose(all: readonly Workload[], name: string | null): readonly Workload[] {
  if (name === null) return all
  if (name === START_UP) return []
  const chosen = all.filter((workload) => workload.name === name)
  if (chosen.length > 0) return chosen
  const names = [...all.map((workload) => workload.name), START_UP].join(', ')
  throw new RangeError(`--workload ${name}: expected one of ${names}`)
}
