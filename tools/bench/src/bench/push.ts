import { parseArgs } from 'node:util'
import { documentIdFrom } from '@quire/schema/derived-id'
import { prepareBench, ROOT_TOKEN, writeTypes } from './prepare.ts'
import { describeMachine } from './report.ts'
import { startSide } from './servers.ts'
import { computePercentile, computeSpread } from './statistics.ts'

// `npm run bench -- push`: the time of 1,000 queued creations and 1,000 queued updates by `POST /api/_push`, and one
// pushed update compared with one PUT of the same user, alternately.

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    mutations: { type: 'string', default: '1000' },
    updates: { type: 'string', default: '300' },
    profile: { type: 'string' },
  },
})
const REQUEST = 100
const CLIENT = 'the-client-of-the-bench'
const NAME = 'pushed-note'
const TYPE = {
  kind: 'collectionType',
  collectionName: 'pushed_notes',
  info: { singularName: NAME, pluralName: `${NAME}s`, displayName: 'Pushed note' },
  options: { draftAndPublish: false, push: true },
  attributes: { title: { type: 'string' }, body: { type: 'text' } },
}
const BODY = 'A note of a device that was offline. '.repeat(8)

const bench = await prepareBench({ posts: 1, cities: 10 })
writeTypes(bench.env['CONTENT_TYPES_DIR'] ?? '', { [NAME]: TYPE })
const profiling =
  values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const quire = await startSide('quire', bench.env, profiling)
console.log(`${describeMachine()}\n${bench.databaseVersion} (${bench.reason})\n`)
try {
  const device = openDevice(await signUp())
  await device.create(REQUEST)
  await timeQueues(device)
  await compareUpdates(device)
} finally {
  await quire.stop()
  await bench.close()
}

interface User {
  readonly documentId: string
  readonly jwt: string
}

type Device = ReturnType<typeof openDevice>

interface PushedLine {
  readonly outcome: string
  readonly revision: string
}

async function call(method: string, path: string, body: object, token: string | null) {
  const response = await fetch(`${quire.base}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(token !== null && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as unknown
}

async function signUp(): Promise<User> {
  const own = ['find', 'findOne', 'create', 'update', 'push']
  const permissions = own.map((verb) => `api::${NAME}.${NAME}.${verb}`)
  const register = 'plugin::users-permissions.auth.register'
  await call('PUT', '/admin/roles/public', { permissions: [register] }, ROOT_TOKEN)
  await call('PUT', '/admin/roles/authenticated', { permissions }, ROOT_TOKEN)
  const account = { username: 'bench', email: 'bench@example.com', password: 'the-password' }
  const body = await call('POST', '/api/auth/local/register', account, null)
  const { jwt, user } = body as { readonly jwt: string; readonly user: User }
  return { jwt, documentId: user.documentId }
}

interface Entry {
  readonly documentId: string
  readonly revision: string
}

/** The body before and after an update. */
type Change = readonly [string, string]

function openDevice({ jwt, documentId: user }: User) {
  let log: string | null = null
  let last = 0
  const push = async (mutations: readonly object[]): Promise<readonly PushedLine[]> => {
    const numbered = mutations.map((one, index) => ({ n: last + 1 + index, ...one }))
    const lines = [{ client: CLIENT, log, ack: last }, ...numbered]
    const response = await fetch(`${quire.base}/api/_push`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${jwt}` },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`_push: ${response.status} ${text}`)
    const [head, ...outcomes] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    const failed = (outcomes as readonly PushedLine[]).find(({ outcome }) => outcome !== 'applied')
    if (failed !== undefined) throw new Error(`a mutation failed: ${JSON.stringify(failed)}`)
    ;({ log, last } = head as { readonly log: string; readonly last: number })
    return outcomes as readonly PushedLine[]
  }
  const idOf = (index: number): string =>
    documentIdFrom('p', `push:${user}:${CLIENT}:${last + 1 + index}`)
  const update = ({ documentId, revision: base }: Entry, [from, to]: Change): object => {
    const patch = { body: { set: to } }
    return { op: 'update', type: NAME, documentId, base, patch, seen: { body: from } }
  }
  const creation = (index: number): object => ({
    op: 'create',
    type: NAME,
    documentId: idOf(index),
    patch: { title: { set: `note ${last + 1 + index}` }, body: { set: BODY } },
  })
  return {
    create: async (count: number): Promise<readonly Entry[]> => {
      const ids = Array.from({ length: count }, (_, index) => idOf(index))
      const outcomes = await push(ids.map((_, index) => creation(index)))
      return outcomes.map(({ revision }, index) => ({ documentId: ids[index] ?? '', revision }))
    },
    updateAll: async (entries: readonly Entry[], change: Change): Promise<readonly string[]> => {
      const outcomes = await push(entries.map((entry) => update(entry, change)))
      return outcomes.map(({ revision }) => revision)
    },
    put: (documentId: string, body: string) =>
      call('PUT', `/api/${NAME}s/${documentId}`, { data: { body } }, jwt),
  }
}

/** Creations of entries, and then an update of each. */
async function timeQueues(device: Device): Promise<void> {
  const seconds = { creations: [] as number[], updates: [] as number[] }
  const count = Number(values.mutations)
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const created: Entry[] = []
    const began = performance.now()
    for (let sent = 0; sent < count; sent += REQUEST) {
      created.push(...(await device.create(Math.min(REQUEST, count - sent))))
    }
    const half = performance.now()
    for (let sent = 0; sent < count; sent += REQUEST) {
      await device.updateAll(created.slice(sent, sent + REQUEST), [BODY, `${BODY} again`])
    }
    seconds.creations.push((half - began) / 1_000)
    seconds.updates.push((performance.now() - half) / 1_000)
  }
  for (const [what, each] of Object.entries(seconds)) {
    const { mean, min, max } = computeSpread(each)
    const range = `${min.toFixed(2)}–${max.toFixed(2)}`
    console.log(`${count} ${what}: ${mean.toFixed(2)} s (${range}), goal 5 s`)
  }
}

async function compareUpdates(device: Device): Promise<void> {
  const [pushed, put] = await device.create(2)
  if (pushed === undefined || put === undefined) throw new Error('a creation has no outcome')
  const { documentId } = pushed
  let { revision } = pushed
  let body = BODY
  const times = { push: [] as number[], put: [] as number[] }
  const timed = async <T>(into: number[], work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    into.push(performance.now() - began)
    return result
  }
  for (let round = 0; round < Number(values.updates); round += 1) {
    const next = `${BODY} ${round}`
    const change = [body, next] as const
    const base = revision
    const entries = [{ documentId, revision: base }]
    const [after] = await timed(times.push, () => device.updateAll(entries, change))
    revision = after ?? ''
    await timed(times.put, () => device.put(put.documentId, next))
    body = next
  }
  const [push, plain] = [times.push, times.put].map((each) => computePercentile(each, 0.5))
  const ratio = (push ?? 0) / (plain ?? 1)
  console.log(
    `one push: ${push?.toFixed(2)} ms, one PUT: ${plain?.toFixed(2)} ms, ratio ${ratio.toFixed(2)}, goal 1.3`,
  )
}
