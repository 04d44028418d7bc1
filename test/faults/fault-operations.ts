import sharp from 'sharp'
import { pushed } from '../support/push-world.ts'
import {
  type Answer,
  declare,
  type Json,
  type ServerOptions,
  type TestServer,
} from '../support/server.ts'
import { MULTIPART, multipart } from '../support/uploads.ts'

export const LOCALES = ['en', 'fr', 'de'] as const
const STATUSES = ['draft', 'published'] as const

const localized = { pluginOptions: { i18n: { localized: true } } }
const relation = (kind: string, target: string, more: object): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

/**
 * Each write of a post changes several stored documents: versions, locales, and the tags on the
 * other side.
 */
export const FAULT_TYPES: ServerOptions['contentTypes'] = {
  'components/shared/part': {
    info: { displayName: 'Part' },
    attributes: { text: { type: 'string' } },
  },
  post: declare(
    'post',
    {
      title: { type: 'string', ...localized },
      code: { type: 'string', unique: true },
      views: { type: 'integer' },
      parts: { type: 'component', component: 'shared.part', repeatable: true, ...localized },
      tags: relation('manyToMany', 'tag', { inversedBy: 'posts' }),
      badge: relation('oneToOne', 'tag', { inversedBy: 'bearer' }),
      cover: { type: 'media' },
    },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', {
    name: { type: 'string' },
    posts: relation('manyToMany', 'post', { mappedBy: 'tags' }),
    bearer: relation('oneToOne', 'post', { mappedBy: 'badge' }),
  }),
  memo: pushed(declare('memo', { name: { type: 'string', unique: true } })),
}

/** A request with an all-or-nothing outcome. The names of all its documents start with `key`. */
export interface FaultOperation {
  readonly name: string
  /** Returns the input of `send`. */
  prepare(server: TestServer, key: string): Promise<string>
  send(server: TestServer, key: string, prepared: string): Promise<Answer>
  /** For responses with lines: the worst status of a line. */
  readonly statusOf?: (answer: Answer) => number
  /** If lines are written apart from each other: the names of the acknowledged documents. */
  readonly acknowledgedBy?: (answer: Answer) => readonly string[]
}

export const ok = (answer: Answer): Answer => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}

export async function twoTags(server: TestServer, key: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (const name of ['a', 'b']) {
    const { body } = ok(await server.post('/api/tags', { name: `${key} ${name}` }))
    ids.push(body.data.documentId as string)
  }
  return ids
}

const contentOf = (key: string, tags: readonly string[], title: string): object => ({
  title: `${key} ${title}`,
  code: `${key} new`,
  views: 1,
  parts: [{ text: 'one' }, { text: 'two' }],
  tags,
  badge: tags[0],
})

/**
 * A published post in three locales with two tags. Its published versions have other tags than its
 * drafts.
 */
export async function preparePost(server: TestServer, key: string): Promise<string> {
  const tags = await twoTags(server, key)
  const { body } = ok(await server.post('/api/posts', contentOf(key, tags, 'en')))
  const path = `/api/posts/${body.data.documentId as string}`
  for (const locale of LOCALES.slice(1)) {
    ok(await server.put(`${path}?locale=${locale}`, { title: `${key} ${locale}` }))
  }
  ok(await server.send('POST', `${path}/actions/publish?locale=*`))
  const changed = { tags: tags.slice(1), badge: tags[1], views: 2, title: `${key} changed` }
  ok(await server.put(`${path}?status=draft`, changed))
  return path
}

const act = (name: string): FaultOperation => ({
  name,
  prepare: preparePost,
  send: (server, _key, path) => server.send('POST', `${path}/actions/${name}?locale=*`),
})

const sendFiles = (
  server: TestServer,
  files: readonly { readonly name: string; readonly content: string | Buffer }[],
  query = '',
): Promise<Answer> =>
  server.send('POST', `/api/upload${query}`, { headers: MULTIPART, body: multipart({ files }) })

const upload = (name: string, files: readonly string[]): FaultOperation => ({
  name,
  prepare: () => Promise.resolve(''),
  send: (server, key) =>
    sendFiles(
      server,
      files.map((file) => ({ name: `${key} ${file}`, content: file })),
    ),
})

