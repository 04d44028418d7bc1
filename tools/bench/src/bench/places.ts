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
import { chooseGoal, showTimes } from './search-goals.ts'
import { untilIndexed } from './until-indexed.ts'

// `npm run bench -- places --cities N --seconds N`: times `$near`, `$within` and `sort=location:near` over HTTP with one client,
// around other cities and around points of a grid, most of which are in the sea. Prints each figure beside its goal when it is
// known, after at most so many seconds.

const ROUNDS = 200
const WARM_UP = 20
const UNCOUNTED = 'pagination[withCount]=false'
const PAGE = 'fields=name&pagination[pageSize]=25'
const NEAREST = `${PAGE}&sort=location:near`
/** Half of the width of an area, in degrees. */
const REACH = 0.5
const WITHIN_50_KM = 'filters[location][$near][maxDistance]=50000'

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
for (const [what, points, query, filter = nearOf] of [
  ['$near 50 km', aroundCities, `${PAGE}&${WITHIN_50_KM}`],
  ['$near 50 km, not counted', aroundCities, `${PAGE}&${WITHIN_50_KM}&${UNCOUNTED}`],
  ['$within a circle of 50 km', aroundCities, PAGE, circleAround],
  ['$within a box of 1°', aroundCities, PAGE, boxAround],
  ['$within a hexagon of 1°', aroundCities, PAGE, hexagonAround],
  ['location:near', aroundCities, `${NEAREST}&${UNCOUNTED}`],
  ['location:near within 50 km', aroundCities, `${NEAREST}&${WITHIN_50_KM}`],
  ['location:near of any point', grid, `${NEAREST}&${UNCOUNTED}`],
  ['location:near, page 100', aroundCities, `${NEAREST}&${UNCOUNTED}&pagination[page]=100`],
] as const) {
  const { times, work } = await measure(points, query, filter)
  const shown = showTimes(times, chooseGoal(deployment))
  console.log(`${what.padEnd(28)} ${shown}; CPU ${work.toFixed(1)} ms; ${times.length} requests`)
}
server.close()
server.closeAllConnections()
await app.close()
await deployment.close()

function seconds(from: number, to: number): string {
  return ((to - from) / 1_000).toFixed(0)
}

function nearOf([latitude, longitude]: Point): string {
  return `filters[location][$near][latitude]=${latitude}&filters[location][$near][longitude]=${longitude}`
}

function circleAround([latitude, longitude]: Point): string {
  return `${within('circle')}[latitude]=${latitude}&${within('circle')}[longitude]=${longitude}&${within('circle')}[radius]=50000`
}

function boxAround([latitude, longitude]: Point): string {
  const sides = {
    south: Math.max(-90, latitude - REACH),
    west: Math.max(-180, longitude - REACH),
    north: Math.min(90, latitude + REACH),
    east: Math.min(180, longitude + REACH),
  }
  return Object.entries(sides)
    .map(([side, degrees]) => `${within('box')}[${side}]=${degrees}`)
    .join('&')
}

function hexagonAround([latitude, longitude]: Point): string {
  return Array.from({ length: 6 }, (_, corner) => {
    const angle = (corner * Math.PI) / 3
    const north = Math.max(-90, Math.min(90, latitude + REACH * Math.sin(angle)))
    const east = Math.max(-180, Math.min(180, longitude + REACH * Math.cos(angle)))
    return `${within('polygon')}[${corner}][latitude]=${north}&${within('polygon')}[${corner}][longitude]=${east}`
  }).join('&')
}

function within(area: string): string {
  return `filters[location][$within][${area}]`
}

/**
 * Milliseconds per point, and of CPU time of this process per request. The first points warm up the server, and are no others, because
 * the server caches responses.
 */
async function measure(
  points: readonly Point[],
  query: string,
  filter: (point: Point) => string,
): Promise<{ readonly times: readonly number[]; readonly work: number }> {
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
  return { times, work: (user + system) / 1_000 / times.length }
}
