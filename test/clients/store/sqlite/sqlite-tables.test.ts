import type { ContentPlan, ContentType } from '@quire/client'
import {
  type Change,
  createStore,
  type Mark,
  memoryStorage,
  type Row,
  sqliteStorage,
  type StoreStorage,
} from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { modelRuns } from '../../../support/model-runs.ts'
import { openDirectFile } from '../sqlite-database.ts'

const RUNS = modelRuns('SQLITE_STORE_RUNS', 60, 2_000)

type Loose = ContentType & {
  readonly kind: 'collection'
  readonly fields: { readonly id: number; readonly documentId: string }
}

interface Types {
  readonly locales: 'en' | 'de'
  readonly types: { readonly notes: Loose; readonly tags: Loose }
  readonly files: Loose
}

const CONTENT: ContentPlan<Types> = {
  types: {
    notes: {
      name: 'note',
      kind: 'collection',
      kinds: { at: 'date', big: 'bigint', extra: 'json' },
      links: {
        tag: { to: 'tags', many: false },
        tags: { to: 'tags', many: true },
        part: { component: 'shared.part', many: false },
        localizations: { localizations: true },
      },
      search: { title: 2 },
    },
    tags: {
      name: 'tag',
      kind: 'collection',
      kinds: {},
      links: {
        notes: { to: 'notes', many: true, by: 'tags' },
        filed: { to: 'notes', many: true, by: 'tag' },
      },
    },
  },
  components: { 'shared.part': { kinds: {}, links: {} } },
}

const open = (storage: StoreStorage) =>
  createStore({
    content: CONTENT,
    client: { $send: () => Promise.reject(new TypeError('fetch failed')) },
    types: ['notes', 'tags'],
    locale: ['en', 'de'],
    storage,
    user: 'ada',
  })

type Opened = Awaited<ReturnType<typeof open>>

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'B a',
  'ä',
  'K',
  '\u212a',
  'ſ',
  's',
  '%_\\',
  '\u{1f600}',
  '\uffee',
]
const TIMES = ['2024-01-01T00:00:00.000Z', '2024-01-01T12:30:00.500Z', '1969-07-20T20:17:00.000Z']

const PARTS =
  '$eq $ne $lt $gte $contains $notContains $startsWith $endsWith $eqi $nei $containsi $notContainsi $startsWithi $endsWithi'.split(
    ' ',
  )

const SORTS =
  'title Title:desc views:desc views isNew at:desc big big:desc id id:desc tag.name documentId'.split(
    ' ',
  )

const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 4 })

const VALUES = {
  title: orNull(fc.constantFrom(...TEXTS)),
  Title: orNull(fc.constantFrom(...TEXTS)),
  views: orNull(fc.constantFrom(-1, 0, 1, 1.5, 2, 1e20)),
  isNew: orNull(fc.boolean()),
  at: orNull(fc.constantFrom(...TIMES)),
  big: orNull(fc.constantFrom('-5', '3', '20', '9007199254740993')),
  extra: orNull(fc.constantFrom<unknown>(1, 'a', { a: 1 })),
}

const note = fc.record({
  documentId: fc.constantFrom(...IDS),
  locale: fc.constantFrom('en', 'de'),
  ...VALUES,
  tag: orNull(fc.constantFrom(...IDS)),
  tags: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 3 }),
  part: orNull(fc.record({ text: fc.constantFrom(...TEXTS) })),
})

const rowOf = (type: string, id: number, data: Record<string, unknown>): Row => ({
  type,
  documentId: String(data['documentId']),
  locale: type === 'note' ? String(data['locale']) : null,
  round: 1,
  revision: '1',
  data: { id, ...data },
})

const idOf = (documentId: string, locale = ''): number =>
  1 + ((IDS.indexOf(documentId) * 5) % 7) * 2 + (locale === 'de' ? 1 : 0)

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 12,
    arbitrary: note.map((data): Change => ({
      op: 'put',
      row: rowOf('note', idOf(data.documentId, data.locale), data),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ documentId: fc.constantFrom(...IDS), name: fc.constantFrom(...TEXTS) })
      .map((data): Change => ({ op: 'put', row: rowOf('tag', idOf(data.documentId), data) })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...IDS), fc.constantFrom('en', 'de'))
      .map(([id, locale]): Change => ({ op: 'delete', type: 'note', key: `note ${id} ${locale}` })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Change>(
      { op: 'reset', type: 'note', locale: 'de' },
      { op: 'reset', type: 'tag' },
      { op: 'sweep', round: 1 },
    ),
  },
)

