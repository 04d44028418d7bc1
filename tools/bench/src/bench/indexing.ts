import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withEnvFile } from '../../../../src/base/config/env-file.ts'
import { documentIdFor } from '../../../../src/mongo/versions/document-id.ts'
import { sendBulk } from './bulk-clients.ts'
import { type ChildServer, startChildServer } from './child-server.ts'
import { dropDatabase, ROOT_TOKEN, writeTypes } from './prepare.ts'
import { describeMachine } from './report.ts'
import { makePage, SEARCH_TYPES } from './search-content.ts'
import { readShipped } from './shipped.ts'
import { computePercentile } from './statistics.ts'

// `npm run bench -- indexing --rate N --rounds N --seconds N --pages N --profile FOLDER`: compares the CPU time of a server with
// a search index and of another one without, at a fixed rate of creations and updates. Both run at the same time, so other work
// slows down both. Without MONGODB_URI each server runs the embedded engine, and its CPU time counts too.

const SIDES = ['unsearched', 'searched'] as const
type Side = (typeof SIDES)[number]

const SERVER = new URL('../../../../src/server/main.js', import.meta.url)
const BATCH = 1_000
const CHECK_EVERY_MS = 50
const MAX_PENDING = 20

interface Work {
  readonly cpuMsPerWrite: number
  readonly writesPerSecond: number
}

interface Written {
  readonly server: ChildServer
  pages: number
  readonly rounds: Work[]
}

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '10' },
    pages: { type: 'string', default: '10000' },
    profile: { type: 'string' },
  },
})
const rate = Number(values.rate)
const { MONGODB_URI: uri } = withEnvFile(process.env)
const folder = mkdtempSync(join(tmpdir(), 'quire-bench-indexing-'))
const sides = new Map<Side, Written>()
try {
  console.log(
    `${describeMachine()}\n${uri === undefined ? 'the embedded engine' : 'the deployment of MONGODB_URI'}\n`,
  )
  for (const side of SIDES) await fillPages(side, await startSide(side))
  for (let round = -1; round < Number(values.rounds); round += 1) {
    const works = await Promise.all([...sides.values()].map(measureWrites))
    if (round < 0) continue // the first round warms up
    for (const [index, { rounds }] of [...sides.values()].entries())
      rounds.push(...works.slice(index, index + 1))
  }
  const ended = performance.now()
  await untilFound(sideOf('searched'))
  const late = ((performance.now() - ended) / 1_000).toFixed(1)
  for (const [side, { rounds }] of sides) {
    const reached = show(rounds.map(({ writesPerSecond }) => writesPerSecond))
    const cpu = show(rounds.map(({ cpuMsPerWrite }) => cpuMsPerWrite))
    console.log(`${side.padEnd(11)} CPU ${cpu} ms per write, ${reached} writes/s`)
  }
  const shares = show(differences().map((ms) => (ms * rate) / 10))
  console.log(
    `index at ${rate} writes/s: ${shares} % of a core; complete ${late} s after the last write`,
  )
} finally {
  for (const { server } of sides.values()) await server.stop()
  if (uri !== undefined) for (const side of SIDES) await dropDatabase(uri, databaseOf(side))
  rmSync(folder, { recursive: true, force: true })
}

function sideOf(side: Side): Written {
  const one = sides.get(side)
  if (one === undefined) throw new Error(`${side} did not start`)
  return one
}

function databaseOf(side: Side): string {
  return `quire_bench_${side}_${process.pid}`
}

