import { parseArgs } from 'node:util'
import { installPatches } from './host/install.ts'
import { runJobs } from './run-jobs.ts'

installPatches()
const { runSeeds } = await import('./run-seeds.ts')

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    mutation: { type: 'string' },
    kinds: { type: 'string' },
  },
})
const { seed, jobs, trace, seconds, mutation } = values
const from = Number(seed ?? values.from)
const count = seed === undefined ? Number(values.seeds) : 1
const isGood =
  Number(jobs) > 1
    ? await runJobs({ from, count, jobs: Number(jobs), seconds: seconds ?? null })
    : await runSeeds({
        from,
        count,
        step: Number(values.step),
        isTraced: trace,
        seconds: seconds === undefined ? Infinity : Number(seconds),
        fault: mutation ?? null,
        kinds: values.kinds?.split(',') ?? null,
      })
// A pipe takes the lines later.
await new Promise((resolve) => process.stdout.write('', resolve))
process.exit(isGood ? 0 : 1)
