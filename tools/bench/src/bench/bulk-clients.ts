import { request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Document, MongoClient } from 'mongodb'
import { newDocumentId } from '../../../../src/mongo/versions/document-id.ts'
import { newRevision } from '../../../../src/mongo/versions/version-fields.ts'
import { type Bench, ROOT_TOKEN } from './prepare.ts'
import { makePost } from './content.ts'

/** Types of the same shape: with and without drafts. */
export const BULK_TYPES = ['post', 'note'] as const
export type BulkType = (typeof BULK_TYPES)[number]

/** The slugs of new documents start with `batch`. */
export type Documents = Iterable<Document>

export function* makeDocuments(batch: string, count: number): Generator<Document> {
  for (let index = 0; index < count; index += 1) {
    yield { ...makePost(index), slug: `${batch}-${index}` }
  }
}

/** Upserts by slug. */
export function* makeUpsertLines(type: BulkType, documents: Documents): Generator<object> {
  for (const data of documents) {
    const key = { slug: data['slug'] as unknown }
    yield { op: 'upsert', type, key, data }
  }
}

export function* makeSmallLines(count: number): Generator<object> {
  for (let index = 0; index < count; index += 1) {
    const data = { name: `Topic ${index}` }
    yield { op: 'upsert', type: 'topic', documentId: newDocumentId(), data }
  }
}

/** @throws Error unless each line created a document */
export async function sendBulk(base: string, sentLines: Iterable<object>): Promise<number> {
  const sent = request(`${base}/api/_bulk`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${ROOT_TOKEN}` },
  })
  const answered = new Promise<string>((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', (response) => {
      text(response).then(resolve, reject)
    })
  })
  Readable.from(textOf(sentLines)).pipe(sent)
  const lines = (await answered).trimEnd().split('\n')
  const fault = lines.find((line) => !line.includes('"created"'))
  if (fault !== undefined) throw new Error(`a line failed: ${fault}`)
  return lines.length
}

function* textOf(lines: Iterable<object>): Generator<string> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`
}

/** The plain driver with the same documents: no validation, no log, no transaction. */
export interface BareBulk {
  /** Inserts as many rows as Quire, in batches of 1,000. Returns the number of documents. */
  insert(type: BulkType, documents: Documents): Promise<number>
  close(): Promise<void>
}

const ROWS = 1_000

export async function openBareBulk({ env }: Pick<Bench, 'env'>): Promise<BareBulk> {
  const client = await MongoClient.connect(env['MONGODB_URI'] ?? '', {
    writeConcern: { w: 'majority' },
  })
  const db = client.db(env['MONGODB_DATABASE'])
  for (const type of BULK_TYPES) {
    const indexes = await db.collection(`bench_${type}s`).indexes()
    const own = indexes.filter(({ name }) => name !== '_id_')
    const plain = own.map(({ v: _version, ...index }) => index)
    await db.collection(`bare_${type}s`).createIndexes(plain)
  }
  let nextId = 1
  return {
    insert: async (type, documents) => {
      const rows = [...documents].flatMap((data) => {
        const shared = sharedOf(data)
        return type === 'post'
          ? [rowOf(shared, 'published', nextId++), rowOf(shared, 'draft', nextId++)]
          : [rowOf(shared, 'published', nextId++)]
      })
      for (let from = 0; from < rows.length; from += ROWS) {
        await db.collection(`bare_${type}s`).insertMany(rows.slice(from, from + ROWS))
      }
      return type === 'post' ? rows.length / 2 : rows.length
    },
    close: () => client.close(),
  }
}

function sharedOf(data: Document): Document {
  const now = new Date()
  const documentId = newDocumentId()
  const stamps = { createdAt: now, updatedAt: now, _revision: newRevision() }
  return { ...data, documentId, locale: '', ...stamps }
}

function rowOf(shared: Document, status: 'published' | 'draft', id: number): Document {
  const publishedAt = status === 'published' ? (shared['createdAt'] as Date) : null
  const _id = `${String(shared['documentId'])}::${status}`
  return { ...shared, _id, id, status, publishedAt }
}
