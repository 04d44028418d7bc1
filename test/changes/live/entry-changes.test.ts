import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  type EntryChange,
  type EntryChanges,
  openEntryChanges,
} from '../../../src/changes/live/entry-changes.ts'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import type { CommitItem, Database } from '../../../src/mongo/connection/database.ts'
import { type Head, headsOf, readHead } from '../../../src/mongo/commits/heads.ts'
import type { NumberedCommit } from '../../../src/mongo/commits/read-commits.ts'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import { ensureWebhooks } from '../../../src/changes/webhooks/webhook.ts'
import { dropCommits } from '../webhooks/stored-webhooks.ts'

const ARTICLE = 'api::article.article'
const NOTE = 'api::note.note'
const IDS = ['a', 'b'] as const
const LOCALES = ['en', 'fr'] as const
const LAST = { documentId: 'last', locale: 'en' } as const
const REQUEST = 'request-of-a-commit'
const UNKNOWN = [
  { kind: 'entry', revision: null },
  { kind: 'discussion', revision: null },
]

describe('the changes of watched entries', () => {
  let test: TestDatabase
  let log: ReturnType<typeof openLog>
  let changes: EntryChanges
  const errors: unknown[] = []
  /** The ranges of commit numbers that were read. */
  let reads: { readonly after: number; readonly to: number }[]

  before(async () => {
    const watch = createCommandMonitor('off')
    const monitor: typeof watch = {
      ...watch,
      watch: (client) =>
        void client.on('commandStarted', ({ commandName, command }) => {
          if (commandName !== 'find' || command['find'] !== COMMITS) return
          const { $gt: after, $lte: to } = command['filter'].seq
          reads.push({ after, to })
        }),
    }
    test = await openTestDatabase('entry_changes', { monitorCommands: true }, { monitor })
    await test.database.collection(COMMITS).createIndex({ seq: 1 })
  })
  after(() => test.drop())
  beforeEach(async () => {
    for (const name of ['quire_heads', COMMITS]) {
      await test.database.collection(name).deleteMany({})
    }
    await ensureWebhooks(test.database)
    reads = []
    log = openLog(test.database, await readHead(test.database))
    changes = openEntryChanges({
      database: test.database,
      commitLog: log,
      onBackgroundError: (error) => errors.push(error),
    })
  })
  afterEach(async () => {
    await changes.close()
    expect(log.listeners.size).to.equal(0)
    expect(errors.splice(0)).to.deep.equal([])
  })

  const item = (more: Partial<CommitItem>): CommitItem => ({
    type: ARTICLE,
    documentId: 'a',
    locale: 'en',
    status: 'draft',
    op: 'put',
    revision: null,
    ...more,
  })
  function watch(entry: { readonly uid?: string; readonly documentId: string; locale?: string }) {
    const seen: EntryChange[] = []
    const stop = changes.watch({ uid: ARTICLE, locale: 'en', ...entry }, (one) => seen.push(one))
    return { seen, stop }
  }
  /** A watched entry that is written after all others. */
  async function untilRead(commits: readonly (readonly CommitItem[])[]): Promise<void> {
    const { seen, stop } = watch(LAST)
    await log.commit([...commits, [item({ ...LAST, revision: 'last' })]])
    await until(() => Promise.resolve(seen.at(-1)?.revision === 'last'), 10_000)
    stop()
  }

  it('reports each commit to the watchers of its entries, in order', async () => {
    const entries = fc.record({
      uid: fc.constantFrom(ARTICLE, NOTE),
      documentId: fc.constantFrom(...IDS),
      locale: fc.constantFrom(...LOCALES),
    })
    const items = fc.record({
      entry: entries,
      type: fc.constantFrom('admin::comment', 'admin::review', null),
      op: fc.constantFrom('put' as const, 'delete' as const),
      attribute: fc.constantFrom('title', null, undefined),
    })
    let reported = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(entries, { maxLength: 6 }),
        fc.array(fc.array(items, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
        async (watched, commits) => {
          let count = 0
          const written = commits.map((each) =>
            each.map(({ entry: { uid, ...place }, type, op, attribute }) => {
              const revision = op === 'put' && type === null ? `r${(count += 1)}` : null
              const aside = type !== null && {
                entryType: uid,
                ...(attribute !== undefined && { attribute }),
              }
              return item({ ...place, op, type: type ?? uid, revision, ...aside })
            }),
          )
          const watching = watched.map((entry) => ({ entry, ...watch(entry) }))
          await untilRead(written)
          for (const { entry, seen, stop } of watching) {
            stop()
            const own = written.flat().filter(({ type, entryType = type, documentId, locale }) => {
              return (
                entryType === entry.uid &&
                documentId === entry.documentId &&
                locale === entry.locale
              )
            })
            reported += own.length
            expect(seen).to.deep.equal(
              own.map(({ type, revision, attribute }) =>
                type.startsWith('admin::')
                  ? {
                      kind: 'discussion',
                      revision: null,
                      requestId: REQUEST,
                      ...(attribute !== undefined && { attribute }),
                    }
                  : { kind: 'entry', revision },
              ),
            )
          }
        },
      ),
      { numRuns: 60 },
    )
    expect(reported).to.be.above(100)
  })

  it('reports unknown changes to all watchers after deleted commits and a new log', async () => {
    const here = watch({ documentId: 'a' })
    const there = watch({ uid: NOTE, documentId: 'b', locale: 'fr' })
    await log.store([[item({ documentId: 'x' })], [item({ documentId: 'y' })]])
    await dropCommits(test.database, 1)
    log.announce(await readHead(test.database))
    await until(() => Promise.resolve(there.seen.length > 0), 10_000)
    expect([here.seen, there.seen]).to.deep.equal([UNKNOWN, UNKNOWN])
    await headsOf(test.database).updateOne({ _id: 'main' }, { $set: { log: 'another' } })
    log.announce(await readHead(test.database))
    await until(() => Promise.resolve(there.seen.length > 2), 10_000)
    expect([here.seen, there.seen]).to.deep.equal([
      [...UNKNOWN, ...UNKNOWN],
      [...UNKNOWN, ...UNKNOWN],
    ])
  })

  it('reports unknown changes to the watchers of a type whose changes were lost', async () => {
    const here = watch({ documentId: 'a' })
    const there = watch({ uid: NOTE, documentId: 'b' })
    await untilRead([[item({ documentId: '', locale: '', lost: true })]])
    expect([here.seen, there.seen]).to.deep.equal([UNKNOWN, []])
  })

  it('reads each commit once for all watchers', async () => {
    const all = Array.from({ length: 20 }, (_, index) =>
      watch({ documentId: IDS[index % 2] ?? '' }),
    )
    for (let turn = 0; turn < 10; turn += 1) {
      for (const documentId of IDS) await log.commit([[item({ documentId, revision: `r${turn}` })]])
    }
    await until(() => Promise.resolve(all.every(({ seen }) => seen.length === 10)), 10_000)
    const numbers = reads.flatMap(({ after, to }) =>
      Array.from({ length: to - after }, (_, index) => after + index + 1),
    )
    expect(numbers).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 1))
  })

  it('reads no commits without watchers, and none from before the first watcher', async () => {
    watch({ documentId: 'a' }).stop()
    await log.commit([[item({ revision: 'early' })]])
    await until(() => Promise.resolve(log.looks() > 1), 10_000)
    expect(reads).to.deep.equal([])
    const { seen } = watch({ documentId: 'a' })
    await untilRead([[item({ revision: 'late' })]])
    expect(seen).to.deep.equal([{ kind: 'entry', revision: 'late' }])
  })
})

/** A commit log whose heads the test announces. */
function openLog(database: Database, first: Head) {
  const listeners = new Set<(head: Head) => void>()
  let head = first
  let looks = 0
  const store = async (commits: readonly (readonly CommitItem[])[]): Promise<void> => {
    const { seq: before } = await readHead(database)
    const rows = commits.map((items, index): NumberedCommit => ({
      _id: String(before + index + 1).padStart(24, '0'),
      seq: before + index + 1,
      at: new Date(),
      by: { kind: 'system', id: null, name: null },
      requestId: REQUEST,
      items,
    }))
    await database.collection<NumberedCommit>(COMMITS).insertMany(rows)
    await headsOf(database).updateOne({ _id: 'main' }, { $set: { seq: before + rows.length } })
  }
  const announce = (next: Head): void => {
    head = next
    looks = 0
    for (const listener of listeners) listener(head)
  }
  return {
    listeners,
    /** How often the last head was read. */
    looks: () => looks,
    head: () => {
      looks += 1
      return head
    },
    onHead: (listener: (head: Head) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    store,
    announce,
    commit: async (commits: readonly (readonly CommitItem[])[]): Promise<void> => {
      await store(commits)
      announce(await readHead(database))
    },
  }
}
