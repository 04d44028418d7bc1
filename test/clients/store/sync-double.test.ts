import { expect } from 'chai'
import * as fc from 'fast-check'
import { UNKNOWN_RELEASE } from '../../../src/changes/sync/query/synced-release.ts'
import type { SyncSources } from '../../../src/changes/sync/read-changes.ts'
import { beginSync, readSyncPage } from '../../../src/changes/sync/read-page.ts'
import type { SyncCaller } from '../../../src/changes/sync/settle.ts'
import { readHead } from '../../../src/mongo/commits/heads.ts'
import { sequenceAll } from '../../../src/mongo/commits/sequencer.ts'
import { parseScope } from '../../../src/changes/sync/query/parse-scope.ts'
import { readToken, writeToken } from '../../../src/changes/sync/query/sync-token.ts'
import {
  carryOut,
  clearWorld,
  contextOf,
  documentIdOf,
  type Kind,
  openWorld,
  planOf,
} from '../../mongo/commits/log-world.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { type DoubleItem, type DoublePage, type DoubleRules, SyncDouble } from './sync-double.ts'

const RUNS = modelRuns('STORE_DOUBLE_RUNS', 2, 40)
const TYPES = new Map((['article', 'tag'] as const).map((kind) => [kind as string, planOf(kind)]))
/** A client that needs more pages than this never ends. */
const MAX_PAGES = 500

type Turn =
  | {
      readonly kind: 'put' | 'delete'
      readonly type: Kind
      readonly document: number
      readonly locale: 'en' | 'fr'
      readonly title: string
    }
  | { readonly kind: 'rules'; readonly may: readonly string[]; readonly locales: readonly string[] }
  | { readonly kind: 'pull' }

const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('put' as const, 'put' as const, 'delete' as const),
      type: fc.constantFrom<Kind>('article', 'article', 'tag'),
      document: fc.nat({ max: 2 }),
      locale: fc.constantFrom('en' as const, 'fr' as const),
      title: fc.constantFrom('a', 'b'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      may: fc.subarray(['article', 'tag', 'read tag']),
      locales: fc.constantFrom(['en'], ['en', 'fr'], ['fr']),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'pull' as const }) },
)

interface Asked {
  readonly types: string
  readonly locale: string
  readonly limit: string
  readonly filters: object
}

const asked: fc.Arbitrary<Asked> = fc
  .record({
    types: fc.constantFrom('article,tag', 'article', 'tag'),
    locale: fc.constantFrom('en', 'fr', 'en,fr'),
    limit: fc.constantFrom('1', '2', '3', '500'),
    title: fc.constantFrom('a', null),
  })
  .map(({ title, ...rest }) => ({
    ...rest,
    filters: title !== null && rest.types.includes('article') ? { article: { title } } : {},
  }))

/** A client of the server or of the double, with its rows up to `more: false`. */
class Copy {
  readonly held = new Map<string, unknown>()
  readonly resets: string[] = []
  #token: string | null = null

  async pull(ask: (token: string | null) => Promise<DoublePage>): Promise<void> {
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const { items, next, more } = await ask(this.#token)
      for (const item of items) this.#apply(item)
      this.#token = next
      if (!more) return
    }
    expect.fail('it never ends')
  }

  #apply(item: DoubleItem): void {
    const { op, type, documentId, locale } = item
    const key = `${type} ${String(documentId)} ${String(locale)}`
    if (op === 'put') this.held.set(key, (item['data'] as { title?: unknown }).title)
    else if (op === 'delete') this.held.delete(key)
    else {
      this.resets.push(JSON.stringify(item))
      for (const one of this.held.keys()) {
        const isMeant = typeof locale !== 'string' || one.endsWith(` ${locale}`)
        if (one.startsWith(`${type} `) && isMeant) this.held.delete(one)
      }
    }
  }
}

describe('the double of the sync protocol', () => {
  let test: TestDatabase
  before(async () => {
    test = await openTestDatabase('sync_double')
    await openWorld(test.database)
  })
  after(() => test.drop())

  const askServer = async (
    scope: Asked,
    rules: DoubleRules,
    text: string | null,
  ): Promise<DoublePage> => {
    const { database } = test
    await sequenceAll(database)
    const locales = {
      defaultCode: 'en',
      all: rules.locales.map((code) => ({ code, id: code.charCodeAt(0) })),
      has: (code: string) => rules.locales.includes(code),
    }
    const moment = { database: database.majority, session: undefined }
    const sources: SyncSources = {
      moment,
      head: await readHead(database),
      locales,
      release: UNKNOWN_RELEASE,
    }
    const caller: SyncCaller = {
      maySync: ({ name }) => rules.may.has(name),
      mayRead: (uid) => uid !== 'api::tag.tag' || rules.may.has('read tag'),
      ruleOf: () => null,
      limitOf: () => null,
      operandTypes: new Set(),
    }
    const parsed = parseScope({ ...scope, status: 'draft' }, TYPES)
    const token = text === null ? beginSync(sources, parsed, caller) : readToken(text)
    const { items, next, more } = await readSyncPage(sources, parsed, token, caller)
    return { items: items.map((one) => JSON.parse(one)), next: writeToken(next), more }
  }

  const write = async (
    double: SyncDouble,
    { kind, type, document, locale: code, title }: Extract<Turn, { readonly title: string }>,
  ): Promise<void> => {
    const locale = type === 'tag' ? null : code
    const documentId = documentIdOf(type, document)
    const context = contextOf(test.database)
    const data = type === 'tag' ? { name: title } : { title }
    const operation = { kind: type, document, locale: code, status: 'draft', data } as const
    const at = { type, documentId, locale }
    const isNew = ![...double.rows.values()].some((row) => row.documentId === documentId)
    const what = kind === 'delete' ? 'delete' : isNew ? 'create' : 'update'
    const isDone = await carryOut(context, { ...operation, what })
    if (!isDone) return
    if (kind === 'delete') double.delete(at)
    else double.put({ ...at, title })
  }

  it('responds like the server', async function () {
    this.timeout(60_000 + RUNS * 10_000)
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.array(turn, { minLength: 5, maxLength: 30 }),
        async (scope, turns) => {
          await clearWorld(test.database)
          let rules: DoubleRules = {
            may: new Set(['article', 'tag', 'read tag']),
            locales: ['en', 'fr'],
            shapes: { article: 'true', tag: '' },
          }
          const double = new SyncDouble(['article'], rules)
          const [real, copied] = [new Copy(), new Copy()]
          const pull = async (): Promise<void> => {
            await real.pull((token) => askServer(scope, rules, token))
            await copied.pull((token) =>
              Promise.resolve(double.ask(token === null ? { ...scope } : { token })),
            )
            const texts = ({ held }: Copy): readonly string[] =>
              [...held]
                .map(([key, title]) => `${key} ${key.startsWith('tag') ? '' : String(title)}`)
                .sort()
            expect(texts(copied)).to.deep.equal(texts(real))
            expect(copied.resets.sort()).to.deep.equal(real.resets.sort())
          }
          await pull()
          for (const one of turns) {
            if (one.kind === 'pull') await pull()
            else if (one.kind === 'rules') {
              const may = new Set([...one.may, scope.types.split(',')[0] ?? ''])
              rules = {
                may,
                locales: one.locales,
                shapes: { article: String(may.has('read tag')), tag: '' },
              }
              double.rules = rules
            } else await write(double, one)
          }
          await pull()
        },
      ),
      { numRuns: RUNS },
    )
  })
})
