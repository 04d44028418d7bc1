import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { MongoClient } from 'mongodb'
import { readConfig } from '../../../../src/base/config/config.ts'
import { withEnvFile } from '../../../../src/base/config/env-file.ts'
import { createLog } from '../../../../src/base/log.ts'
import type { Data } from '../../../../src/schema/definition.ts'
import { buildApp } from '../../../../src/server/app.ts'
import { startDeployment } from '../../../../src/server/deployment/start-deployment.ts'
import { documentContext } from '../../../../src/server/services/document-context.ts'
import { openServices } from '../../../../src/server/services/open-services.ts'
import { importDocuments } from '../../../../src/transfer/import/import-documents.ts'
import { loadWorldCities } from '../sample/map-cities.ts'
import { dropDatabase, writeTypes } from './prepare.ts'
import { describeMachine } from './report.ts'
import {
  makeDocuments,
  makeMisspelled,
  makePage,
  makeSearches,
  SEARCH_TYPES,
} from './search-content.ts'
import { chooseGoal, showTimes } from './search-goals.ts'
import { computePercentile } from './statistics.ts'
import { untilIndexed } from './until-indexed.ts'

// `npm run bench -- search --pages N --cities N`: times searches over HTTP with one client, and
// compares the size of the index with that of the indexed texts.

const SEARCHES = 200
const WARM_UP = 20

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: 'string', default: '10000' },
    cities: { type: 'string', default: '10000' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'quire-bench-search-'))
writeTypes(folder, SEARCH_TYPES)
const databaseName = `quire_bench_search_${process.pid}`
const config = readConfig({
  QUERY_TIMEOUT_MS: '60000',
  MONITOR_COMMANDS: 'off', // as in production
  SLOW_REQUEST_MS: '0',
  ...withEnvFile(process.env),
  RATE_LIMIT: 'off',
  QUIRE_DATA_DIR: join(folder, 'data'),
  CONTENT_TYPES_DIR: folder,
  MONGODB_DATABASE: databaseName,
})
const log = createLog({ ...config, logLevel: 'warn' })
const deployment = await startDeployment(config, log)
const services = await openServices({ config, deployment, log })
await services.access.roles.update('public', {
  permissions: ['page', 'place'].map((name) => `api::${name}.${name}.find`),
})
const app = buildApp({ config, deployment, log }, services)
const server = createServer(app.callback()).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
try {
  console.log(`${describeMachine()}\n${deployment.reason}\n`)
  const pages = Array.from({ length: Number(values.pages) }, (_, index) => makePage(index))
  const cities = loadWorldCities().slice(0, Number(values.cities))
  await measureType('page', 'pages', pages)
  await measureType(
    'place',
    'places',
    cities.map(({ name }) => ({ name })),
  )
} finally {
  server.close()
  server.closeAllConnections()
  await app.close()
  await dropDatabase(deployment.uri, databaseName)
  await deployment.close()
  rmSync(folder, { recursive: true, force: true })
}

async function measureType(name: string, plural: string, rows: readonly Data[]): Promise<void> {
  const texts = rows.map((row) => Object.values(row).join(' '))
  const context = documentContext(services.database, services.schema)
  const plan = context.contentType(`api::${name}.${name}`)
  await importDocuments(context, plan, makeDocuments(name, rows))
  const started = performance.now()
  await untilFound(plural, String(Object.values(rows.at(-1) ?? {})[0]))
  const seconds = (performance.now() - started) / 1_000
  const [title = ''] = Object.keys(rows[0] ?? {})
  const searches = makeSearches(texts, SEARCHES + WARM_UP)
  const [plain = [], filtered = []] = await measureSearches(plural, searches, [
    '',
    `&filters[${title}][$ne]=absent`,
  ])
  const [misspelled = []] = await measureSearches(
    plural,
    makeMisspelled(texts, SEARCHES + WARM_UP),
    [''],
  )
  const text = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  const index = await sizeOf(`quire_search_${plan.collectionName}`)
  const ratio = middleOf(filtered) / middleOf(plain)
  console.log(
    `${rows.length} ${plural}: ${showMeasured(plain)}; with a filter ${showMeasured(filtered)} (× ${ratio.toFixed(2)}); ` +
      `misspelled ${showMeasured(misspelled)}; ` +
      `text ${toMegabytes(text)} MB, index ${toMegabytes(index)} MB (× ${(index / text).toFixed(2)}); ` +
      `indexed ${seconds.toFixed(0)} s after the import`,
  )
}

/** The index follows the commit log, so it is complete when it has the last entry. */
async function untilFound(plural: string, lastTitle: string): Promise<void> {
  for (;;) {
    await untilIndexed(services.database)
    if ((await search(plural, `"${lastTitle}"`)).total > 0) return
    await sleep(200)
  }
}

async function search(
  plural: string,
  query: string,
  more = '',
): Promise<{ readonly total: number }> {
  const url = `${base}/${plural}?search=${encodeURIComponent(query)}${more}`
  const response = await fetch(url)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text}`)
  return (JSON.parse(text) as { meta: { pagination: { total: number } } }).meta.pagination
}

interface Measured {
  /** Milliseconds. */
  readonly time: number
  /** Milliseconds of CPU time of this process, with the embedded engine and the client. */
  readonly work: number
}

/** Each search, with each addition in turn, so that other work slows down all. */
async function measureSearches(
  plural: string,
  searches: readonly string[],
  additions: readonly string[],
): Promise<readonly (readonly Measured[])[]> {
  const measured = additions.map((): Measured[] => [])
  for (const query of searches) {
    for (const [at, more] of additions.entries()) {
      const idle = process.cpuUsage()
      const started = performance.now()
      await search(plural, query, more)
      const { user, system } = process.cpuUsage(idle)
      const time = performance.now() - started
      measured[at]?.push({ time, work: (user + system) / 1_000 })
    }
  }
  return measured.map((all) => all.slice(WARM_UP))
}

function showMeasured(measured: readonly Measured[]): string {
  const times = measured.map(({ time }) => time)
  const work = measured.reduce((sum, one) => sum + one.work, 0) / measured.length
  return `${showTimes(times, chooseGoal(deployment))}, CPU ${work.toFixed(1)} ms`
}

function middleOf(measured: readonly Measured[]): number {
  return computePercentile(
    measured.map(({ time }) => time),
    0.5,
  )
}

/** Rows and indexes, in bytes. The embedded engine reports no sizes, so its rows are read. */
async function sizeOf(collection: string): Promise<number> {
  const client = await MongoClient.connect(deployment.uri)
  try {
    const found = client.db(databaseName)
    const { size, totalIndexSize } = await found.command({ collStats: collection })
    if (size !== undefined) return Number(size) + Number(totalIndexSize)
    let bytes = 0
    for await (const row of found.collection(collection).find({}, { raw: true })) {
      bytes += (row as unknown as Uint8Array).byteLength
    }
    return bytes
  } finally {
    await client.close()
  }
}

function toMegabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(2)
}
