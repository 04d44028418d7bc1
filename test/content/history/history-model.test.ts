import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { getPastState, listHistory } from '../../../src/content/history/find-history.ts'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import {
  contentIn,
  HISTORY_PREFIX,
  historyId,
  type HistoryRow,
} from '../../../src/mongo/connection/history-rows.ts'
import { pastContent } from '../../../src/content/history/past-content.ts'
import { restoreContent } from '../../../src/content/history/restore-content.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { sequenceAll } from '../../../src/mongo/commits/sequencer.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { COMMIT, LOCK, REVISION, STATE_FIELD } from '../../../src/mongo/versions/version-fields.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import type { Data } from '../../../src/schema/definition.ts'
import {
  carryOut,
  clearWorld,
  contextOf,
  DOCUMENTS,
  documentIdOf,
  openWorld,
  type Operation,
  planOf,
  wholeLog,
} from '../../mongo/commits/log-world.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const RUNS = modelRuns('HISTORY_RUNS', 6, 150)
const ARTICLE = planOf('article')
const LOCALES = ['en', 'fr'] as const
const mayRead = (): boolean => true
const RESTORABLE = ['title', 'rank', 'part', 'tags', 'partner'] as const

/** Stored articles without passwords, by `_id`, and the revision of each. */
interface State {
  readonly content: ReadonlyMap<string, Data>
  readonly revisions: ReadonlyMap<string, string>
}

type Step =
  /** Several operations run concurrently in two processes. */
  | { readonly kind: 'write'; readonly operations: readonly Operation[] }
  | {
      readonly kind: 'restore'
      readonly document: number
      /** An index into the revisions that exist at that time. */
      readonly nth: number
      readonly only: readonly string[] | null
    }

const document = fc.nat({ max: DOCUMENTS - 1 })
const idsOf = (kind: 'article' | 'tag') => [0, 1, 2].map((index) => documentIdOf(kind, index))
const text = fc.constantFrom('a', 'b', 'c')
const secret = fc.constantFrom('a secret of one', 'a secret of another')
const what = fc.constantFrom<Operation['what']>(
  'create',
  'create',
  'update',
  'update',
  'publish',
  'unpublish',
  'delete',
  'deleteAll',
)
const place = {
  document,
  what,
  locale: fc.constantFrom(...LOCALES),
  status: fc.constantFrom<'draft' | 'published'>('draft', 'published'),
}
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('article' as const),
      ...place,
      data: fc.record(
        {
          title: text,
          rank: fc.nat({ max: 3 }),
          part: fc.option(fc.record({ text, key: secret })),
          secret,
          tags: fc.shuffledSubarray(idsOf('tag')),
          partner: fc.option(fc.constantFrom(...idsOf('tag'))),
        },
        { requiredKeys: [] },
      ),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('tag' as const),
      ...place,
      data: fc.record(
        { name: text, articles: fc.shuffledSubarray(idsOf('article')) },
        { requiredKeys: [] },
      ),
    }),
    weight: 1,
  },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.array(operation, { minLength: 1, maxLength: 2 }).map((operations) => ({
      kind: 'write' as const,
      operations,
    })),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('restore' as const),
      document,
      nth: fc.nat({ max: 50 }),
      only: fc.option(fc.subarray([...RESTORABLE], { minLength: 1 })),
    }),
    weight: 1,
  },
)

/** Create all tags first, because an article with an unknown tag is refused. */
const BEGINNING = [0, 1, 2].map((index): Operation => {
  const place = { document: index, locale: 'en', status: 'published' } as const
  return { kind: 'tag', ...place, what: 'create', data: { name: 'a' } }
})

