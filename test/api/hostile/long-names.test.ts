import { request } from 'node:http'
import { expect } from 'chai'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { declare, lengthOf, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const LONG = 120_000
const MAX_CPU_MS = 250
const MAX_ANSWER = 20_000
const CONCURRENCY = 4

/** A route belongs to the first area that matches its path. */
const AREAS: Readonly<Record<string, RegExp>> = {
  'routes of content': /^\/api\/(?:notes|_q)/,
  'other routes of the API': /^\/api\//,
  'all other routes': /^/,
}

function areaOf({ path }: DeclaredRoute): string | undefined {
  return Object.keys(AREAS).find((area) => AREAS[area]?.test(path))
}

interface LongRequest {
  readonly method: string
  readonly target: string
  readonly body: string | null
}

const PARAMETERS = [
  'filters',
  'filters[title]',
  'filters[title][$containsi]',
  'filters[self]',
  'filters[self][self]',
  'sort',
  'fields',
  'populate',
  'populate[self]',
  'populate[self][filters]',
  'populate[self][populate]',
  'pagination',
  'pagination[cursor]',
  'locale',
  'fallbackLocale',
  'status',
  '_q',
  'one',
]

const BODY_KEYS = ['data', 'title', 'identifier', 'password', 'email', 'name', 'permissions', 'url']

/** Long texts without structure, and texts that a parser splits. */
const VALUES = ['y'.repeat(LONG), 'a,'.repeat(LONG / 2), 'a.'.repeat(LONG / 2), ' '.repeat(LONG)]
const [NAME = ''] = VALUES

function queriesOf({ path, access }: DeclaredRoute): readonly string[] {
  const isContent = AREAS['routes of content']?.test(path) === true && typeof access === 'object'
  const names = isContent ? PARAMETERS : ['types', 'token', 'search', 'locale']
  const values = isContent ? VALUES : [NAME]
  const asked = names.flatMap((name) => [
    `${name}[${NAME}]=1`,
    ...values.map((value) => `${name}=${value.replaceAll(' ', '+')}`),
  ])
  return [`${NAME}=1`, ...asked]
}

function requestsOf(route: DeclaredRoute): readonly LongRequest[] {
  const method = route.method.toUpperCase()
  const target = route.path.replaceAll(/:\w+|\{\*\w+\}/g, 'x')
  const parameter = /:\w+|\{\*\w+\}/
  const paths = parameter.test(route.path)
    ? [route.path.replace(parameter, NAME).replaceAll(/:\w+|\{\*\w+\}/g, 'x')]
    : []
  if (method === 'GET') {
    const targets = [...paths, ...queriesOf(route).map((query) => `${target}?${query}`)]
    return targets.map((one) => ({ method, target: one, body: null }))
  }
  const values = Object.fromEntries(BODY_KEYS.map((key) => [key, NAME]))
  const bodies = [
    { [NAME]: 1 },
    { data: { [NAME]: 1 } },
    { data: { title: NAME, self: [NAME], part: { [NAME]: 1 } } },
    values,
  ]
  return [
    ...paths.map((one) => ({ method, target: one, body: '{}' })),
    { method, target: `${target}?${NAME}=1`, body: '{}' },
    ...bodies.map((body) => ({ method, target, body: JSON.stringify(body) })),
  ]
}

interface Cost {
  readonly cpuMs: number
  readonly status: number
  readonly length: number
}

/** CPU time of the process, which does not depend on the load of the machine. */
async function costOf(port: number, { method, target, body }: LongRequest): Promise<Cost> {
  const before = process.cpuUsage()
  const { status, length } = await send(port, { method, target, body })
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1_000, status, length }
}

