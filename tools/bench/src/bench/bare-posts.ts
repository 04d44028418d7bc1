import type { ClientSession, Collection, Document, MongoClient } from 'mongodb'
import { newDocumentId } from '../../../../src/mongo/versions/document-id.ts'
import {
  PAGE_SIZE,
  projectionOf,
  PUBLISHED,
  readPage,
  readPageByCursor,
  show,
  type BareRow,
} from './bare-read.ts'

/** The queries that Quire sends for articles, written by hand. */
export interface BarePosts {
  list(page: number): Promise<object>
  countedList(): Promise<object>
  newest(): Promise<object>
  /** Reads posts and two of their relations with three queries. */
  populated(): Promise<object>
  findOne(documentId: string): Promise<object>
  /** A list with a single post. */
  bySlug(slug: string): Promise<object>
  pageByCursor(cursor: string): Promise<object>
  firstSyncPage(): Promise<object>
  /** `_sync` without changes since the token. */
  syncTip(token: string): Promise<object>
  /** Draft and published version, in a transaction. */
  create(data: Document): Promise<object>
  /** Both versions, in a transaction. */
  update(documentId: string, data: Document): Promise<object>
}

const FIRST_ID = 1_000_000_000
const SYNC_PAGE = 100
/** The tie-breaker that Quire appends to the order. */
const NEWEST_ID = -1

export function openBarePosts(client: MongoClient, database: string): BarePosts {
  const db = client.db(database)
  const posts = db.collection<BareRow>('bench_posts')
  const targets = {
    writer: db.collection<BareRow>('bench_writers'),
    topic: db.collection<BareRow>('bench_topics'),
  }
  return {
    list: async (page) => {
      const found = await readPage(posts, 'post', PUBLISHED, { skip: (page - 1) * PAGE_SIZE })
      return listOf(showPosts(found), page)
    },
    countedList: async () => {
      const [found, total] = await Promise.all([
        readPage(posts, 'post', PUBLISHED),
        posts.countDocuments(PUBLISHED),
      ])
      return listOf(showPosts(found), 1, total)
    },
    newest: async () => {
      const sort = { createdAt: -1, id: NEWEST_ID } as const
      const found = await readPage(posts, 'post', PUBLISHED, { sort })
      return listOf(showPosts(found), 1)
    },
    populated: async () => listOf(await readPopulated(posts, targets), 1),
    findOne: async (documentId) => {
      const _id = `${documentId}::published`
      const found = await posts.findOne({ _id }, { projection: projectionOf('post') })
      return { data: show('post', found ?? {}), meta: {} }
    },
    bySlug: async (slug) => {
      const found = await posts
        .find({ slug, ...PUBLISHED }, { limit: PAGE_SIZE, projection: projectionOf('post') })
        .toArray()
      return listOf(showPosts(found), 1, found.length)
    },
    pageByCursor: (cursor) => readPageByCursor(posts, 'post', cursor),
    firstSyncPage: async () => {
      const options = { sort: { _id: 1 }, limit: SYNC_PAGE, batchSize: SYNC_PAGE + 1 } as const
      const found = await posts.find({ status: 'published' }, options).toArray()
      return { items: found.map(syncItem), next: String(found.at(-1)?._id), more: true }
    },
    syncTip: async (token) => {
      await db.collection<BareRow>('quire_heads').findOne({ _id: 'main' })
      return { items: [], next: token, more: false }
    },
    create: creating(client, posts),
    update: updating(client, posts),
  }
}

function syncItem(post: BareRow): object {
  const { documentId, status, writer, topics, _revision: revision }: Record<string, unknown> = post
  const data = { ...show('post', post), writer, topics }
  return { op: 'put', type: 'post', documentId, locale: null, status, revision, data }
}

function creating(client: MongoClient, posts: Collection<BareRow>): BarePosts['create'] {
  let nextId = FIRST_ID
  return async (data) => {
    const documentId = newDocumentId()
    const now = new Date()
    const shared = { ...data, documentId, locale: '', createdAt: now, updatedAt: now }
    const versions = (['draft', 'published'] as const).map((status) => ({
      ...shared,
      _id: `${documentId}::${status}`,
      id: nextId++,
      status,
      publishedAt: status === 'draft' ? null : now,
    }))
    await client.withSession((session) =>
      session.withTransaction(() => posts.insertMany(versions, { session })),
    )
    return { data: show('post', versions[1] ?? {}), meta: {} }
  }
}

function updating(client: MongoClient, posts: Collection<BareRow>): BarePosts['update'] {
  return async (documentId, data) => {
    const now = new Date()
    const change = (session: ClientSession, status: string, also: Document) =>
      posts.findOneAndUpdate(
        { _id: `${documentId}::${status}` },
        { $set: { ...data, ...also, updatedAt: now } },
        { session, returnDocument: 'after' },
      )
    const published = await client.withSession((session) =>
      session.withTransaction(async () => {
        await change(session, 'draft', {})
        return change(session, 'published', { publishedAt: now })
      }),
    )
    return { data: show('post', published ?? {}), meta: {} }
  }
}

async function readPopulated(
  posts: Collection<BareRow>,
  targets: Readonly<Record<'writer' | 'topic', Collection<BareRow>>>,
): Promise<readonly object[]> {
  const found = await readPage(posts, 'post', PUBLISHED, { also: ['writer', 'topics'] })
  const writerOf = (post: Document): string => post['writer'] as string
  const topicsOf = (post: Document): readonly string[] => post['topics'] as readonly string[]
  const [writers, topics] = await Promise.all([
    readTargets(targets.writer, 'writer', found.map(writerOf)),
    readTargets(targets.topic, 'topic', found.flatMap(topicsOf)),
  ])
  return found.map((post) => ({
    ...show('post', post),
    writer: writers.get(writerOf(post)) ?? null,
    topics: topicsOf(post).map((id) => topics.get(id) ?? null),
  }))
}

async function readTargets(
  collection: Collection<BareRow>,
  type: 'writer' | 'topic',
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, object>> {
  const ids = [...new Set(documentIds)].map((documentId) => `${documentId}::published`)
  const found = await collection
    .find({ _id: { $in: ids } }, { projection: projectionOf(type) })
    .toArray()
  return new Map(found.map((each) => [String(each['documentId']), show(type, each)]))
}

function showPosts(found: readonly Document[]): readonly object[] {
  return found.map((each) => show('post', each))
}

function listOf(data: readonly object[], page: number, total?: number): object {
  const counted = total === undefined ? {} : { pageCount: Math.ceil(total / PAGE_SIZE), total }
  return { data, meta: { pagination: { page, pageSize: PAGE_SIZE, ...counted } } }
}