/** Of the types that the client declares for the attribute. */
const condition: fc.Arbitrary<object> = fc
  .constantFrom('title', 'Title', 'views', 'isNew', 'at', 'big')
  .chain((name) => {
    const value: fc.Arbitrary<unknown> = VALUES[name as keyof typeof VALUES]
    const set = value.filter((one) => one !== null)
    const texts = fc.constantFrom(...TEXTS)
    const parts = fc
      .constantFrom(...PARTS)
      .chain((operator) => texts.map((text) => ({ [operator]: text })))
    const asked: fc.Arbitrary<unknown> = fc.oneof(
      value,
      value.map((one) => ({ $eq: one })),
      value.map((one) => ({ $ne: one })),
      fc.array(value, { maxLength: 3 }).map((all) => ({ $in: all })),
      fc.array(value, { maxLength: 3 }).map((all) => ({ $notIn: all })),
      fc.boolean().map((is) => ({ $null: is })),
      fc.boolean().map((is) => ({ $notNull: is })),
      fc.tuple(set, set).map((both) => ({ $between: both })),
      fc
        .constantFrom('$lt', '$lte', '$gt', '$gte')
        .chain((operator) => set.map((one) => ({ [operator]: one }))),
      ...(name.toLowerCase() === 'title' ? [parts, parts] : []),
      ...(name === 'at' ? [set.map((one) => ({ $gt: new Date(one as string) }))] : []),
    )
    return asked.map((one) => ({ [name]: one }))
  })

const linked: fc.Arbitrary<object> = fc.constantFrom(
  ...IDS.slice(0, 3).flatMap((id) => [
    { tag: { documentId: id } },
    { tags: { documentId: { $eq: id } } },
    { tag: { documentId: id, name: { $ne: 'a' } } },
  ]),
  { part: { text: 'a' } },
  { extra: { $notNull: true } },
)

const { filter } = fc.letrec<{ readonly filter: object }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: condition },
    { weight: 2, arbitrary: linked },
    { weight: 1, arbitrary: fc.array(tie('filter'), { maxLength: 3 }).map(($or) => ({ $or })) },
    { weight: 1, arbitrary: fc.array(tie('filter'), { maxLength: 3 }).map(($and) => ({ $and })) },
    { weight: 1, arbitrary: tie('filter').map(($not) => ({ $not })) },
  ),
}))

const sort = fc.array(fc.constantFrom(...SORTS), { maxLength: 2 })

