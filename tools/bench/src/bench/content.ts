import { type ImportedDocument } from '../../../../src/transfer/import/import-documents.ts'
import { documentIdFor } from '../../../../src/mongo/versions/document-id.ts'
import type { Data } from '../../../../src/schema/definition.ts'
import { NO_LOCALE } from '../../../../src/schema/no-locale.ts'

const WRITERS = 50
const TOPICS = 40
export const TOPICS_EACH = 3
const WORDS = 'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod'.split(' ')

function declare(name: string, draftAndPublish: boolean, attributes: object): object {
  return {
    kind: 'collectionType',
    collectionName: `bench_${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish },
    attributes,
  }
}

function to(relation: string, name: string): object {
  return {
    type: 'relation',
    relation,
    target: `api::${name}.${name}`,
  }
}

const POST = {
  title: { type: 'string', required: true },
  slug: { type: 'uid', targetField: 'title' },
  summary: { type: 'text' },
  body: { type: 'richtext' },
  rating: { type: 'integer' },
  featured: { type: 'boolean' },
  writer: to('manyToOne', 'writer'),
  topics: to('manyToMany', 'topic'),
}

/**
 * Content-types by file name: a post with two relations, in addition to the sample's types. `note`
 * is the same without drafts.
 */
export const BENCH_TYPES: Readonly<Record<string, object>> = {
  post: declare('post', true, POST),
  note: declare('note', false, POST),
  writer: declare('writer', false, { name: { type: 'string' }, email: { type: 'email' } }),
  topic: declare('topic', false, { name: { type: 'string' } }),
}

/** Content-types of another site, for measuring its start. */
export function makeManyTypes(count: number): Readonly<Record<string, object>> {
  const names = Array.from({ length: count }, (_, index) => `kind-${index + 1}`)
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      declare(name, index % 2 === 0, {
        title: { type: 'string', required: true },
        slug: { type: 'uid', targetField: 'title' },
        body: { type: 'richtext' },
        rating: { type: 'integer', min: 0, max: 5 },
        next: to('manyToOne', names[(index + 1) % count] ?? name),
        others: to('manyToMany', names[(index + 7) % count] ?? name),
      }),
    ]),
  )
}

/** About 800 bytes as JSON. Deterministic for each index. */
export function makePost(index: number): Data {
  const topics = Array.from({ length: TOPICS_EACH }, (_, nth) => (index * 7 + nth * 11) % TOPICS)
  return {
    title: `Post ${index} ${words(index, 4)}`,
    slug: makePostSlug(index),
    summary: words(index, 16),
    body: words(index + 1, 65),
    rating: index % 6,
    featured: index % 10 === 0,
    writer: documentIdFor(`writer:${index % WRITERS}`),
    topics: topics.map((topic) => documentIdFor(`topic:${topic}`)),
  }
}

export function makePostSlug(index: number): string {
  return `post-${index}`
}

export function postId(index: number): string {
  return documentIdFor(`post:${index}`)
}

/** Targets of relations come first. */
export function* makeBenchDocuments(uid: string, count: number): Generator<ImportedDocument> {
  for (let index = 0; index < count; index += 1) {
    const data = uid === 'api::post.post' ? makePost(index) : { name: `Name ${words(index, 2)}` }
    const name = /[a-z]+$/.exec(uid)?.[0] ?? ''
    yield {
      documentId: documentIdFor(`${name}:${index}`),
      versions: [{ locale: NO_LOCALE, status: 'published', data }],
    }
  }
}

export const BENCH_PARTS: readonly (readonly [uid: string, count: (posts: number) => number])[] = [
  ['api::writer.writer', () => WRITERS],
  ['api::topic.topic', () => TOPICS],
  ['api::post.post', (posts) => posts],
]

function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, nth) => WORDS[(seed * 5 + nth * 3) % WORDS.length]).join(
    ' ',
  )
}