async function startSide(side: Side): Promise<Written> {
  const types = join(folder, side)
  const { options, ...page } = SEARCH_TYPES['page'] as { readonly options: object }
  const isSearched = side === 'searched'
  const declared = { ...page, options: isSearched ? options : { ...options, search: undefined } }
  writeTypes(types, { page: declared })
  const shipped = readShipped()
  const env = {
    ...shipped.env,
    ...(uri === undefined ? { QUIRE_DATABASE: 'embedded' } : { MONGODB_URI: uri }),
    MONGODB_DATABASE: databaseOf(side),
    CONTENT_TYPES_DIR: types,
    QUIRE_DATA_DIR: join(folder, `${side}-data`),
    ROOT_API_TOKEN: ROOT_TOKEN,
    RATE_LIMIT: 'off',
    QUERY_TIMEOUT_MS: '60000',
  }
  const profile = ['--cpu-prof', `--cpu-prof-dir=${values.profile ?? ''}`]
  const more = isSearched && values.profile !== undefined ? profile : []
  const server = await startChildServer(SERVER, env, [...shipped.options, ...more])
  const one: Written = { server, pages: 0, rounds: [] }
  sides.set(side, one) // stops it if a request fails
  return one
}

async function fillPages(side: Side, one: Written): Promise<void> {
  while (one.pages < Number(values.pages)) {
    const lines = Array.from({ length: BATCH }, (_, nth) => {
      const documentId = documentIdFor(`page:${one.pages + nth}`)
      return { op: 'upsert', type: 'page', documentId, data: makePage(one.pages + nth) }
    })
    await sendBulk(one.server.base, lines)
    one.pages += BATCH
  }
  if (side === 'searched') await untilFound(one)
}

/** Every second write is an update. On a loaded machine the rate is lower, so CPU time is counted per write. */
async function measureWrites(one: Written): Promise<Work> {
  const { server } = one
  const before = await server.usage()
  const started = performance.now()
  const pending = new Set<Promise<unknown>>()
  const count = rate * Number(values.seconds)
  for (let nth = 0; nth < count; nth += 1) {
    const wait = started + (nth * 1_000) / rate - performance.now()
    if (wait > 0) await sleep(wait)
    if (pending.size >= MAX_PENDING) await Promise.race(pending)
    const write = nth % 2 === 0 ? createPage(one) : updatePage(one, nth)
    pending.add(write)
    void write.finally(() => pending.delete(write)).catch(() => undefined)
  }
  await Promise.all(pending)
  const elapsed = performance.now() - started
  const after = await server.usage()
  return {
    cpuMsPerWrite: (after.cpuMs - before.cpuMs) / count,
    writesPerSecond: (1_000 * count) / elapsed,
  }
}

async function createPage(one: Written): Promise<void> {
  const data = makePage(one.pages)
  one.pages += 1
  await send(`${one.server.base}/api/pages`, 'POST', { data })
}

async function updatePage({ server: { base }, pages }: Written, nth: number): Promise<void> {
  const at = (nth * 7919) % Number(values.pages)
  const { title } = makePage(pages + nth)
  const data = { ...makePage(at), title }
  await send(`${base}/api/pages/${documentIdFor(`page:${at}`)}`, 'PUT', { data })
}

async function send(url: string, method: string, body?: object): Promise<string> {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${ROOT_TOKEN}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return text
}

/** The last page is indexed last. */
async function untilFound({ server: { base }, pages }: Written): Promise<void> {
  const { title } = makePage(pages - 1)
  const url = `${base}/api/pages?search=${encodeURIComponent(`"${String(title)}"`)}`
  for (;;) {
    const { meta } = JSON.parse(await send(url, 'GET')) as {
      readonly meta: { readonly pagination: { readonly total: number } }
    }
    if (meta.pagination.total > 0) return
    await sleep(CHECK_EVERY_MS)
  }
}

/** Of the CPU time in each round. */
function differences(): readonly number[] {
  const others = sideOf('unsearched').rounds
  return sideOf('searched').rounds.map(
    ({ cpuMsPerWrite }, round) => cpuMsPerWrite - (others[round]?.cpuMsPerWrite ?? NaN),
  )
}

/** The median, the lowest and the highest. */
function show(sample: readonly number[]): string {
  const [middle = '', least = '', most = ''] = [0.5, 0, 1].map((share) =>
    computePercentile(sample, share).toFixed(2),
  )
  return `${middle} (${least} to ${most})`
}
