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
import {
  CODES,
  editLocales,
  FIRST_LOCALES,
  hasLocale,
  type LocaleEdit,
  localeEdit,
  type LocaleState,
  rulesOf,
} from './changing-locales.ts'

const RUNS = modelRuns('SYNC_RUNS', 10, 100)
const TYPES = new Map((['article', 'tag'] as const).map((kind) => [kind as string, planOf(kind)]))

/** The permissions of the caller and the existing locales. */
interface Rules {
  readonly may: ReadonlySet<string>
  readonly locales: LocaleState
}

interface Asked {
  readonly types: readonly Kind[]
  /** Null for the default locale. */
  readonly locale: '*' | 'en' | 'fr' | 'en,fr' | 'nl' | null
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
    const asked = { types: types.join(','), status, limit: String(limit), ...filters }
    return parseScope(locale === null ? asked : { ...asked, locale }, TYPES)
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
    locale: fc.constantFrom('en', ...CODES),
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
  locale: fc.constantFrom('*', 'en', 'fr', 'en,fr', 'nl', null),
  status: fc.constantFrom('draft', 'published'),
  limit: fc.constantFrom(1, 2, 3, 500),
  title: fc.constantFrom('a' as const, null, null),
})

type Turn =
  | { readonly kind: 'write'; readonly process: number; readonly operation: Operation }
  | { readonly kind: 'number'; readonly process: number }
  /** Requests a page. A cut-off client disappears before it stores the page. */
  | { readonly kind: 'pull'; readonly client: number; readonly isCutOff: boolean }
  | { readonly kind: 'rules'; readonly may: Rules['may'] }
  | { readonly kind: 'locales'; readonly edit: LocaleEdit }
  /** Each client requests all pages. */
  | { readonly kind: 'complete' }

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
      may: fc.subarray(['article', 'tag', 'read tag']).map((names) => new Set(names)),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('locales' as const), edit: localeEdit }),
    weight: 2,
  },
)

/** Complete copies, then changes of locales without a request between them. */
const phase: fc.Arbitrary<readonly Turn[]> = fc
  .record({
    writes: fc.array(operation, { minLength: 2, maxLength: 4 }),
    edits: fc.array(localeEdit, { minLength: 1, maxLength: 2 }),
    later: fc.array(operation, { maxLength: 1 }),
  })
  .map(({ writes, edits, later }) => [
    ...writes.map((one) => ({ kind: 'write' as const, process: 0, operation: one })),
    { kind: 'complete' as const },
    ...edits.map((edit) => ({ kind: 'locales' as const, edit })),
    ...later.map((one) => ({ kind: 'write' as const, process: 1, operation: one })),
  ])

const EVERYTHING: Rules = {
  may: new Set(['article', 'tag', 'read tag']),
  locales: FIRST_LOCALES,
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
      locales: rulesOf(rules.locales),
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
  async function expectedIn(copy: Copy, { may, locales }: Rules): Promise<readonly string[]> {
    const { types, locale, status, title } = copy.asked
    const wanted = codesIn(locale, locales)
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

  async function act(
    copies: readonly Copy[],
    rules: Rules,
    one: Exclude<Turn, { readonly kind: 'rules' | 'locales' }>,
  ): Promise<void> {
    switch (one.kind) {
      case 'number':
        await sequence(databases[one.process === 0 ? 0 : 1])
        return
      case 'write':
        if (!hasLocale(rules.locales, one.operation.locale)) return
        await carryOut(contexts[one.process === 0 ? 0 : 1], one.operation)
        return
      case 'complete':
        await sequenceAll(test.database)
        for (const copy of copies) await finish(copy, rules)
        return
      case 'pull': {
        const copy = copies[one.client]
        if (copy !== undefined) await pull(copy, rules, one.isCutOff)
      }
    }
  }

  async function run(copies: readonly Copy[], turns: readonly Turn[]): Promise<Rules> {
    let rules = EVERYTHING
    for (const one of turns) {
      if (one.kind === 'rules') rules = { ...rules, may: one.may }
      else if (one.kind === 'locales') {
        rules = { ...rules, locales: await editLocales(test.database, rules.locales, one.edit) }
      } else await act(copies, rules, one)
    }
    return rules
  }

  async function expectSame(scopes: readonly Asked[], turns: readonly Turn[]): Promise<void> {
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
  }

  const scopes = fc.array(asked, { minLength: 3, maxLength: 3 })

  it('equal a fresh first sync after random writes, and changes of permissions and locales', async function () {
    this.timeout(RUNS * 10_000)
    const turns = fc.array(turn, { minLength: 10, maxLength: 60, size: 'max' })
    await fc.assert(fc.asyncProperty(scopes, turns, expectSame), {
      numRuns: RUNS,
      endOnFailure: true,
    })
  })

  it('equal a fresh first sync after locales changed between requests', async function () {
    this.timeout(RUNS * 20_000)
    await fc.assert(
      fc.asyncProperty(scopes, fc.array(phase, { minLength: 4, maxLength: 8 }), (some, phases) =>
        expectSame(some, phases.flat()),
      ),
      { numRuns: 2 * RUNS, endOnFailure: true },
    )
  })
})

function codesIn(locale: Asked['locale'], { list, defaultCode }: LocaleState): readonly string[] {
  const codes = list.map(({ code }) => code)
  const named = locale === '*' ? codes : (locale ?? defaultCode).split(',')
  return named.filter((code) => codes.includes(code))
}

function sorted({ rows }: Copy): readonly (readonly [string, Row])[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1))
}
