import { addMember, type Member } from '../api/people/rules-world.ts'
import { Device, setting } from '../support/push-world.ts'
import type { Answer, Json, TestServer } from '../support/server.ts'
import { type FaultOperation, LOCALES, ok, preparePost } from './fault-operations.ts'

const POST = 'api::post.post'
const NDJSON = { 'content-type': 'application/x-ndjson' }

const linesOf = (answer: Answer): readonly Json[] =>
  answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const memos = (key: string): readonly string[] => ['one', 'two', 'three'].map((n) => `${key} ${n}`)

const bulk = (server: TestServer, key: string, query = ''): Promise<Answer> => {
  const lines = memos(key).map((name) =>
    JSON.stringify({ op: 'upsert', type: 'memo', key: { name }, data: { name } }),
  )
  return server.send('POST', `/api/_bulk${query}`, { headers: NDJSON, body: lines.join('\n') })
}

const worst = (answer: Answer): number =>
  Math.max(...linesOf(answer).map(({ status }) => status as number))

const members = new WeakMap<TestServer, Promise<Member>>()

function deviceOf(server: TestServer, member: Member, key: string): Device {
  return new Device(server, member, `client-of-${key}`)
}

function memberOf(server: TestServer): Promise<Member> {
  const known = members.get(server) ?? addMember(server, 'anna')
  members.set(server, known)
  return known
}

const OUTCOMES: Readonly<Record<string, number>> = { applied: 200, retry: 503 }

/** Writes of several documents in one request. */
export const BATCH_OPERATIONS: readonly FaultOperation[] = [
  {
    name: 'bulk',
    prepare: () => Promise.resolve(''),
    send: (server, key) => bulk(server, key),
    statusOf: worst,
    acknowledgedBy: (answer) =>
      answer.status < 300
        ? linesOf(answer).flatMap(({ line, status }) =>
            status < 300 ? (memos('KEY')[line - 1] ?? []) : [],
          )
        : [],
  },
  {
    name: 'atomic bulk',
    prepare: () => Promise.resolve(''),
    send: (server, key) => bulk(server, key, '?atomic=true'),
    statusOf: worst,
  },
  {
    name: 'restore',
    prepare: async (server, key) => {
      const path = await preparePost(server, key)
      ok(await server.delete(path))
      return path.replace('/api/posts/', '')
    },
    send: (server, _key, id) =>
      server.send('POST', `/admin/trash/${POST}/${id}/restore`, { body: { data: {} } }),
  },
  {
    name: 'release',
    prepare: async (server, key) => {
      const path = await preparePost(server, key)
      const data = { name: `${key} release` }
      const { body } = ok(await server.send('POST', '/admin/releases', { body: { data } }))
      const documentId = path.replace('/api/posts/', '')
      const items = LOCALES.map((locale) => ({
        uid: POST,
        documentId,
        locale,
        action: locale === 'fr' ? 'unpublish' : 'publish',
      }))
      const release = `/admin/releases/${body.data.id as string}`
      ok(await server.send('POST', `${release}/items`, { body: { data: { items } } }))
      return release
    },
    send: (server, _key, release) => server.send('POST', `${release}/actions/publish`),
  },
  {
    name: 'push',
    prepare: async (server) => (await memberOf(server)).documentId,
    send: async (server, key) => {
      const device = deviceOf(server, await memberOf(server), key)
      const mutations = memos(key).map((name, index) => ({
        n: index + 1,
        op: 'create',
        type: 'memo',
        documentId: device.newId(index + 1),
        patch: setting({ name }),
      }))
      return device.send([device.head(), ...mutations])
    },
    statusOf: (answer) => {
      const statuses = linesOf(answer)
        .slice(1)
        .map(({ outcome }) => OUTCOMES[outcome as string] ?? 500)
      return Math.max(503 * Number(statuses.length < 3), ...statuses)
    },
    acknowledgedBy: (answer) =>
      answer.status < 300
        ? linesOf(answer).flatMap(({ n, outcome }) =>
            outcome === 'applied' ? (memos('KEY')[n - 1] ?? []) : [],
          )
        : [],
  },
]
