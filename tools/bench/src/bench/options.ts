import { parseArgs } from 'node:util'
import type { MeasureSettings } from './measure.ts'

export interface BenchOptions extends Omit<MeasureSettings, 'connections'> {
  readonly cities: number
  /** Numbers of articles, ascending. The workloads on posts run with each of them. */
  readonly posts: readonly number[]
  /** Numbers of connections. Each workload runs with each of them. */
  readonly connections: readonly number[]
  /** Names of workloads. Null means all. */
  readonly workloads: readonly string[] | null
  readonly json: boolean
  /** The folder for plots. Null means no plots. */
  readonly plots: string | null
  /** Numbers of documents on the x axis, ascending. */
  readonly sizes: readonly number[]
  /** The folder for Quire's CPU profile. Null means no profile. */
  readonly profile: string | null
  /** Seconds of memory sampling. 0 means none. */
  readonly memorySeconds: number
}

export const BENCH_USAGE = `npm run bench -- [options]          Quire compared with a bare server
npm run bench -- embedded           the embedded engine alone
npm run bench -- queries            queries of the sample, one client
npm run bench -- search             speed and size of the search index
npm run bench -- indexing           CPU time of the search index at 100 writes per second
npm run bench -- places             the nearest cities, one client
npm run bench -- flags              V8 flags
npm run bench -- bulk               POST /api/_bulk compared with single POSTs and insertMany
npm run bench -- push               POST /api/_push: many creations, and one update compared with PUT
npm run bench -- log                create with and without the commit log
npm run bench -- hooks              create and update with and without a beforeWrite that does nothing
npm run bench -- rules              own rows under a rule, next to the same reads without one

  --workload NAME,…   some of list, "cached list", 304, "counted list", newest, populated,
                      findOne, "by slug", "sync first page", "sync tip",
                      "indexed filter", "deep filter", "cursor page 1", "cursor deep page",
                      create, update, start-up
  --rounds N          of each workload (3)
  --seconds N         of each round and server (1)
  --connections N,N,… kept open (10)
  --posts N,N,…       articles (10000)
  --full              1, 10 and 50 connections; 10,000 and 100,000 articles
  --cities N          of the sample (10000; there are 135233)
  --memory SECONDS    sample resident memory while lists are read
  --plots FOLDER      draw throughput and latency
  --sizes N,N,…       numbers of documents to draw (1000,10000,100000)
  --profile FOLDER    write a CPU profile of Quire
  --json              for programs`

/** @throws TypeError, RangeError for an unknown option or a number that is not positive */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const text = (preset: string) => ({ type: 'string', default: preset }) as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      workload: { type: 'string' },
      rounds: text('3'),
      seconds: text('1'),
      connections: { type: 'string' },
      posts: { type: 'string' },
      full: { type: 'boolean', default: false },
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
    connections: list('connections', values.connections ?? (values.full ? '1,10,50' : '10')),
    posts: ascending(list('posts', values.posts ?? (values.full ? '10000,100000' : '10000'))),
    cities: positive('cities', values.cities),
    memorySeconds: values.memory === '0' ? 0 : positive('memory', values.memory),
    workloads: values.workload?.split(',') ?? null,
    plots: values.plots ?? null,
    sizes: list('sizes', values.sizes),
    profile: values.profile ?? null,
    json: values.json,
  }
}

function list(name: string, text: string): readonly number[] {
  return text.split(',').map((item) => positive(name, item))
}

function ascending(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((one, other) => one - other)
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new RangeError(`--${name} ${text}: expected a whole number above 0`)
}
