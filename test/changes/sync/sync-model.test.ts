import { expect } from 'chai'
import * as fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { UNKNOWN_RELEASE } from '../../../src/changes/sync/query/synced-release.ts'
import type { SyncSources } from '../../../src/changes/sync/read-changes.ts'
import { beginSync, isUpToDate, readSyncPage } from '../../../src/changes/sync/read-page.ts'
import type { SyncCaller } from '../../../src/changes/sync/settle.ts'
import { readHead } from '../../../src/mongo/commits/heads.ts'
import { sequence, sequenceAll } from '../../../src/mongo/commits/sequencer.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import type { LocaleRules } from '../../../src/query/query.ts'
import { parseScope, type SyncScope } from '../../../src/changes/sync/query/parse-scope.ts'
import { readToken, writeToken } from '../../../src/changes/sync/query/sync-token.ts'
import {
  carryOut,
  clearWorld,
  contextOf,
  DOCUMENTS,
  documentIdOf,
  type Kind,
  openWorld,
  type Operation,
  planOf,
} from '../../mongo/commits/log-world.ts'
import type { DocumentContext } from '../../../src/content/context.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const RUNS = modelRuns('SYNC_RUNS', 10, 100)
const TYPES = new Map((['article', 'tag'] as const).map((kind) => [kind as string, planOf(kind)]))

/** The permissions of the caller and the existing locales. */
interface Rules {
  readonly may: ReadonlySet<string>
  readonly codes: readonly string[]
}

interface Asked {
  readonly types: readonly Kind[]
  readonly locale: '*' | 'en' | 'fr' | 'en,fr'
  readonly status: 'draft' | 'published'
  readonly limit: number
  readonly title: 'a' | null
}

interface Row {
  readonly type: string
  readonly documentId: string
  readonly locale: string | null
  readonly revision: string
  readonly data: unknown
}

/** A client as described in docs/sync.md. */
class Copy {
  readonly asked: Asked
  rows = new Map<string, Row>()
  token: string | null = null

  constructor(asked: Asked) {
    this.asked = asked
  }

  scope(): SyncScope {
    const { types, locale, status, limit, title } = this.asked
    const filters =
      title === null || !types.includes('article')
        ? {}
        : { filters: { article: { title: { $eq: title } } } }
    const asked = { types: types.join(','), locale, status, limit: String(limit), ...filters }
    return parseScope(asked, TYPES)
  }

  apply(items: readonly string[], next: string): void {
    for (const text of items) {
      const item = JSON.parse(text) as Row & { readonly op: string }
      const key = `${item.type} ${item.documentId} ${item.locale ?? ''}`
      if (item.op === 'put') this.rows.set(key, item)
      else if (item.op === 'delete') this.rows.delete(key)
      else this.#reset(item)
    }
    this.token = next
  }

  #reset(item: Partial<Row>): void {
    for (const [held, { type, locale }] of this.rows) {
      const isMeant = 'locale' in item ? item.locale === locale : true
      if (type === item.type && isMeant) this.rows.delete(held)
    }
  }
}

const document = fc.nat({ max: DOCUMENTS - 1 })
const tags = fc.shuffledSubarray([0, 1, 2].map((index) => documentIdOf('tag', index)))
const operation: fc.Arbitrary<Operation> = fc
  .record({
    kind: fc.constantFrom<Kind>('article', 'article', 'tag'),
    document,
    locale: fc.constantFrom('en', 'fr'),
    status: fc.constantFrom<'draft' | 'published'>('draft', 'published'),
    what: fc.constantFrom<Operation['what']>(
      'create',
      'create',
      'update',
      'publish',
      'unpublish',
      'delete',
      'deleteAll',
    ),
    title: fc.constantFrom('a', 'b'),
    rank: fc.nat({ max: 2 }),
    tags,
  })
  .map(({ title, rank, tags: held, ...rest }) => ({
    ...rest,
    data: rest.kind === 'tag' ? { name: title } : { title, rank, tags: held },
  }))

const asked: fc.Arbitrary<Asked> = fc.record({
  types: fc.subarray<Kind>(['article', 'tag'], { minLength: 1 }),
  locale: fc.constantFrom('*', 'en', 'fr', 'en,fr'),
  status: fc.constantFrom('draft', 'published'),
  limit: fc.constantFrom(1, 2, 3, 500),
  title: fc.constantFrom('a' as const, null, null),
})

type Turn =
  | { readonly kind: 'write'; readonly process: number; readonly operation: Operation }
  | { readonly kind: 'number'; readonly process: number }
  /** Requests a page. A cut-off client disappears before it stores the page. */
  | { readonly kind: 'pull'; readonly client: number; readonly isCutOff: boolean }
  | { readonly kind: 'rules'; readonly rules: Rules }

