import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildServer } from './child-server.ts'
import { startChildServer } from './child-server.ts'
import { BENCH_TYPES } from './content.ts'
import { type LoadGenerator, startLoadGenerator } from './load.ts'
import type { BenchOptions } from './options.ts'
import { type Bench, prepareBench, writeTypes } from './prepare.ts'
import { describeMachine } from './report.ts'
import { readSeeded } from './seeded.ts'
import { readShipped } from './shipped.ts'
import { computePercentile } from './statistics.ts'
import { type Workload, makeWorkloads } from './workloads.ts'

/**
 * Variants of a published creation over HTTP. `without` writes no commit log, `log` writes and
 * numbers it, `all` is Quire as shipped, with history and all readers of the log.
 */
const KINDS = ['without', 'log', 'all'] as const
type Kind = (typeof KINDS)[number]

interface Round {
  readonly rate: number
  /**
   * Milliseconds of CPU per creation: of the server, and of this process, which runs the embedded
   * engine.
   */
  readonly serverMs: number
  readonly engineMs: number
}

const SCRIPTS: Readonly<Record<Kind, URL>> = {
  without: new URL('./unlogged-server.js', import.meta.url),
  log: new URL('../../../../src/main.js', import.meta.url),
  all: new URL('../../../../src/main.js', import.meta.url),
}
const WARM_UP_MS = 1_000

/**
 * `npm run bench -- log`: measures the row `create with and without the log`. Rounds alternate, so
 * that ratios are paired. One server runs at a time and the others are paused: an idle server would
 * still read the commits of the others.
 */
export async function benchLog(options: BenchOptions): Promise<string> {
  const [posts = 1] = options.posts
  const bench = await prepareBench({ posts, cities: options.cities })
  const generator = startLoadGenerator()
  try {
    const servers = await startAll(bench)
    const create = await createWorkload(servers.all, posts)
    const found = await runRounds(servers, generator, create, options)
    await Promise.all(Object.values(servers).map((server) => server.stop()))
    const machine = [describeMachine(), `${bench.databaseVersion} (${bench.reason})`, '']
    return [...machine, ...toRows(found)].join('\n')
  } finally {
    generator.stop()
    await bench.close()
  }
}

async function createWorkload({ base }: ChildServer, posts: number): Promise<Workload> {
  const all = makeWorkloads(await readSeeded(base, posts))
  const create = all.find(({ name }) => name === 'create')
  if (create === undefined) throw new Error('the workload create is missing')
  return create
}

async function runRounds(
  servers: Readonly<Record<Kind, ChildServer>>,
  generator: LoadGenerator,
  create: Workload,
  { rounds, seconds, connections }: BenchOptions,
): Promise<Readonly<Record<Kind, readonly Round[]>>> {
  const settings = { connections: connections[0] ?? 1, durationMs: seconds * 1_000 }
  const warmUp = { ...settings, durationMs: WARM_UP_MS }
  const found: Record<Kind, Round[]> = { without: [], log: [], all: [] }
  const runKind = async (kind: Kind): Promise<Round> => {
    const server = servers[kind]
    server.resume()
    await runOnce(server, generator, create, warmUp) // also catches up with the log
    const round = await runOnce(server, generator, create, settings)
    server.pause()
    return round
  }
  for (const server of Object.values(servers)) server.pause()
  try {
    for (const kind of KINDS) await runKind(kind) // warms up the JIT
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of orderOf(round)) found[kind].push(await runKind(kind))
    }
  } finally {
    for (const server of Object.values(servers)) server.resume()
  }
  return found
}

/** Rotates the order, so that each variant runs in each position and after each other one. */
function orderOf(round: number): readonly Kind[] {
  const order = round % 2 === 0 ? KINDS : KINDS.toReversed()
  const first = Math.floor(round / 2) % KINDS.length
  return [...order.slice(first), ...order.slice(0, first)]
}

async function startAll({ env }: Bench): Promise<Readonly<Record<Kind, ChildServer>>> {
  const types = env['CONTENT_TYPES_DIR'] ?? ''
  const plain = join(types, '..', 'without-history')
  cpSync(types, plain, { recursive: true })
  writeTypes(plain, withoutHistory())
  const shipped = readShipped()
  const start = (kind: Kind): Promise<ChildServer> => {
    const folder = kind === 'all' ? types : plain
    const all = { ...shipped.env, ...env, CONTENT_TYPES_DIR: folder }
    return startChildServer(SCRIPTS[kind], all, shipped.options)
  }
  return { without: await start('without'), log: await start('log'), all: await start('all') }
}

function withoutHistory(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(BENCH_TYPES).map(([name, type]) => {
      const { options } = type as { readonly options?: object }
      return [name, { ...type, options: { ...options, history: false } }]
    }),
  )
}

async function runOnce(
  server: ChildServer,
  generator: LoadGenerator,
  workload: Workload,
  { connections, durationMs }: { readonly connections: number; readonly durationMs: number },
): Promise<Round> {
  const own = process.cpuUsage()
  const before = await server.usage()
  const { times, seconds } = await generator.run({
    ...workload,
    base: server.base,
    connections,
    durationMs,
  })
  const after = await server.usage()
  const { user, system } = process.cpuUsage(own)
  const count = times.length
  return {
    rate: count / seconds,
    serverMs: (after.cpuMs - before.cpuMs) / count,
    engineMs: (user + system) / 1_000 / count,
  }
}

function toRows(found: Readonly<Record<Kind, readonly Round[]>>): readonly string[] {
  const middle = (values: readonly number[]): number => computePercentile(values, 0.5)
  const rows = KINDS.map((kind) => {
    const rounds = found[kind]
    const ratios = rounds.map(({ rate }, round) => rate / (found.without[round]?.rate ?? NaN))
    const cpu = rounds.map(({ serverMs, engineMs }) => serverMs + engineMs)
    const base = found.without.map(({ serverMs, engineMs }) => serverMs + engineMs)
    return [
      kind,
      middle(rounds.map(({ rate }) => rate)).toFixed(0),
      `${middle(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      middle(rounds.map(({ serverMs }) => serverMs)).toFixed(2),
      middle(rounds.map(({ engineMs }) => engineMs)).toFixed(2),
      (middle(base) / middle(cpu)).toFixed(3),
    ]
  })
  const head = ['create', 'req/s', 'ratio (min–max)', 'CPU ms', 'engine ms', 'CPU ratio']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}