describe('history after random writes and restores', () => {
  let test: TestDatabase
  let databases: readonly [Database, Database]

  before(async () => {
    test = await openTestDatabase('history_model')
    const { uri, name } = test
    databases = [test.database, await openDatabase({ uri, name, queryTimeoutMs: 10_000 })]
    await openWorld(test.database)
  })
  after(async () => {
    await databases[1].close()
    await test.drop()
  })

  async function look(): Promise<State> {
    const found = await versionsOf(test.database, ARTICLE).find().toArray()
    const content = found.map((row): [string, Data] => {
      const {
        _id,
        [COMMIT]: _commit,
        [LOCK]: _lock,
        [REVISION]: _revision,
        [STATE_FIELD]: _state,
        ...rest
      } = row
      return [_id, withoutSecrets(rest)]
    })
    const revisions = found.map((row): [string, string] => [row._id, String(row[REVISION])])
    return { content: new Map(content), revisions: new Map(revisions) }
  }

  async function take(one: Step): Promise<void> {
    if (one.kind === 'restore') return restore(one)
    await Promise.all(
      one.operations.map((each, index) =>
        carryOut(contextOf(databases[index === 0 ? 0 : 1]), each),
      ),
    )
  }

  /** Reads the whole history of a document, newest first, in pages of two rows. */
  async function historyOf(documentId: string) {
    const selection = { documentId, locales: LOCALES }
    const versions = []
    let before: string | null = null
    do {
      const page = { before, limit: 2 }
      const answer = await listHistory(contextOf(test.database), ARTICLE, selection, page)
      versions.push(...answer.versions)
      before = answer.next
    } while (before !== null)
    return versions
  }

  /** Restores a revision. The draft must equal it except for deleted tags, and other attributes must stay unchanged. */
  async function restore({ document: index, nth, only }: Step & { kind: 'restore' }) {
    const context = contextOf(test.database)
    const documentId = documentIdOf('article', index)
    const puts = (await historyOf(documentId)).filter(({ op }) => op === 'put')
    const { revision, locale = '' } = puts[nth % puts.length] ?? {}
    if (revision === undefined || revision === null) return
    const selection = { documentId, locales: [locale], revision, mayRead }
    const past = await getPastState(context, ARTICLE, selection)
    if (past === null) throw new Error(`${revision} is listed, and not kept`)
    const before = await look()
    const key = { locale, status: 'draft' as const }
    const writer = { mayRead, locale }
    const target = { plan: ARTICLE, documentId, key, writer, origin: SYSTEM }
    const isThere = [...before.content.keys()].some((id) => id.startsWith(`${documentId}:`))
    try {
      await restoreContent(context, target, past.content, only)
      expect(isThere, 'what is not there is not written').to.equal(true)
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      expect([error.status, isThere]).to.deep.equal([404, false])
      return
    }
    const id = `${documentId}:${locale}:draft`
    const expected = {
      ...shown(before.content.get(id)),
      ...(await withoutGone(pick(past.content, only ?? RESTORABLE))),
    }
    const after = shown((await look()).content.get(id))
    expect(pick(after, Object.keys(expected))).to.deep.equal(expected)
  }

  /** Removes references to deleted tags. */
  async function withoutGone(content: Data): Promise<Data> {
    const tags = await versionsOf(test.database, planOf('tag')).distinct('documentId', {})
    const isGone = (one: unknown): boolean =>
      typeof one === 'string' && one.startsWith('tag') && !tags.includes(one)
    return Object.fromEntries(
      Object.entries(content).map(([name, value]) => {
        if (Array.isArray(value)) return [name, value.filter((one) => !isGone(one))]
        return [name, isGone(value) ? null : value]
      }),
    )
  }

  async function keptRows(): Promise<ReadonlyMap<string, HistoryRow>> {
    const found = test.database
      .collection<HistoryRow>(COMMITS)
      .find({ _id: { $gt: HISTORY_PREFIX } })
    return new Map((await found.toArray()).map((row) => [row._id, row]))
  }

  /** Replays the log and compares the result with the recorded state of every commit. */
  async function expectReplayed(states: ReadonlyMap<number, State>): Promise<void> {
    const held = new Map<string, Data>()
    const kept = await keptRows()
    for (const { _id, seq, items } of await wholeLog(test.database)) {
      for (const [place, { type, documentId, locale, status, op }] of items.entries()) {
        if (type !== ARTICLE.uid) continue
        const row = kept.get(historyId(documentId, _id))
        const content = row && contentIn(row, place)
        if (content === undefined) throw new Error(`${seq} keeps no content of ${documentId}`)
        const id = `${documentId}:${locale}:${status}`
        if (op === 'put') held.set(id, content)
        else {
          expect(content, `${seq}: what ${id} was`).to.deep.equal(held.get(id))
          held.delete(id)
        }
      }
      const state = states.get(seq)
      if (state === undefined) continue // the state between two concurrent writes is unknown
      if (!isDeepStrictEqual(held, state.content)) {
        expect(sorted(held), `at ${seq}`).to.deep.equal(sorted(state.content))
      }
    }
  }

  /** Checks that history lists and returns every revision with its original content. */
  async function expectShown(states: Iterable<State>): Promise<void> {
    const listed = new Set<string>()
    for (const documentId of idsOf('article')) {
      for (const { revision } of await historyOf(documentId)) {
        listed.add(`${documentId} ${revision}`)
      }
    }
    const shown = new Set<string>()
    for (const { content, revisions } of states) {
      for (const [id, stored] of content) {
        const [documentId = '', locale = ''] = id.split(':')
        const revision = String(revisions.get(id))
        const name = `${documentId} ${revision}`
        if (shown.has(`${id} ${revision}`)) continue
        shown.add(`${id} ${revision}`)
        expect(listed.has(name), `${name} is listed`).to.equal(true)
        const selection = { documentId, locales: [locale], revision, mayRead }
        const past = await getPastState(contextOf(test.database), ARTICLE, selection)
        expect(past?.content, name).to.deep.equal(pastContent(ARTICLE, stored, mayRead).content)
      }
    }
  }

  it('replays every commit to its recorded state and returns each revision unchanged', async function () {
    this.timeout(RUNS * 10_000)
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }),
        async (steps) => {
          await clearWorld(test.database)
          for (const one of BEGINNING) await carryOut(contextOf(test.database), one)
          let last = (await sequenceAll(test.database)).seq
          const states = new Map<number, State>([[last, await look()]])
          for (const one of steps) {
            await take(one)
            const { seq } = await sequenceAll(test.database)
            const most = one.kind === 'write' ? one.operations.length : 1
            expect(seq, JSON.stringify(one)).to.be.within(last, last + most)
            if (seq === last) expect(await look()).to.deep.equal(states.get(seq))
            else states.set(seq, await look())
            last = seq
          }
          await expectReplayed(states)
          await expectShown(states.values())
          const log = JSON.stringify(await wholeLog(test.database))
          expect(log).not.to.include('argon2').and.not.include('a secret')
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})

/** Written independently of the tested code. */
function withoutSecrets({ secret: _secret, ...version }: Data): Data {
  const { part } = version
  if (part === null || typeof part !== 'object') return version
  const { key: _key, ...rest } = part as Data
  return { ...version, part: rest }
}

/** Returns a stored version as clients see it, or an empty object for a missing one. */
function shown(stored: Data | undefined): Data {
  return stored === undefined ? {} : pick(pastContent(ARTICLE, stored, mayRead).content, RESTORABLE)
}

function pick(content: Data, names: readonly string[]): Data {
  return Object.fromEntries(names.map((name) => [name, content[name]]))
}

function sorted(held: ReadonlyMap<string, Data>): readonly (readonly [string, Data])[] {
  return [...held].sort(([one], [other]) => (one < other ? -1 : 1))
}
