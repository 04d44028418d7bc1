import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildServer } from './child-server.ts'
import { startChildServer } from './child-server.ts'
import { BENCH_TYPES } from './content.ts'
import { compareVariants, findWorkload } from './compare-variants.ts'
import { startLoadGenerator } from './load.ts'
import type { BenchOptions } from './options.ts'
import { type Bench, prepareBench, writeTypes } from './prepare.ts'
import { describeMachine } from './report.ts'
import { readSeeded } from './seeded.ts'
import { readShipped } from './shipped.ts'
import { type Workload, makeWorkloads } from './workloads.ts'

/**
 * Variants of a published creation over HTTP. `without` writes no commit log, `log` writes and
 * numbers it, `all` is Quire as shipped, with history and all readers of the log.
 */
const KINDS = ['without', 'log', 'all'] as const
type Kind = (typeof KINDS)[number]

const SCRIPTS: Readonly<Record<Kind, URL>> = {
  without: new URL('./unlogged-server.js', import.meta.url),
  log: new URL('../../../../src/server/main.js', import.meta.url),
  all: new URL('../../../../src/server/main.js', import.meta.url),
}

/**
 * `npm run bench -- log`: measures the row `create with and without the log`.
 */
export async function benchLog(options: BenchOptions): Promise<string> {
  const [posts = 1] = options.posts
  const bench = await prepareBench({ posts, cities: options.cities })
  const generator = startLoadGenerator()
  try {
    const servers = await startAll(bench)
    const workload = await createWorkload(servers.all, posts)
    const variants = new Map(KINDS.map((kind) => [kind, { server: servers[kind], workload }]))
    const rows = await compareVariants(variants, generator, options)
    await Promise.all(Object.values(servers).map((server) => server.stop()))
    const machine = [describeMachine(), `${bench.databaseVersion} (${bench.reason})`, '']
    return [...machine, ...rows].join('\n')
  } finally {
    generator.stop()
    await bench.close()
  }
}

async function createWorkload({ base }: ChildServer, posts: number): Promise<Workload> {
  return findWorkload(makeWorkloads(await readSeeded(base, posts)), 'create')
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
