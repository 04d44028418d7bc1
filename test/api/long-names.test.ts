import { request } from 'node:http'
import { expect } from 'chai'
import type { DeclaredRoute } from '../../src/http/guarded-router.ts'
import { declare, ROOT_TOKEN, serve, type TestServer } from './server.ts'

const LONG = 120_000
const MAX_CPU_MS = 250
const MAX_ANSWER = 20_000

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

/** Texts without structure, and texts that a parser takes apart. */
const VALUES = ['y'.repeat(LONG), 'a,'.repeat(LONG / 2), 'a.'.repeat(LONG / 2), ' '.repeat(LONG)]
const [NAME = ''] = VALUES

function queriesOf({ path, access }: DeclaredRoute): readonly string[] {
  const isContent = /^\/api\/(?:notes|_q)/.test(path) && typeof access === 'object'
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

/** CPU time of the process, so that the load of the machine does not count. */
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
      ...(body !== null && { 'content-type': 'application/json' }),
    }
    const outgoing = request({ host: '127.0.0.1', port, method, path: target, headers })
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

async function faultOf(port: number, asked: LongRequest): Promise<string | null> {
  const first = await costOf(port, asked)
  if (first.status >= 500 || first.status === 431) return String(first.status)
  const isRefused = first.status >= 400 && asked.method === 'GET'
  if (isRefused && first.length > MAX_ANSWER) return `${first.length} bytes`
  let { cpuMs } = first
  // The least of a few: other work of the process is counted with a request now and then.
  for (let again = 0; again < 5 && cpuMs > MAX_CPU_MS; again += 1) {
    cpuMs = Math.min(cpuMs, (await costOf(port, asked)).cpuMs)
  }
  return cpuMs > MAX_CPU_MS ? `${Math.round(cpuMs)} ms of CPU` : null
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

  it('cost little CPU on every route, and answers stay short', async () => {
    const faults: string[] = []
    for (const route of server.routes) {
      for (const asked of requestsOf(route)) {
        const fault = await faultOf(server.port, asked)
        if (fault !== null) faults.push(`${asked.method} ${asked.target.slice(0, 80)}: ${fault}`)
      }
    }
    expect(faults).to.deep.equal([])
  }).timeout(300_000)
})
