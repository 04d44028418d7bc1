import { fillCache } from './full-cache.ts'
import { startLoadGenerator } from './load.ts'
import {
  assertSameAnswers,
  countCommands,
  measureWorkload,
  type WorkloadResult,
} from './measure.ts'
import { measureMemory } from './memory.ts'
import type { BenchOptions } from './options.ts'
import { drawPlots, type Plotting } from './plots.ts'
import { prepareBench } from './prepare.ts'
import { describeMachine, type BenchReport } from './report.ts'
import { readSeeded } from './seeded.ts'
import { startPair, stopPair } from './servers.ts'
import { measureStartUp } from './start-up.ts'
import { type Workload, makeWorkloads } from './workloads.ts'

const START_UP = 'start-up'
/** After this workload the response cache is filled. */
const CACHED = 'cached list'

type Say = (line: string) => void

/** Seeds, measures and cleans up. `say` receives progress lines. */
export async function runBench(options: BenchOptions, say: Say): Promise<BenchReport> {
  say('seeding')
  const [posts = 1] = options.posts
  const bench = await prepareBench({ posts, cities: options.cities })
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
): Promise<BenchReport> {
  const { bench, pair, generator } = running
  const [fewest = 1] = options.posts
  const all = makeWorkloads(await readSeeded(pair.quire.base, fewest))
  const chosen = choose(all, options.workloads)
  const workloads = await measureEach(running, chosen, options, say)
  const { memorySeconds: seconds, plots: folder, sizes } = options
  const [connections = 1] = options.connections
  const [list] = all
  const isWatched = seconds > 0 && list !== undefined
  const memory = isWatched
    ? await measureMemory(pair, generator, list, { seconds, connections })
    : null
  const cached = chosen.find(({ name }) => name === CACHED)
  const fullCache = cached === undefined ? null : await fillCache(pair.quire, fewest)
  const commands = {
    quire: await countCommands(bench, 'quire', chosen),
    bare: await countCommands(bench, 'bare', chosen),
  }
  const withStartUp = options.workloads?.includes(START_UP) ?? true
  const startUp = withStartUp ? await measureStartUp(bench, options.rounds) : null
  if (folder !== null) {
    say('drawing plots')
    await drawPlots({ ...running, settings: { ...options, connections }, folder, sizes })
  }
  const database = `${bench.databaseVersion} (${bench.reason})`
  return { machine: describeMachine(), database, workloads, commands, startUp, memory, fullCache }
}

/** Workloads on cities run only with the first number of posts. */
async function measureEach(
  { bench, pair, generator }: Pick<Plotting, 'bench' | 'pair' | 'generator'>,
  chosen: readonly Workload[],
  options: BenchOptions,
  say: Say,
): Promise<readonly WorkloadResult[]> {
  const results: WorkloadResult[] = []
  for (const [index, posts] of options.posts.entries()) {
    if (index > 0) await bench.seedPosts(posts)
    const names = new Set(chosen.map(({ name }) => name))
    const workloads = makeWorkloads(await readSeeded(pair.quire.base, posts)).filter(
      ({ name, about }) => names.has(name) && (index === 0 || about === 'posts'),
    )
    for (const workload of workloads) {
      await assertSameAnswers(pair, workload)
      for (const connections of options.connections) {
        say(`${workload.name}, ${posts} posts, ${connections} connections`)
        const settings = { ...options, connections }
        results.push({ ...(await measureWorkload(pair, generator, workload, settings)), posts })
      }
    }
  }
  return results
}

/** @throws RangeError for an unknown workload */
function choose(all: readonly Workload[], names: readonly string[] | null): readonly Workload[] {
  if (names === null) return all
  const known = [...all.map(({ name }) => name), START_UP]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new RangeError(`--workload ${unknown}: expected some of ${known.join(', ')}`)
  }
  return all.filter(({ name }) => names.includes(name))
}