const picture = sharp({ create: { width: 400, height: 300, channels: 3, background: '#aabbcc' } })
  .png()
  .toBuffer()

async function addPicture(server: TestServer, key: string): Promise<Json> {
  const files = [{ name: `${key} picture.png`, content: await picture }]
  return ok(await sendFiles(server, files)).body[0]
}

async function preparePicture(server: TestServer, key: string): Promise<string> {
  return String((await addPicture(server, key)).id)
}

/** Returns the path of a deleted picture. */
async function prepareDeleted(server: TestServer, key: string): Promise<string> {
  const { id, documentId } = await addPicture(server, key)
  ok(await server.delete(`/api/upload/files/${id}`))
  return `${FILE_TRASH}/${documentId}`
}

const FILE_TRASH = '/admin/trash/plugin::upload.file'

const crop = (server: TestServer, id: string): Promise<Answer> => {
  const body = { x: 100, y: 0, width: 300, height: 200 }
  return server.send('PUT', `/admin/files/${id}/crop`, { body })
}

/** Operations that write, rename or remove several files. */
export const FILE_OPERATIONS: readonly FaultOperation[] = [
  {
    name: 'upload a picture',
    prepare: () => Promise.resolve(''),
    send: async (server, key) =>
      sendFiles(server, [{ name: `${key} picture.png`, content: await picture }]),
  },
  {
    name: 'upload the bytes of a file again',
    prepare: async (server, key) => {
      const { body } = ok(await sendFiles(server, [{ name: `${key} a.txt`, content: 'old' }]))
      return String(body[0].id)
    },
    send: (server, key, id) =>
      sendFiles(server, [{ name: `${key} a.txt`, content: 'new' }], `?id=${id}`),
  },
  {
    name: 'crop a picture',
    prepare: preparePicture,
    send: (server, _key, id) => crop(server, id),
  },
  {
    name: 'reset a crop',
    prepare: async (server, key) => {
      const id = await preparePicture(server, key)
      ok(await crop(server, id))
      return id
    },
    send: (server, _key, id) => server.delete(`/admin/files/${id}/crop`),
  },
  {
    name: 'make a file private',
    prepare: preparePicture,
    send: (server, _key, id) =>
      server.send('PUT', `/admin/files/${id}`, { body: { private: true } }),
  },
  {
    name: 'delete a file',
    prepare: preparePicture,
    send: (server, _key, id) => server.delete(`/api/upload/files/${id}`),
  },
  {
    name: 'restore a file',
    prepare: prepareDeleted,
    send: (server, _key, path) => server.send('POST', `${path}/restore`),
  },
  {
    name: 'delete a file for good',
    prepare: prepareDeleted,
    send: (server, _key, path) => server.delete(path),
  },
]

export const FAULT_OPERATIONS: readonly FaultOperation[] = [
  {
    name: 'create and publish',
    prepare: async (server, key) => {
      const tags = await twoTags(server, key)
      // Another post holds the badge and loses it.
      const rival = { ...contentOf(key, tags, 'rival'), code: `${key} rival` }
      ok(await server.post('/api/posts?status=published', rival))
      return tags.join()
    },
    send: (server, key, tags) =>
      server.post('/api/posts?status=published', contentOf(key, tags.split(','), 'new')),
  },
  {
    name: 'create with a key',
    prepare: async (server, key) => (await twoTags(server, key)).join(),
    send: (server, key, tags) =>
      server.post('/api/posts?status=published', contentOf(key, tags.split(','), 'new'), {
        headers: { 'idempotency-key': key.replaceAll(' ', '-') },
      }),
  },
  {
    name: 'create without a draft',
    prepare: () => Promise.resolve(''),
    send: (server, key) => server.post('/api/tags', { name: `${key} new` }),
  },
  {
    name: 'update what locales share',
    prepare: preparePost,
    send: (server, key, path) =>
      server.put(`${path}?locale=fr`, { views: 9, tags: [], title: `${key} shared` }),
  },
  act('publish'),
  act('unpublish'),
  act('discard'),
  {
    name: 'delete',
    prepare: preparePost,
    send: (server, _key, path) => server.delete(path),
  },
  {
    name: 'delete a locale',
    prepare: preparePost,
    send: (server, _key, path) => server.delete(`${path}?locale=fr`),
  },
  upload('upload', ['one.txt']),
  upload('upload two files', ['one.txt', 'two.txt']),
]

