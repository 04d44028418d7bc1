// A process with a store in an SQLite file. `sqlite-killed.hard.test.ts` kills it at any
// instruction.
import { createClient, type ContentPlan, type SyncedContent } from '@quire/client'
import { createStore, sqliteStorage } from '@quire/client/sync'
import { openDirectFile, openSqliteFile } from './sqlite-database.ts'

const [file = '', url = '', kind = 'async'] = process.argv.slice(2)

const plan = (name: string) => ({ name, kind: 'collection' as const, kinds: {}, links: {} })
const content: ContentPlan<SyncedContent> = {
  types: { articles: plan('article'), tags: plan('tag') },
  components: {},
}

const store = await createStore({
  content,
  client: createClient({}, { url }),
  types: ['articles', 'tags'] as never[],
  locale: ['en', 'de'],
  storage: sqliteStorage(kind === 'direct' ? openDirectFile(file) : openSqliteFile(file)),
  limit: 7,
})
process.stdout.write('open\n')
await store.$sync()
const held = ['articles', 'tags'].flatMap((name) =>
  (
    store as unknown as Readonly<
      Record<string, { query(asked: object): { readonly entries: readonly object[] } }>
    >
  )[name]
    ?.query({ locale: '*' })
    .entries.map((entry) => ({ name, ...entry })),
)
process.stdout.write(`${JSON.stringify(held)}\n`)
