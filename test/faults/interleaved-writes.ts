import { addMember, type Member } from '../api/people/rules-world.ts'
import { Device } from '../support/push-world.ts'
import type { Answer, TestServer } from '../support/server.ts'
import { BATCH_OPERATIONS } from './batch-operations.ts'
import { ok, preparePost } from './fault-operations.ts'

/** A write of a document. */
export interface Write {
  readonly name: string
  /** Returns the input of `send`. */
  readonly prepare?: (server: TestServer, path: string, key: string) => Promise<string>
  send(server: TestServer, path: string, key: string, prepared: string): Promise<Answer>
}

/** Writes of the same document, which `prepare` creates. */
export interface WriteGroup {
  readonly name: string
  /** Returns the path of the document. */
  prepare(server: TestServer, key: string): Promise<string>
  readonly writes: readonly Write[]
}

const HISTORY = '/admin/history/api::post.post'
const TRASH = '/admin/trash/api::post.post'
const LATER = new Date(Date.now() + 86_400_000).toISOString()

const act = (name: string): Write => ({
  name,
  send: (server, path) => server.send('POST', `${path}/actions/${name}?locale=*`),
})

const idOf = (path: string): string => path.split('/').at(-1) ?? ''

const bulk = (server: TestServer, line: object): Promise<Answer> =>
  server.send('POST', '/api/_bulk?atomic=true', {
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  })

const upsert: Write = {
  name: 'bulk',
  send: (server, path, key) =>
    bulk(server, {
      op: 'upsert',
      type: 'post',
      documentId: idOf(path),
      status: 'draft',
      data: { title: `${key} bulk`, views: 5 },
    }),
}

const release: Write = {
  name: 'release',
  prepare: async (server, path, key) => {
    const data = { name: `${key} release` }
    const { body } = ok(await server.send('POST', '/admin/releases', { body: { data } }))
    const at = `/admin/releases/${body.data.id as string}`
    const items = ['en', 'fr'].map((locale) => ({
      uid: 'api::post.post',
      documentId: idOf(path),
      locale,
      action: locale === 'en' ? 'publish' : 'unpublish',
    }))
    ok(await server.send('POST', `${at}/items`, { body: { data: { items } } }))
    return at
  },
  send: (server, _path, _key, at) => server.send('POST', `${at}/actions/publish`),
}

const restoreRevision: Write = {
  name: 'restore of a revision',
  prepare: async (server, path) => {
    const { body } = ok(await server.get(`${HISTORY}/${idOf(path)}?locale=en&status=draft`))
    return String(body.data.at(-1).revision)
  },
  send: (server, path, _key, revision) =>
    server.send('POST', `${HISTORY}/${idOf(path)}/${revision}/restore?locale=en`, { body: {} }),
}

const POSTS: WriteGroup = {
  name: 'a published post',
  prepare: preparePost,
  writes: [
    {
      name: 'update',
      send: (server, path, key) => server.put(path, { title: `${key} updated`, tags: [] }),
    },
    {
      name: 'update of another locale',
      send: (server, path, key) =>
        server.put(`${path}?locale=fr`, { title: `${key} fr`, views: 7 }),
    },
    {
      name: 'update and publish',
      send: (server, path, key) => server.put(`${path}?status=published`, { title: `${key} live` }),
    },
    act('publish'),
    act('unpublish'),
    act('discard'),
    { name: 'delete', send: (server, path) => server.delete(path) },
    { name: 'delete of a locale', send: (server, path) => server.delete(`${path}?locale=fr`) },
    upsert,
    release,
    restoreRevision,
    {
      name: 'schedule',
      send: (server, path) =>
        server.send('POST', `${path}/actions/unpublish?locale=*`, {
          body: { data: { at: LATER } },
        }),
    },
  ],
}

const DELETED_POSTS: WriteGroup = {
  name: 'a deleted post',
  prepare: async (server, key) => {
    const path = await preparePost(server, key)
    ok(await server.delete(path))
    return path
  },
  writes: [
    {
      name: 'restore',
      send: (server, path) =>
        server.send('POST', `${TRASH}/${idOf(path)}/restore`, { body: { data: {} } }),
    },
    upsert,
    { name: 'deletion for good', send: (server, path) => server.delete(`${TRASH}/${idOf(path)}`) },
  ],
}

const members = new Map<string, Promise<Member>>()

/** The member of all servers of a database. */
function memberOf(server: TestServer): Promise<Member> {
  const known = members.get(server.database) ?? addMember(server, 'berta')
  members.set(server.database, known)
  return known
}

const push = (name: string, mutation: (key: string) => object): Write => ({
  name,
  prepare: async (server, path) =>
    /[0-9a-f]+/.exec(ok(await server.get(path)).headers.etag ?? '')?.[0] ?? '',
  send: async (server, path, key, base) => {
    const device = new Device(
      server,
      await memberOf(server),
      `${name}-of-${key}`.replaceAll(' ', '-'),
    )
    const line = { n: 1, type: 'memo', documentId: idOf(path), base, ...mutation(key) }
    return device.send([device.head(), line])
  },
})

const MEMOS: WriteGroup = {
  name: 'a memo',
  prepare: async (server, key) => {
    await memberOf(server)
    const { body } = ok(await server.post('/api/memos', { name: `${key} memo` }))
    return `/api/memos/${body.data.documentId as string}`
  },
  writes: [
    push('push', (key) => ({
      op: 'update',
      patch: { name: { set: `${key} pushed` } },
      seen: { name: `${key} memo` },
    })),
    push('push of a deletion', () => ({ op: 'delete' })),
    { name: 'update', send: (server, path, key) => server.put(path, { name: `${key} updated` }) },
    { name: 'delete', send: (server, path) => server.delete(path) },
  ],
}

/** Requests that create the same values. */
const CREATIONS: WriteGroup = {
  name: 'a value that is not taken',
  prepare: () => Promise.resolve('/api/posts'),
  writes: [
    {
      name: 'create',
      send: (server, path, key) =>
        server.post(`${path}?status=published`, { title: `${key} new`, code: `${key} code` }),
    },
    {
      name: 'create with a key',
      send: (server, path, key) =>
        server.post(
          `${path}?status=published`,
          { title: `${key} new`, code: `${key} code` },
          { headers: { 'idempotency-key': `create-${key}` } },
        ),
    },
    ...BATCH_OPERATIONS.filter(({ name }) => name === 'atomic bulk').map((operation): Write => ({
      name: operation.name,
      send: (server, _path, key) => operation.send(server, key, ''),
    })),
  ],
}

export const WRITE_GROUPS: readonly WriteGroup[] = [POSTS, DELETED_POSTS, MEMOS, CREATIONS]
