import { parseArgs } from 'node:util'
import { type ChildServer, startChildServer } from './child-server.ts'
import { startLoadGenerator } from './load.ts'
import { prepareBench } from './prepare.ts'
import { readSeeded } from './seeded.ts'
import { readShipped } from './shipped.ts'
import { computePercentile } from './statistics.ts'
import { type Workload, makeWorkloads } from './workloads.ts'

// `npm run bench -- flags`: compares V8 flags in alternating rounds, so that other load affects all
// variants equally. CPU is the process time per request. Memory is resident memory after the last
// round.

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    workload: { type: 'string', default: 'populated' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '1,10,50,200' },
    posts: { type: 'string', default: '2000' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const posts = Number(values.posts)

/** V8 flags by variant name. The flags of the Docker image come first as the baseline. */
const VARIANTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['as shipped', readShipped().options.filter((option) => /semi-space|heap-growing/.test(option))],
  ['none', []],
  ['semi 8', ['--max-semi-space-size=8']],
  ['growing 40', ['--heap-growing-percent=40']],
  ['semi 16', ['--max-semi-space-size=16']],
  ['semi 16, growing 40', ['--max-semi-space-size=16', '--heap-growing-percent=40']],
  ['semi 16, growing 100', ['--max-semi-space-size=16', '--heap-growing-percent=100']],
])

interface Measured {
  readonly cpuMs: number[]
  residentBytes: number
}

const bench = await prepareBench({ posts, cities: 1_000 })
const generator = startLoadGenerator()
const servers = new Map<string, ChildServer>()
try {
  for (const [name, flags] of VARIANTS) servers.set(name, await start(flags))
  const [first] = servers.values()
  const workload = makeWorkloads(await readSeeded(first?.base ?? '', posts)).find(
    ({ name }) => name === values.workload,
  )
  if (workload === undefined) throw new RangeError(`--workload ${values.workload}: there is none`)
  for (const connections of values.connections.split(',').map(Number)) {
    show(workload, connections, await measure(workload, connections))
  }
} finally {
  generator.stop()
  for (const server of servers.values()) await server.stop()
  await bench.close()
}

function start(flags: readonly string[]): Promise<ChildServer> {
  const { options, env } = readShipped()
  const others = options.filter((option) => !/semi-space|heap-growing/.test(option))
  const script = new URL('../../../../src/server/main.js', import.meta.url)
  return startChildServer(script, { ...env, ...bench.env }, [...others, ...flags])
}

async function measure(
  workload: Workload,
  connections: number,
): Promise<ReadonlyMap<string, Measured>> {
  const found = new Map<string, Measured>()
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, server] of servers) {
      const before = await server.usage()
      const durationMs = seconds * 1_000
      const load = await generator.run({ ...workload, base: server.base, connections, durationMs })
      const after = await server.usage()
      const cpuMs = found.get(name)?.cpuMs ?? []
      if (round >= 0) cpuMs.push((after.cpuMs - before.cpuMs) / load.times.length)
      found.set(name, { cpuMs, residentBytes: after.residentBytes })
    }
  }
  return found
}

function show({ name }: Workload, connections: number, found: ReadonlyMap<string, Measured>): void {
  console.log(`${name}, ${connections} connections`)
  for (const [variant, { cpuMs, residentBytes }] of found) {
    const cpu = [0, 0.5, 1].map((share) => computePercentile(cpuMs, share).toFixed(2))
    const [least, middle, most] = cpu
    const megabytes = (residentBytes / 2 ** 20).toFixed(0)
    console.log(`  ${variant.padEnd(22)} ${middle} ms (${least}–${most}), ${megabytes} MB`)
  }
}