const process = fc.nat({ max: 1 })
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    arbitrary: fc.record({ kind: fc.constant('write' as const), process, operation }),
    weight: 6,
  },
  { arbitrary: fc.record({ kind: fc.constant('number' as const), process }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('pull' as const),
      client: fc.nat({ max: 2 }),
      isCutOff: fc.boolean(),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      rules: fc.record({
        may: fc.subarray(['article', 'tag', 'read tag']).map((names) => new Set(names)),
        codes: fc.constantFrom(['en'], ['en', 'fr'], ['en', 'fr']),
      }),
    }),
    weight: 1,
  },
)

const EVERYTHING: Rules = { may: new Set(['article', 'tag', 'read tag']), codes: ['en', 'fr'] }

function localeRules({ codes }: Rules): LocaleRules {
  const known = new Set(codes)
  return { defaultCode: 'en', all: codes.map((code) => ({ code })), has: (code) => known.has(code) }
}

function callerOf({ may }: Rules): SyncCaller {
  return {
    maySync: ({ name }) => may.has(name),
    mayRead: (uid) => uid !== 'api::tag.tag' || may.has('read tag'),
    ruleOf: () => null,
    limitOf: () => null,
    operandTypes: new Set(),
  }
}

describe('synced copies', () => {
  let test: TestDatabase
  let databases: readonly [Database, Database]
  let contexts: readonly [DocumentContext, DocumentContext]

  before(async () => {
    test = await openTestDatabase('sync_model')
    const { uri, name } = test
    databases = [test.database, await openDatabase({ uri, name, queryTimeoutMs: 10_000 })]
    contexts = [contextOf(databases[0]), contextOf(databases[1])]
    await openWorld(test.database)
  })
  after(async () => {
    await databases[1].close()
    await test.drop()
  })

  async function pull(copy: Copy, rules: Rules, isCutOff = false): Promise<boolean> {
    const head = await readHead(test.database)
    const moment = { database: test.database.majority, session: undefined }
    const sources: SyncSources = {
      moment,
      head,
      locales: localeRules(rules),
      release: UNKNOWN_RELEASE,
    }
    const caller = callerOf(rules)
    const scope = copy.scope()
    const token = copy.token === null ? beginSync(sources, scope, caller) : readToken(copy.token)
    const { items, next, more } = await readSyncPage(sources, scope, token, caller)
    if (isUpToDate(sources, scope, token, caller)) expect([items, more]).to.deep.equal([[], false])
    if (!isCutOff) copy.apply(items, writeToken(next))
    return more
  }

  async function finish(copy: Copy, rules: Rules): Promise<Copy> {
    for (let pages = 0; await pull(copy, rules); pages += 1) {
      expect(pages, 'pages').to.be.below(500)
    }
    return copy
  }

  /** Reads the expected rows of a scope directly from the collections. */
  async function expectedIn(copy: Copy, { may, codes }: Rules): Promise<readonly string[]> {
    const { types, locale, status, title } = copy.asked
    const wanted = locale === '*' ? codes : locale.split(',').filter((code) => codes.includes(code))
    const keys: string[] = []
    for (const kind of types.filter((one) => may.has(one))) {
      for (const row of await versionsOf(test.database, planOf(kind)).find().toArray()) {
        const isArticle = kind === 'article'
        if (isArticle && (row['status'] !== status || !wanted.includes(String(row['locale']))))
          continue
        if (isArticle && title !== null && row['title'] !== title) continue
        keys.push(`${kind} ${row['documentId']} ${row['locale']} ${row['_revision']}`)
      }
    }
    return keys.sort()
  }

  async function run(copies: readonly Copy[], turns: readonly Turn[]): Promise<Rules> {
    let rules = EVERYTHING
    for (const one of turns) {
      if (one.kind === 'rules') ({ rules } = one)
      else if (one.kind === 'number') await sequence(databases[one.process === 0 ? 0 : 1])
      else if (one.kind === 'write') {
        await carryOut(contexts[one.process === 0 ? 0 : 1], one.operation)
      } else {
        const copy = copies[one.client]
        if (copy !== undefined) await pull(copy, rules, one.isCutOff)
      }
    }
    return rules
  }

  it('equal a fresh first sync after random writes and permission changes', async function () {
    this.timeout(RUNS * 10_000)
    await fc.assert(
      fc.asyncProperty(
        fc.array(asked, { minLength: 3, maxLength: 3 }),
        fc.array(turn, { minLength: 10, maxLength: 60, size: 'max' }),
        async (scopes, turns) => {
          await clearWorld(test.database)
          const copies = scopes.map((one) => new Copy(one))
          const rules = await run(copies, turns)
          await sequenceAll(test.database)
          for (const copy of copies) {
            await finish(copy, rules)
            const fresh = await finish(new Copy(copy.asked), rules)
            const same = isDeepStrictEqual(sorted(copy), sorted(fresh))
            if (!same) expect(sorted(copy)).to.deep.equal(sorted(fresh))
            const held = [...copy.rows.values()].map(
              ({ type, documentId, locale, revision }) =>
                `${type} ${documentId} ${locale ?? ''} ${revision}`,
            )
            expect(held.sort()).to.deep.equal(await expectedIn(copy, rules))
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})

function sorted({ rows }: Copy): readonly (readonly [string, Row])[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1))
}
