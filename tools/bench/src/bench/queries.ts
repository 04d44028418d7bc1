import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { buildApp } from '../../../../src/server/app.ts'
import { withEnvFile } from '../../../../src/base/config/env-file.ts'
import { readConfig } from '../../../../src/base/config/config.ts'
import { startDeployment } from '../../../../src/server/deployment/start-deployment.ts'
import { createLog } from '../../../../src/base/log.ts'
import { openServices } from '../../../../src/server/services/open-services.ts'
import { compileSample } from '../sample/sample-parts.ts'
import { seedSample } from '../sample/seed-sample.ts'
import { SILENT_OBSERVER } from '../sample/show-progress.ts'

// `npm run bench -- queries --cities N`: times queries of the sample over HTTP with one client,
// with and without relations. The first query is the baseline of the ratios.

const ROUNDS = 40
const PAGE = 'fields=name&pagination[pageSize]=25'
const BY_COUNTRY = 'sort=country.name'
const UNCOUNTED = 'pagination[withCount]=false'
const WORKLOADS: readonly (readonly [string, string])[] = [
  ['filter on an indexed attribute', `cities?${PAGE}&filters[country][documentId][$eq]={{CHE}}`],
  ['list, no filter', `cities?${PAGE}`],
  ['list, no count', `cities?${PAGE}&pagination[withCount]=false`],
  ['page 200 by number', `cities?${PAGE}&pagination[page]=200`],
  ['filter one level down', `cities?${PAGE}&filters[country][region][$eq]=Europe`],
  [
    'the same, no count',
    `cities?${PAGE}&filters[country][region][$eq]=Europe&pagination[withCount]=false`,
  ],
  ['filter two levels down', `cities?${PAGE}&filters[country][borders][cca3][$eq]=CHE`],
  ['filter through the inverse side', `countries?${PAGE}&filters[cities][name][$eq]=Paris`],
  ['sort by a relation', `cities?${PAGE}&sort=country.name&filters[country][region][$eq]=Oceania`],
  ['all sorted by a relation, no count', `cities?${PAGE}&${BY_COUNTRY}&${UNCOUNTED}`],
  ['the same, counted', `cities?${PAGE}&${BY_COUNTRY}`],
  ['page 200 of it, no count', `cities?${PAGE}&${BY_COUNTRY}&pagination[page]=200&${UNCOUNTED}`],
  ['the same, counted', `cities?${PAGE}&${BY_COUNTRY}&pagination[page]=200`],
  ['list 25 with a relation', `cities?${PAGE}&populate[country][fields]=name`],
  [
    'list 100 with three relations',
    'countries?pagination[pageSize]=100&populate=borders,languages,currencies',
  ],
]

const { values } = parseArgs({
  allowPositionals: true,
  options: { cities: { type: 'string', default: '10000' } },
})
const config = readConfig({
  QUERY_TIMEOUT_MS: '60000',
  MONITOR_COMMANDS: 'off', // as in production
  SLOW_REQUEST_MS: '0',
  ...withEnvFile(process.env),
})
const log = createLog({ ...config, logLevel: 'warn' })
const deployment = await startDeployment(config, log)
const services = await openServices({ config, deployment, log })
const sample = compileSample(Number(values.cities))
const report = await seedSample(services, sample, SILENT_OBSERVER)
await services.access.roles.update('public', {
  permissions: ['city', 'country', 'language', 'currency'].map(
    (name) => `api::${name}.${name}.find`,
  ),
})
const app = buildApp({ config, deployment, log }, services)
const server = createServer(app.callback()).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`

console.log(`${deployment.reason}\n${report.documents} documents\n`)
const switzerland = await documentIdOf('countries?filters[cca3][$eq]=CHE')
let baseline = 0
for (const [what, path] of WORKLOADS) {
  const sorted = await measure(base + path.replace('{{CHE}}', switzerland))
  const p50 = sorted[Math.floor(sorted.length / 2)] ?? 0
  if (baseline === 0) baseline = p50
  const p99 = sorted.at(-1) ?? 0
  console.log(
    `${what.padEnd(36)} p50 ${p50.toFixed(1).padStart(7)} ms   slowest ${p99.toFixed(1).padStart(7)} ms   ×${(p50 / baseline).toFixed(1)}`,
  )
}
server.close()
server.closeAllConnections()
await app.close()
await deployment.close()

async function documentIdOf(path: string): Promise<string> {
  const answer = (await (await fetch(base + path)).json()) as {
    readonly data: readonly { readonly documentId: string }[]
  }
  return answer.data[0]?.documentId ?? ''
}

/** Milliseconds per round, ascending. */
async function measure(url: string): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = -3; round < ROUNDS; round += 1) {
    const started = performance.now()
    const response = await fetch(url)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text}`)
    if (round >= 0) times.push(performance.now() - started)
  }
  return times.toSorted((one, other) => one - other)
}
