import { buildStep, restartBuilds } from '../../../src/changes/search/build-index.ts'
import type { Indexing } from '../../../src/changes/search/search-writer.ts'
import { SEGMENT_WRITER } from '../../../src/changes/search/segment-writer.ts'
import { ensureSearchFollower } from '../../../src/changes/search/search-rows.ts'
import { ensureHead, readHead } from '../../../src/mongo/commits/heads.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { type Analyzer, analyzerFor } from '../../../src/query/text/analyze-text.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { openTestDatabase } from '../../support/test-database.ts'
import { type Page, WEIGHTS } from './search-naively.ts'

const { contentTypes } = compileSchema({
  contentTypes: [
    {
      ...contentType(
        'page',
        { localized: false, draftAndPublish: false },
        { title: { type: 'string' }, body: { type: 'text' }, isOpen: { type: 'boolean' } },
      ),
      search: WEIGHTS,
    },
  ],
  components: [],
})

const DAYS = [0, 1].map((day) => new Date(Date.UTC(2026, 0, 1 + day)))

export function idOf(index: number): string {
  return `d${String(index).padStart(23, '0')}`
}

const rowOf = ({ title, body, isOpen, day }: Page, index: number) => ({
  _id: `${idOf(index)}::published`,
  id: index,
  documentId: idOf(index),
  locale: '',
  status: 'published',
  title: title.join(' '),
  body: body.join(' '),
  isOpen,
  createdAt: DAYS[day],
  updatedAt: DAYS[day],
  publishedAt: DAYS[day],
})

export interface SearchWorld {
  readonly database: Database
  readonly plan: ContentTypePlan
  readonly analyzer: Analyzer
  replacePages(pages: readonly Page[]): Promise<void>
  /** Starts a step of the index. */
  nextSeq(): number
  indexing(): Indexing
  build(): Promise<void>
  close(): Promise<void>
}

export async function openSearchWorld(label: string): Promise<SearchWorld> {
  const test = await openTestDatabase(label)
  const { database } = test
  await syncIndexes(database, [...compileCollections({ contentTypes }).values()])
  await ensureHead(database)
  await ensureSearchFollower(database, await readHead(database))
  const plan = contentTypes.get('api::page.page')
  if (plan === undefined) throw new Error('there is no page')
  let seq = 0
  /** Few recent versions, so that there are segments and merges. */
  const indexing = (): Indexing => {
    return {
      database,
      writer: SEGMENT_WRITER,
      defaultLocale: 'en',
      seq,
      now: () => new Date(),
      maxRecent: 3,
    }
  }
  const nextSeq = (): number => {
    seq += 1
    return seq
  }
  return {
    database,
    plan,
    analyzer: await analyzerFor('en'),
    replacePages: async (pages) => {
      const collection = database.collection<ReturnType<typeof rowOf>>(plan.collectionName)
      await collection.deleteMany({})
      if (pages.length > 0) await collection.insertMany(pages.map(rowOf))
    },
    nextSeq,
    indexing,
    build: async () => {
      nextSeq()
      await restartBuilds(database, [plan.uid])
      while (await buildStep(indexing(), plan));
    },
    close: () => test.drop(),
  }
}
