import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { buildApp } from '../../../src/server/app.ts'
import { withEnvFile } from '../../../src/base/config/env-file.ts'
import { readConfig } from '../../../src/base/config/config.ts'
import { startDeployment } from '../../../src/server/deployment/start-deployment.ts'
import { createLog } from '../../../src/base/log.ts'
import { openServices } from '../../../src/server/services/open-services.ts'

// `node dist/tools/bench/src/login-timing.js --tries N --only WORD`: tests whether response times
// reveal that an account exists. Each try sends both kinds of request in random order. The last
// column is the two-sided Mann-Whitney U test: below 0.01 the kinds are distinguishable.

const { values } = parseArgs({
  options: { tries: { type: 'string', default: '1000' }, only: { type: 'string', default: '' } },
})
const tries = Number(values.tries)
const rootToken = randomBytes(32).toString('hex')
const config = readConfig({
  ...withEnvFile(process.env),
  RATE_LIMIT: 'off',
  ROOT_API_TOKEN: rootToken,
})
const log = createLog({ ...config, logLevel: 'warn' })
const deployment = await startDeployment(config, log)
const services = await openServices({ config, deployment, log })
const app = buildApp({ config, deployment, log }, services)
const server = createServer(app.callback()).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const name = `timing-${Date.now()}`
const known = `${name}@example.org`
// Registration is off by default, so the root token creates the user.
const user = { username: name, email: known, password: 'a secret of its own' }
await post('/api/users', user, { authorization: `Bearer ${rootToken}` })

const link = await app.firstStartLink()
if (link !== null) {
  const token = new URL(link).hash.replace(/^#token=/, '')
  const first = { token, name, email: known, password: 'a secret of its own' }
  await post('/admin/first-administrator', first)
}

const CASES: readonly (readonly [string, string, object, object])[] = [
  [
    'login by address',
    '/api/auth/local',
    { identifier: known, password: 'wrong' },
    { identifier: `un${known}`, password: 'wrong' },
  ],
  [
    'login by name',
    '/api/auth/local',
    { identifier: name, password: 'wrong' },
    { identifier: `un${name}`, password: 'wrong' },
  ],
  ['forgot password', '/api/auth/forgot-password', { email: known }, { email: `un${known}` }],
  [
    'administrator',
    '/admin/session',
    { email: known, password: 'wrong' },
    { email: `un${known}`, password: 'wrong' },
  ],
]

console.log(`${deployment.reason}\n${tries} tries of each kind, times in milliseconds\n`)
console.log(`${'what'.padEnd(18)} known p50   p95  unknown p50   p95      p`)
for (const [what, path, one, other] of CASES.filter(([name]) => name.includes(values.only))) {
  for (let index = 0; index < 20; index += 1) await post(path, index % 2 === 0 ? one : other)
  const times: readonly [number[], number[]] = [[], []]
  for (let index = 0; index < tries; index += 1) {
    const first = Math.random() < 0.5 ? 0 : 1
    for (const which of [first, 1 - first]) {
      const startedAt = performance.now()
      await post(path, which === 0 ? one : other)
      times[which === 0 ? 0 : 1].push(performance.now() - startedAt)
    }
  }
  const figures = times.flatMap((list) => [quantile(list, 0.5), quantile(list, 0.95)])
  const shown = [...figures.map((figure) => figure.toFixed(2)), mannWhitney(...times).toFixed(3)]
  console.log(`${what.padEnd(18)} ${shown.map((text) => text.padStart(9)).join(' ')}`)
}
server.closeAllConnections()
server.close()
await app.close()
await deployment.close()

async function post(
  path: string,
  body: object,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...more }
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answered = await response.text()
  if (response.status >= 401) throw new Error(`${path}: ${response.status} ${answered}`)
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
}

/** The p-value, by the normal approximation. */
function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((ms) => ({ ms, isOne: true })),
    ...other.map((ms) => ({ ms, isOne: false })),
  ]
  const ranks = all
    .toSorted((a, b) => a.ms - b.ms)
    .map(({ isOne }, index) => (isOne ? index + 1 : 0))
  const u = ranks.reduce((sum, rank) => sum + rank, 0) - (one.length * (one.length + 1)) / 2
  const mean = (one.length * other.length) / 2
  const deviation = Math.sqrt((mean * (one.length + other.length + 1)) / 6)
  return 2 * (1 - normal(Math.abs(u - mean) / deviation))
}

/** The standard normal distribution function to 7 digits: Abramowitz and Stegun, 26.2.17. */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
}
