import { parseArgs } from 'node:util'
import type { Settings } from './measure.ts'

export interface BenchOptions extends Settings {
  readonly cities: number
  readonly posts: number
  /** Null: all of them. */
  readonly workload: string | null
  readonly json: boolean
  /** Where plots go; null: none. */
  readonly plots: string | null
  /** Numbers of documents to plot throughput by, ascending. */
  readonly sizes: readonly number[]
  /** Where Quire's CPU profile goes; null: none. */
  readonly profile: string | null
  /** How long memory is watched; 0: not at all. */
  readonly memorySeconds: number
}

export const BENCH_USAGE = `npm run bench -- [options]          Quire beside a bare server, in turn
npm run bench -- embedded           the embedded engine by itself
npm run bench -- queries            queries of the sample, one client

  --workload NAME     one of list, populated, findOne, "indexed filter", "deep filter",
                      "cursor page 1", "cursor deep page", create, start-up
  --rounds N          of each workload (3)
  --seconds N         of each round and server (1)
  --connections N     kept open (8)
  --posts N           articles (1000)
  --cities N          of the sample (10000; there are 135233)
  --memory SECONDS    watch resident memory under a load of lists
  --plots FOLDER      draw throughput and latency
  --sizes N,N,…       numbers of documents to draw (1000,10000,100000)
  --profile FOLDER    write a CPU profile of Quire
  --json              for programs`

/** @throws TypeError, RangeError for what is no option or no positive number. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const text = (preset: string) => ({ type: 'string', default: preset }) as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      workload: { type: 'string' },
      rounds: text('3'),
      seconds: text('1'),
      connections: text('8'),
      posts: text('1000'),
      cities: text('10000'),
      memory: text('0'),
      plots: { type: 'string' },
      sizes: text('1000,10000,100000'),
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  return {
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    connections: positive('connections', values.connections),
    posts: positive('posts', values.posts),
    cities: positive('cities', values.cities),
    memorySeconds: values.memory === '0' ? 0 : positive('memory', values.memory),
    workload: values.workload ?? null,
    plots: values.plots ?? null,
    sizes: values.sizes.split(',').map((size) => positive('sizes', size)),
    profile: values.profile ?? null,
    json: values.json,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new RangeError(`--${name} ${text}: expected a whole number above 0`)
}
