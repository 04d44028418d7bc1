import { parseArgs } from 'node:util'
import {
  BULK_TYPES,
  type BulkType,
  makeUpsertLines,
  makeDocuments,
  openBareBulk,
  sendBulk,
  makeSmallLines,
} from './bulk-clients.ts'
import type { ChildServer } from './child-server.ts'
import { makePost } from './content.ts'
import { startLoadGenerator, UNIQUE } from './load.ts'
import { prepareBench, ROOT_TOKEN } from './prepare.ts'
import { describeMachine } from './report.ts'
import { startSide } from './servers.ts'
import { type Spread, computeSpread } from './statistics.ts'

// `npm run bench -- bulk`: documents per second by `POST /api/_bulk`, compared with single POSTs
// over ten connections and with the driver's `insertMany` of the same rows, in alternating rounds.
// With `--memory LINES` it measures the server's resident memory while it receives that many small
// lines, in requests of 10,000.

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    lines: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '3' },
    memory: { type: 'string', default: '0' },
    profile: { type: 'string' },
  },
})
const MAX_LINES = 10_000
const CONNECTIONS = 10
const MEMORY_SAMPLES = 20

const bench = await prepareBench({ posts: 1_000, cities: 100 })
const profiling =
  values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const quire = await startSide('quire', bench.env, profiling)
console.log(`${describeMachine()}\n${bench.databaseVersion} (${bench.reason})\n`)
try {
  const lines = Number(values.memory)
  if (lines > 0) await watchMemory(quire, lines)
  else for (const type of BULK_TYPES) await compare(type)
} finally {
  await quire.stop()
  await bench.close()
}

async function compare(type: BulkType): Promise<void> {
  const generator = startLoadGenerator()
  const bare = await openBareBulk(bench)
  const lines = Number(values.lines)
  const found = { single: [] as number[], bulk: [] as number[], insertMany: [] as number[] }
  await sendBulk(quire.base, makeUpsertLines(type, makeDocuments(`${type}-warm`, 1_000)))
  await bare.insert(type, makeDocuments(`${type}-warm`, 1_000))
  const cpuMs: number[] = []
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const batch = `${type}-${round}`
    const { times, seconds } = await generator.run(singles(type))
    found.single.push(times.length / seconds)
    const before = await quire.usage()
    found.bulk.push(
      await rate(() => sendBulk(quire.base, makeUpsertLines(type, makeDocuments(batch, lines)))),
    )
    cpuMs.push(((await quire.usage()).cpuMs - before.cpuMs) / lines)
    found.insertMany.push(await rate(() => bare.insert(type, makeDocuments(batch, lines))))
  }
  generator.stop()
  await bare.close()
  console.log(`${type}, ${type === 'post' ? 'two rows' : 'one row'} a document:`)
  for (const [name, rates] of Object.entries(found)) {
    console.log(`  ${name.padEnd(10)} ${inWords(computeSpread(rates))} documents/s`)
  }
  const ratio = (other: readonly number[]): Spread =>
    computeSpread(found.bulk.map((each, round) => each / (other[round] ?? 1)))
  console.log(`  bulk by single      ${inWords(ratio(found.single), 1)}`)
  console.log(`  bulk by insertMany  ${inWords(ratio(found.insertMany), 2)}`)
  console.log(`  CPU of the server   ${inWords(computeSpread(cpuMs), 3)} ms a line\n`)
}

function singles(type: BulkType) {
  const bodies = Array.from({ length: 500 }, (_, index) =>
    JSON.stringify({ data: { ...makePost(index), slug: `${type}-single-${UNIQUE}` } }),
  )
  return {
    base: quire.base,
    method: 'POST',
    paths: [`/api/${type}s`],
    bodies,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${ROOT_TOKEN}` },
    connections: CONNECTIONS,
    durationMs: Number(values.seconds) * 1_000,
  } as const
}

async function rate(work: () => Promise<number>): Promise<number> {
  const began = performance.now()
  const made = await work()
  return (made * 1_000) / (performance.now() - began)
}

function inWords({ mean, min, max }: Spread, digits = 0): string {
  return `${mean.toFixed(digits).padStart(7)} (${min.toFixed(digits)}–${max.toFixed(digits)})`
}

async function watchMemory(server: ChildServer, lines: number): Promise<void> {
  const began = performance.now()
  let sent = 0
  for (let look = 1; look <= MEMORY_SAMPLES; look += 1) {
    for (const end = (lines * look) / MEMORY_SAMPLES; sent < end;) {
      const count = Math.min(MAX_LINES, Math.ceil(end) - sent)
      sent += await sendBulk(server.base, makeSmallLines(count))
    }
    const { residentBytes } = await server.usage()
    const seconds = (performance.now() - began) / 1_000
    console.log(
      `${String(sent).padStart(9)} lines  ${(residentBytes / 2 ** 20).toFixed(0)} MB  ${(sent / seconds).toFixed(0)} a second`,
    )
  }
}
