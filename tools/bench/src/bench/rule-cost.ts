import { join } from 'node:path'
import { cpSync } from 'node:fs'
import { documentIdFor } from '../../../../src/mongo/versions/document-id.ts'
import { sendBulk } from './bulk-clients.ts'
import { type ChildServer, startChildServer } from './child-server.ts'
import { compareVariants } from './compare-variants.ts'
import { makePost, TOPICS_EACH } from './content.ts'
import { startLoadGenerator } from './load.ts'
import type { BenchOptions } from './options.ts'
import { type Bench, prepareBench, ROOT_TOKEN, writeTypes } from './prepare.ts'
import { describeMachine } from './report.ts'
import { readShipped } from './shipped.ts'
import { UNCOUNTED, type Workload } from './workloads.ts'

const SERVER = new URL('../../../../src/server/main.js', import.meta.url)
const USER = 'plugin::users-permissions.user'
const MEMO = 'api::memo.memo'
const PASSWORD = 'a password of this bench'
const OWNERS = 100
const BATCH = 5_000
const PATHS = 2_000

/** The index holds the order of a list after the owner. The index of a relation does not. */
const MEMO_TYPE = {
  kind: 'collectionType',
  collectionName: 'bench_memos',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'memo' },
  options: { draftAndPublish: false, indexes: [['owner']] },
  attributes: {
    title: { type: 'string' },
    summary: { type: 'text' },
    body: { type: 'richtext' },
    rating: { type: 'integer' },
    owner: { type: 'relation', relation: 'manyToOne', target: USER },
    parent: { type: 'relation', relation: 'manyToOne', target: MEMO },
    topics: { type: 'relation', relation: 'manyToMany', target: 'api::topic.topic' },
  },
}

const READS = ['find', 'findOne'].map((verb) => `${MEMO}.${verb}`)
const TOPICS = ['api::topic.topic.find']
const ROLES = {
  free: { permissions: [...READS, ...TOPICS], rules: [] },
  owner: {
    permissions: TOPICS,
    rules: READS.map((action) => ({ action, where: { owner: '$user' } })),
  },
} as const
type RoleName = keyof typeof ROLES

interface Reader {
  readonly documentId: string
  readonly jwt: string
}

/**
 * `npm run bench -- rules`: measures reads of own rows under the rule `{ "owner": "$user" }`, and the same requests of a
 * user without a rule.
 */
export async function benchRules(options: BenchOptions): Promise<string> {
  const [posts = 1] = options.posts
  const bench = await prepareBench({ posts: 1, cities: options.cities })
  const generator = startLoadGenerator()
  try {
    const server = await startWithMemos(bench)
    const readers = await addReaders(server.base)
    await addMemos(server.base, readers.owner, posts)
    const lines = [describeMachine(), `${bench.databaseVersion} (${bench.reason})`]
    for (const name of ['list', 'findOne', 'populated'] as const) {
      const workloadOf = (role: RoleName) => makeWorkload(name, readers[role], posts)
      await assertShown(server.base, [workloadOf('free'), workloadOf('owner')])
      const variants = new Map([
        ['without', { server, workload: workloadOf('free') }],
        ['own rows', { server, workload: workloadOf('owner') }],
      ])
      lines.push('', ...(await compareVariants(variants, generator, options)))
    }
    await server.stop()
    return lines.join('\n')
  } finally {
    generator.stop()
    await bench.close()
  }
}

async function startWithMemos({ env }: Bench): Promise<ChildServer> {
  const types = env['CONTENT_TYPES_DIR'] ?? ''
  const folder = join(types, '..', 'with-memos')
  cpSync(types, folder, { recursive: true })
  writeTypes(folder, { memo: MEMO_TYPE })
  const shipped = readShipped()
  return startChildServer(
    SERVER,
    { ...shipped.env, ...env, CONTENT_TYPES_DIR: folder },
    shipped.options,
  )
}

async function addReaders(base: string): Promise<Readonly<Record<RoleName, Reader>>> {
  const permissions = ['plugin::users-permissions.auth.callback']
  await ask(base, 'PUT', '/admin/roles/public', { permissions })
  return { free: await addReader(base, 'free'), owner: await addReader(base, 'owner') }
}

async function addReader(base: string, role: RoleName): Promise<Reader> {
  await ask(base, 'POST', '/admin/roles', { type: role, name: role, ...ROLES[role] })
  const email = `${role}@example.org`
  const user = { username: role, email, password: PASSWORD, role, confirmed: true }
  const { data } = await ask<{ data: { documentId: string } }>(base, 'POST', '/admin/users', user)
  const login = { identifier: email, password: PASSWORD }
  const { jwt } = await ask<{ jwt: string }>(base, 'POST', '/api/auth/local', login)
  return { documentId: data.documentId, jwt }
}

/** Each hundredth memo belongs to the owner, and so does its parent. The others have no owner. */
async function addMemos(base: string, { documentId }: Reader, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from)
    const lines = Array.from({ length: size }, (_, nth) => {
      const index = from + nth
      const { title, summary, body, rating, topics } = makePost(index)
      const parent = index < OWNERS ? null : memoId(index - OWNERS)
      const owner = index % OWNERS === 0 ? documentId : null
      const data = { title, summary, body, rating, topics, parent, owner }
      return { op: 'upsert', type: 'memo', documentId: memoId(index), data }
    })
    await sendBulk(base, lines)
  }
}

function memoId(index: number): string {
  return documentIdFor(`memo:${index}`)
}

function makeWorkload(
  name: 'list' | 'findOne' | 'populated',
  { jwt }: Reader,
  posts: number,
): Workload {
  const own = Array.from({ length: Math.min(PATHS, Math.floor(posts / OWNERS)) }, (_, nth) =>
    memoId(nth * OWNERS),
  )
  const paths = {
    list: [`/api/memos?${UNCOUNTED}`],
    findOne: own.map((id) => `/api/memos/${id}`),
    populated: [`/api/memos?populate=parent,topics&sort=id:desc&${UNCOUNTED}`],
  }
  const headers = { 'Cache-Control': 'no-store', Authorization: `Bearer ${jwt}` }
  const goal = 'at least 0.9 of the reads without a rule'
  return { name, about: 'posts', method: 'GET', paths: paths[name], bodies: [], headers, goal }
}

/** @throws Error unless both readers get equally many entries with equally many relations */
async function assertShown(base: string, workloads: readonly Workload[]): Promise<void> {
  const shown = await Promise.all(
    workloads.map(async ({ paths, headers }) => {
      const response = await fetch(base + (paths[0] ?? ''), { headers })
      const { data } = (await response.json()) as { readonly data: unknown }
      const entries = [data].flat() as readonly Readonly<Record<string, unknown>>[]
      const related = entries.filter(({ parent, topics }) => parent && topics)
      const isWhole = related.every(({ topics }) => (topics as unknown[]).length === TOPICS_EACH)
      return { status: response.status, entries: entries.length, related: related.length, isWhole }
    }),
  )
  const [one, other] = shown.map((each) => JSON.stringify(each))
  if (one !== other || shown[0]?.status !== 200) throw new Error(`${one} is not ${other}`)
}

async function ask<Answer>(
  base: string,
  method: 'POST' | 'PUT',
  path: string,
  body: object,
): Promise<Answer> {
  const isPublic = path.startsWith('/api/auth')
  const response = await fetch(base + path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(!isPublic && { Authorization: `Bearer ${ROOT_TOKEN}` }),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return (await response.json()) as Answer
}