function send(
  port: number,
  { method, target, body }: LongRequest,
): Promise<Pick<Cost, 'status' | 'length'>> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${ROOT_TOKEN}`,
      ...(body !== null && { 'content-type': 'application/json', ...lengthOf(body) }),
    }
    const to = { host: '127.0.0.1', port, agent: false }
    const outgoing = request({ ...to, method, path: target, headers })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0
      let length = 0
      response.on('data', (chunk: Buffer) => (length += chunk.length))
      response.on('end', () => resolve({ status, length }))
      response.on('error', reject)
      // A stream of changes has no end.
      if (response.headers['content-type']?.startsWith('text/event-stream') !== true) return
      response.removeAllListeners('error')
      response.on('error', () => undefined)
      outgoing.destroy()
      resolve({ status, length })
    })
    outgoing.end(body ?? undefined)
  })
}

function refusalOf(
  { method }: LongRequest,
  { status, length }: Omit<Cost, 'cpuMs'>,
): string | null {
  if (status >= 500 || status === 431) return String(status)
  const isRefused = status >= 400 && method === 'GET'
  return isRefused && length > MAX_ANSWER ? `${length} bytes` : null
}

async function faultOf(port: number, asked: LongRequest): Promise<string | null> {
  const first = await costOf(port, asked)
  const refusal = refusalOf(asked, first)
  if (refusal !== null) return refusal
  let { cpuMs } = first
  // The minimum of several runs, because other work of the process may count towards one request.
  for (let again = 0; again < 5 && cpuMs > MAX_CPU_MS; again += 1) {
    cpuMs = Math.min(cpuMs, (await costOf(port, asked)).cpuMs)
  }
  return cpuMs > MAX_CPU_MS ? `${Math.round(cpuMs)} ms of CPU` : null
}

/** Whether concurrent requests together cost no more than the limit of each. */
async function areCheap(port: number, together: readonly LongRequest[]): Promise<boolean> {
  const before = process.cpuUsage()
  const answers = await Promise.all(
    together.map(async (asked) => ({ asked, answer: await send(port, asked) })),
  )
  const { user, system } = process.cpuUsage(before)
  const areFine = answers.every(({ asked, answer }) => refusalOf(asked, answer) === null)
  return areFine && (user + system) / 1_000 <= MAX_CPU_MS
}

async function faultsOf(port: number, requests: readonly LongRequest[]): Promise<string[]> {
  const faults: string[] = []
  for (let from = 0; from < requests.length; from += CONCURRENCY) {
    const together = requests.slice(from, from + CONCURRENCY)
    if (await areCheap(port, together)) continue
    for (const asked of together) {
      const fault = await faultOf(port, asked)
      if (fault !== null) faults.push(`${asked.method} ${asked.target.slice(0, 80)}: ${fault}`)
    }
  }
  return faults
}

describe('names of 120 KB', () => {
  let server: TestServer

  before(async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
    const shape = {
      title: { type: 'string', maxLength: 100 },
      part: { type: 'component', component: 'shared.part' },
      self: { type: 'relation', relation: 'manyToMany', target: 'api::note.note' },
    }
    server = await serve('long-names', {
      contentTypes: {
        'components/shared/part': { attributes: { name: { type: 'string', maxLength: 100 } } },
        note: declare('note', shape, { localized: true, draftAndPublish: true }),
        'queries/ten': {
          type: 'note',
          parameters: Object.fromEntries(
            names.map((name) => [name, { type: 'string', default: '' }]),
          ),
          filters: { title: { $in: names.map((name) => ({ $param: name })) } },
        },
      },
      environment: { RATE_LIMIT: 'off', LOG_LEVEL: 'silent', UP_JWT_MANAGEMENT: 'refresh' },
    })
  })
  after(() => server.close())

  for (const area of Object.keys(AREAS)) {
    it(`needs little CPU and sends short responses on ${area}`, async () => {
      const routes = server.routes.filter((route) => areaOf(route) === area)
      expect(routes.length).to.be.above(0)
      expect(await faultsOf(server.port, routes.flatMap(requestsOf))).to.deep.equal([])
    })
  }
})
