import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { buildApp } from '../../../../src/server/app.ts'
import { withEnvFile } from '../../../../src/base/config/env-file.ts'
import { readConfig } from '../../../../src/base/config/config.ts'
import { startDeployment } from '../../../../src/server/deployment/start-deployment.ts'
import { createLog } from '../../../../src/base/log.ts'
import { openServices } from '../../../../src/server/services/open-services.ts'
import { loadWorldCities } from '../sample/map-cities.ts'
import { compileSample } from '../sample/sample-parts.ts'
import { seedSample } from '../sample/seed-sample.ts'
import { SILENT_OBSERVER } from '../sample/show-progress.ts'
import { describeMachine } from './report.ts'
import { untilIndexed } from './until-indexed.ts'

// `npm run bench -- places --cities N --seconds N`: times searches for the nearest cities over HTTP with one client, around other
// cities and around points of a grid, most of which are in the sea. Prints each figure when it is known, after at most so many seconds.

const ROUNDS = 200
const WARM_UP = 20
const UNCOUNTED = 'pagination[withCount]=false'
const PAGE = `fields=name&pagination[pageSize]=20&sort=location:near`

type Point = readonly [latitude: number, longitude: number]

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    cities: { type: 'string', default: '135000' },
    seconds: { type: 'string', default: '30' },
  },
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
const seeding = performance.now()
const report = await seedSample(services, compileSample(Number(values.cities)), SILENT_OBSERVER)
await services.access.roles.update('public', { permissions: ['api::city.city.find'] })
const app = buildApp({ config, deployment, log }, services)
const server = createServer(app.callback()).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/cities?`

const world = loadWorldCities().slice(0, Number(values.cities))
const aroundCities = Array.from({ length: WARM_UP + ROUNDS }, (_, round): Point => {
  const [longitude, latitude] = world[(round * 7919) % world.length]?.loc.coordinates ?? [0, 0]
  return [latitude, longitude]
})
const grid = Array.from({ length: WARM_UP + ROUNDS }, (_, round): Point => [
  ((round * 37) % 160) - 80,
  ((round * 61) % 360) - 180,
])

const seeded = performance.now()
await untilIndexed(services.database)
console.log(
  `${describeMachine()}\n${deployment.reason}\n` +
    `${report.documents} documents, ${report.added} of them added in ${seconds(seeding, seeded)} s; ` +
    `background work ended ${seconds(seeded, performance.now())} s later\n`,
)
for (const [what, points, query, filter] of [
  ['20 nearest of a city', aroundCities, `${PAGE}&${UNCOUNTED}`],
  [
    '20 nearest within 50 km, counted',
    aroundCities,
    `${PAGE}&filters[location][$near][maxDistance]=50000`,
  ],
  [
    '20 in a box of 1°, counted',
    aroundCities,
    'fields=name&pagination[pageSize]=20',
    ([latitude, longitude]: Point) => boxAround(latitude, longitude, 0.5),
  ],
  ['20 nearest of any point', grid, `${PAGE}&${UNCOUNTED}`],
  ['page 100 around a city', aroundCities, `${PAGE}&${UNCOUNTED}&pagination[page]=100`],
  [
    'within 50 km, by id, counted',
    aroundCities,
    'fields=name&pagination[pageSize]=20&filters[location][$near][maxDistance]=50000',
  ],
] as const) {
  const { sorted, work } = await measure(points, query, filter)
  const share = (part: number): string => {
    const time = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
    return `${time.toFixed(1).padStart(7)} ms`
  }
  console.log(
    `${what.padEnd(34)} p50 ${share(0.5)}   p99 ${share(0.99)}   CPU ${work.toFixed(1).padStart(7)} ms   (${sorted.length} requests)`,
  )
}
server.close()
server.closeAllConnections()
await app.close()
await deployment.close()

function seconds(from: number, to: number): string {
  return ((to - from) / 1_000).toFixed(0)
}

function near([latitude, longitude]: Point): string {
  return `filters[location][$near][latitude]=${latitude}&filters[location][$near][longitude]=${longitude}`
}

/** `reach` is in degrees. */
function boxAround(latitude: number, longitude: number, reach: number): string {
  const sides = {
    south: Math.max(-90, latitude - reach),
    west: Math.max(-180, longitude - reach),
    north: Math.min(90, latitude + reach),
    east: Math.min(180, longitude + reach),
  }
  return Object.entries(sides)
    .map(([side, degrees]) => `filters[location][$within][box][${side}]=${degrees}`)
    .join('&')
}

/**
 * Milliseconds per point, ascending, and of CPU time of this process per request. The first points warm up the server, and are no others, because
 * the server caches responses.
 */
async function measure(
  points: readonly Point[],
  query: string,
  filter: (point: Point) => string = near,
): Promise<{ readonly sorted: readonly number[]; readonly work: number }> {
  const times: number[] = []
  const started = performance.now()
  let idle = process.cpuUsage()
  for (const [index, point] of points.entries()) {
    if (times.length > 0 && performance.now() - started > 1_000 * Number(values.seconds)) break
    if (index === WARM_UP) idle = process.cpuUsage()
    const asked = performance.now()
    const response = await fetch(`${base}${filter(point)}&${query}`)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${query}: ${response.status} ${text}`)
    if (index >= WARM_UP) times.push(performance.now() - asked)
  }
  const { user, system } = process.cpuUsage(idle)
  const sorted = times.toSorted((one, other) => one - other)
  return { sorted, work: (user + system) / 1_000 / times.length }
}