/**
 * The readable state of all documents with a name that starts with `key`, in a form that is equal
 * for two keys.
 */
export async function readState(server: TestServer, key: string): Promise<Json> {
  const named = (attribute: string): string =>
    `filters[${attribute}][$startsWith]=${encodeURIComponent(`${key} `)}&sort=${attribute}`
  const list = async (path: string): Promise<Json> => (await patiently(server, path)).data
  const posts = STATUSES.flatMap((status) =>
    LOCALES.map((locale) =>
      list(`/api/posts?${named('title')}&status=${status}&locale=${locale}&populate=*`),
    ),
  )
  const tags = STATUSES.map((status) =>
    list(`/api/tags?${named('name')}&status=${status}&populate=*`),
  )
  const memos = list(`/api/memos?${named('name')}`)
  const files = await patiently(server, `/api/upload/files?${named('name')}`)
  const state = {
    posts: await Promise.all(posts),
    tags: await Promise.all(tags),
    memos: await memos,
    files: files.map(({ name, size, formats, url }: Json) => ({
      name,
      size,
      isSigned: String(url).includes('signature='),
      formats: Object.keys(formats ?? {}),
    })),
    bytes: await Promise.all(files.map((file: Json) => readBytes(server, file))),
    ...(await readRecords(server, key)),
  }
  const ids = new Set<string>(state.posts.flat().map(({ documentId }: Json) => documentId))
  const histories = await Promise.all(Array.from(ids, (id) => readHistory(server, id)))
  const text = JSON.stringify({ ...state, histories: histories.toSorted() }, withoutOwn)
  return JSON.parse(text.replaceAll(key, 'KEY'))
}

/** The beginning of a file and of its formats. */
function readBytes(server: TestServer, { url, formats }: Json): Promise<readonly string[]> {
  const urls = [url, ...Object.values(formats ?? {}).map((format) => (format as Json).url)]
  return Promise.all(
    urls.map(async (each) => {
      const { status, text } = await server.get(each as string)
      return `${status} ${text.length} ${text.slice(0, 8)}`
    }),
  )
}

/** Deleted posts and files, and releases. */
async function readRecords(server: TestServer, key: string): Promise<object> {
  const deleted = await Promise.all(
    ['api::post.post', 'plugin::upload.file'].map((uid) =>
      patiently(server, `/admin/trash?uid=${uid}&pagination[pageSize]=100`),
    ),
  )
  const releases = await patiently(server, '/admin/releases?pagination[pageSize]=100')
  const isOwn = (text: unknown): boolean => String(text).startsWith(`${key} `)
  return {
    trash: deleted
      .flatMap(({ data }) => data)
      .filter(({ title }: Json) => isOwn(title))
      .map(({ title, locales }: Json) => ({ title, locales })),
    releases: releases.data
      .filter(({ name }: Json) => isOwn(name))
      .map(({ name, state }: Json) => ({ name, state })),
  }
}

/** The history and the schedules of a post. */
async function readHistory(server: TestServer, documentId: string): Promise<string> {
  const history = await patiently(server, `/admin/history/api::post.post/${documentId}`)
  const schedules = await patiently(
    server,
    `/admin/schedules?uid=api::post.post&documentId=${documentId}`,
  )
  return [
    ...history.data.map(({ op, locale, status }: Json) => `${op} ${locale} ${status}`).toSorted(),
    ...schedules.data.map(({ action, locale }: Json) => `${action} ${locale}`).toSorted(),
  ].join()
}

/** Attributes that always differ between documents. */
const OWN: ReadonlySet<string> = new Set([
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
])

const withoutOwn = (name: string, value: unknown): unknown => (OWN.has(name) ? undefined : value)

/** A server needs a moment to find its database again. */
async function patiently(server: TestServer, target: string): Promise<Json> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const answer = await server.get(target)
    if (answer.status === 200) return answer.body
    if (Date.now() > deadline) throw new Error(`${target}: ${answer.status} ${answer.text}`)
  }
}