const query = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      filters: fc.oneof(fc.constant({}), filter, filter),
      sort: sort.map((all) => (all.length === 0 ? ['id'] : all)),
      locale: fc.constantFrom('en', 'de', '*'),
      page: fc.integer({ min: 1, max: 3 }),
      pageSize: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ filters: filter, sort }) },
  { weight: 1, arbitrary: fc.record({ sort, rank: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.constant({ populate: '*' }) },
)

/** Changes of the user, which the server has not confirmed. */
const own = fc.record({ op: fc.constantFrom('create', 'update', 'delete'), note })
type Own = typeof own extends fc.Arbitrary<infer Step> ? Step : never

const isOfUs = (error: unknown): boolean =>
  error instanceof Error && /no such entry/.test(error.message)

async function write(store: Opened, steps: readonly Own[]): Promise<void> {
  for (const {
    op,
    note: { documentId, locale, ...data },
  } of steps) {
    const notes = store.notes as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>
    try {
      if (op === 'create') await notes['create']?.(data, { locale })
      else if (op === 'update') await notes['update']?.(documentId, data, { locale })
      else await notes['delete']?.(documentId, { locale })
    } catch (error) {
      if (!isOfUs(error)) throw error
    }
  }
}

const answers = (store: Opened, asked: readonly object[]): readonly object[] =>
  asked.flatMap((one) => [
    store.notes.query(one),
    store.tags.query({ populate: '*', sort: 'id' } as object),
    ...IDS.map((id) => ({ got: store.notes.get(id, { locale: 'de' }) })),
  ])

const mark = (version: number): Mark => ({
  scope: '',
  token: null,
  round: 1,
  isComplete: true,
  isStale: false,
  version,
})

describe('a store whose rows stay in SQLite', function () {
  this.timeout(60_000 + RUNS * 2_000)

  it('compares texts like a store in memory', async () => {
    const database = openDirectFile(':memory:')
    const [memory, sqlite] = [memoryStorage(), sqliteStorage(database)]
    const rows = [...TEXTS, null].map((title, index): Change => ({
      op: 'put',
      row: rowOf('note', index + 1, { documentId: `note${index}`, locale: 'en', title }),
    }))
    await memory.commit(rows, mark(1))
    await sqlite.commit(rows, mark(1))
    const [held, direct] = [await open(memory), await open(sqlite)]
    for (const operator of PARTS) {
      for (const text of TEXTS) {
        const asked = { filters: { title: { [operator]: text } }, sort: 'title' } as object
        const { entries, total } = direct.notes.query(asked)
        expect({ entries, total }, `${operator} ${text}`).to.deep.include({
          entries: held.notes.query(asked).entries,
          total: held.notes.query(asked).total,
        })
      }
    }
    database.close()
  })

  it('reads one page by an index that has all values, without sorting', async () => {
    const database = openDirectFile(':memory:')
    const plans: string[] = []
    const storage = sqliteStorage({
      ...database,
      getAllSync: <T>(sql: string, values: (string | number | null)[]) => {
        if (/^SELECT (count|value FROM quire_rows WHERE key IN)/.test(sql)) {
          const steps = database.getAllSync<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values)
          plans.push(...steps.map(({ detail }) => detail))
        }
        return database.getAllSync<T>(sql, values)
      },
    })
    await storage.commit(
      [{ op: 'put', row: rowOf('note', 1, { documentId: 'a', locale: 'en' }) }],
      mark(1),
    )
    const store = await open(storage)
    const asked = { filters: { isNew: true, views: { $gt: 1 } }, sort: 'at:desc', pageSize: 20 }
    store.notes.query(asked as object)
    expect(plans.join('\n')).to.match(
      /USING COVERING INDEX quire:note own:is\^New own:at own:id own:views/,
    )
    expect(plans.join('\n')).to.not.match(/TEMP B-TREE|SCAN (?!LIST)/)
    database.close()
  })

  it('answers when the database refuses new tables and indexes', async () => {
    const database = openDirectFile(':memory:')
    let isFull = false
    const storage = sqliteStorage({
      ...database,
      execSync: (sql) => {
        if (isFull) throw new Error('database or disk is full')
        database.execSync(sql)
      },
    })
    const row = (id: number, title: string): Change => ({
      op: 'put',
      row: rowOf('note', id, { documentId: `note${id}`, locale: 'en', title, tags: ['a'] }),
    })
    await storage.commit([row(1, 'b'), row(2, 'a'), row(3, 'c')], mark(1))
    const store = await open(storage)
    isFull = true
    const asked = { filters: { title: { $ne: 'c' }, tags: { documentId: 'a' } }, sort: 'title' }
    const titles = (): readonly unknown[] =>
      store.notes.query({ sort: 'title', filters: { title: { $ne: 'c' } } } as object).entries
    expect(titles()).to.have.length(2)
    expect(store.notes.query(asked as object).total).to.equal(0) // the store has no tag
    isFull = false
    expect(titles()).to.have.length(2)
    database.close()
  })

  it('answers each query like a store in memory, with changes of the user', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 3, maxLength: 14 }),
        fc.array(change, { maxLength: 8 }),
        fc.array(own, { minLength: 1, maxLength: 4 }),
        fc.array(query, { minLength: 8, maxLength: 16 }),
        async (before, after, steps, asked) => {
          const database = openDirectFile(':memory:')
          const [memory, sqlite] = [memoryStorage(), sqliteStorage(database)]
          await memory.commit(before, mark(1))
          await sqlite.commit(before, mark(1))
          // Creates the columns and indexes of the queries before further changes.
          answers(await open(sqlite), asked)
          await memory.commit(after, mark(2))
          await sqlite.commit(after, mark(2))
          const store = await open(memory)
          await write(store, steps)
          const { rows, mark: held } = await memory.load()
          const queued = rows.filter(({ type }) => type.startsWith('$'))
          if (held !== null) {
            const puts = queued.map((row): Change => ({ op: 'put', row }))
            await sqlite.commit(puts, { ...held, version: 3 })
          }
          const direct = await open(sqlite)
          expect(answers(direct, asked)).to.deep.equal(answers(store, asked))
          database.close()
        },
      ),
      { numRuns: RUNS },
    )
  })
})
