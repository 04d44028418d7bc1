import type { ContentPlan, ContentType } from '@quire/client'
import { QuireError } from '@quire/client'
import { createStore, memoryStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { modelRuns } from '../../support/model-runs.ts'
import { type Faults, openFaultyProcess, QuotaExceededError } from './faulty-process.ts'
import { type DoubleRules, keyOf, SyncDouble } from './sync-double.ts'

const RUNS = modelRuns('STORE_RUNS', 50, 1_000)

type Loose = ContentType & {
  readonly kind: 'collection'
  readonly fields: { readonly documentId: string; readonly locale: string | null; title: string }
  readonly filters: { readonly title: string }
}

interface Types {
  readonly locales: 'en' | 'de'
  readonly types: { readonly articles: Loose; readonly tags: Loose }
  readonly files: Loose
}

const plan = (name: string) => ({ name, kind: 'collection' as const, kinds: {}, links: {} })
const CONTENT: ContentPlan<Types> = {
  types: { articles: plan('article'), tags: plan('tag') },
  components: {},
}

interface Scope {
  readonly types: readonly ('articles' | 'tags')[]
  readonly locale: readonly ['en' | 'de', ...('en' | 'de')[]]
  readonly limit: number
  readonly title: 'a' | null
}

const EVERYTHING: DoubleRules = {
  may: new Set(['article', 'tag']),
  locales: ['en', 'de'],
  shapes: { article: '1', tag: '1' },
}

type Turn =
  | { readonly kind: 'put' | 'delete'; readonly row: Parameters<SyncDouble['put']>[0] }
  | { readonly kind: 'rules'; readonly rules: DoubleRules }
  | { readonly kind: 'restart' | 'forget' | 'clear' | 'evict' }
  /**
   * The app runs for a while or until it is killed. `meanwhile` is written between its requests.
   */
  | {
      readonly kind: 'app'
      readonly scope: number
      readonly faults: Faults
      readonly meanwhile: readonly Parameters<SyncDouble['put']>[0][]
      /** The pauses between the steps of one tab or of two tabs. */
      readonly tabs: readonly Faults['pauses'][]
    }

const row = fc
  .record({
    type: fc.constantFrom('article', 'article', 'tag'),
    documentId: fc.constantFrom('a', 'b', 'c', 'd'),
    locale: fc.constantFrom('en', 'de'),
    title: fc.constantFrom('a', 'b'),
  })
  .map((one) => (one.type === 'tag' ? { ...one, locale: null } : one))

const scope: fc.Arbitrary<Scope> = fc.record({
  types: fc.constantFrom(['articles', 'tags'] as const, ['articles'] as const, ['tags'] as const),
  locale: fc.constantFrom(['en', 'de'] as const, ['de'] as const),
  limit: fc.constantFrom(1, 2, 500),
  title: fc.constantFrom('a' as const, null, null),
})

const faults: fc.Arbitrary<Faults> = fc.record({
  killAt: fc.option(fc.nat({ max: 40 })),
  fullAt: fc.option(fc.nat({ max: 5 }), { freq: 2 }),
  lostAt: fc.option(fc.nat({ max: 5 }), { freq: 2 }),
  pauses: fc.constant([]),
})

const rules: fc.Arbitrary<DoubleRules> = fc.record({
  may: fc
    .constantFrom(['article', 'tag'], ['article', 'tag'], ['article'], ['tag'], [])
    .map((names) => new Set(names)),
  locales: fc.constantFrom(['en', 'de'], ['en', 'de'], ['en'], ['de']),
  shapes: fc.record({
    article: fc.constantFrom('1', '1', '2'),
    tag: fc.constantFrom('1', '1', '2'),
  }),
})

const pauses = fc.array(fc.constantFrom(0, 0, 0, 1, 12), {
  minLength: 3,
  maxLength: 10,
})

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('put' as const), row }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), row }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rules' as const), rules }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { kind: 'restart' as const },
      { kind: 'forget' as const },
      { kind: 'clear' as const },
      { kind: 'evict' as const },
    ),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('app' as const),
      scope: fc.nat({ max: 1 }),
      faults,
      meanwhile: fc.array(row, { maxLength: 8 }),
      tabs: fc.oneof(
        { weight: 2, arbitrary: fc.constant([[]]) },
        { weight: 1, arbitrary: fc.array(pauses, { minLength: 2, maxLength: 2 }) },
      ),
    }),
  },
)

const NO_FAULTS: Faults = { killAt: null, fullAt: null, lostAt: null, pauses: [] }

/** A disk that can lose all data, like that of a browser that is short of space. */
function openDisk(): StoreStorage & { evict(): void } {
  let inner = memoryStorage()
  return {
    name: null,
    load: () => inner.load(),
    commit: (changes, mark) => inner.commit(changes, mark),
    close: () => Promise.resolve(),
    evict: () => {
      inner = memoryStorage()
    },
  }
}

interface World {
  readonly server: SyncDouble
  readonly disk: ReturnType<typeof openDisk>
  readonly scopes: readonly [Scope, Scope]
}

describe('a store against its model', () => {
  const open = (
    server: SyncDouble,
    storage: StoreStorage,
    { types, locale, limit, title }: Scope,
    send: (work: () => unknown) => Promise<unknown>,
  ) =>
    createStore({
      content: CONTENT,
      client: { $send: ({ query = {} }) => send(() => server.ask({ ...query })) },
      types,
      locale,
      storage,
      limit,
      filters: title === null ? {} : { articles: { title } },
    })

  const held = (store: Awaited<ReturnType<typeof open>>, { types }: Scope): readonly string[] =>
    types
      .flatMap((name) =>
        store[name].query({ locale: '*' }).entries.map(({ documentId, locale }) => {
          const type = name === 'articles' ? 'article' : 'tag'
          return keyOf({ type, documentId, locale })
        }),
      )
      .sort()

  const wanted = (server: SyncDouble, { types, locale, title }: Scope): readonly string[] =>
    server.visible(
      types.map((name) => (name === 'articles' ? 'article' : 'tag')),
      locale,
      title,
    )

  /** Whether the sync succeeded. The store must report every error. */
  const syncs = async (store: Awaited<ReturnType<typeof open>>): Promise<boolean> => {
    try {
      await store.$sync()
      return true
    } catch (error) {
      expect(store.$status().error).to.equal(error)
      const isRefused = error instanceof QuireError && error.status === 403
      if (isRefused || error instanceof TypeError || error instanceof QuotaExceededError)
        return false
      throw error
    }
  }

  const runApp = async (
    server: SyncDouble,
    disk: StoreStorage,
    asked: Scope,
    { faults, meanwhile, tabs }: Extract<Turn, { readonly kind: 'app' }>,
  ): Promise<void> => {
    const waiting = [...meanwhile]
    const live = async (pauses: Faults['pauses']): Promise<void> => {
      const { storage, send, killed } = openFaultyProcess(disk, { ...faults, pauses })
      const ask = (work: () => unknown): Promise<unknown> =>
        send(() => {
          const page = work()
          const next = waiting.pop()
          if (next !== undefined) server.put(next)
          return page
        })
      const use = async (): Promise<void> => {
        const store = await open(server, storage, asked, ask)
        for (let again = 1; again < tabs.length * 2; again += 1) await syncs(store)
        const isAlone = tabs.length === 1 && waiting.length === 0
        if ((await syncs(store)) && isAlone) {
          expect(held(store, asked)).to.deep.equal(wanted(server, asked))
        }
      }
      await Promise.race([use(), killed])
    }
    await Promise.all(tabs.map(live))
  }

  const carryOut = async ({ server, disk, scopes }: World, one: Turn): Promise<void> => {
    switch (one.kind) {
      case 'put':
        return server.put(one.row)
      case 'delete':
        return server.delete(one.row)
      case 'rules':
        server.rules = one.rules
        return
      case 'restart':
        return server.restart()
      case 'forget':
        return server.forget()
      case 'evict':
        return disk.evict()
      case 'clear': {
        const store = await open(server, disk, scopes[0], (work) => Promise.resolve(work()))
        await store.$clear()
        expect(held(store, scopes[0])).to.deep.equal([])
        return
      }
      case 'app':
        return runApp(server, disk, scopes[one.scope] ?? scopes[0], one)
    }
  }

  it('does not let a late tab overwrite newer rows', async () => {
    const server = new SyncDouble(['article'], EVERYTHING)
    const disk = memoryStorage()
    const asked: Scope = { types: ['tags'], locale: ['en', 'de'], limit: 500, title: null }
    const at = { type: 'tag', documentId: 'a', locale: null }
    let gate: Promise<unknown> = Promise.resolve()
    const late = await open(server, disk, asked, async (work) => {
      const page = work()
      await gate
      return page
    })
    const early = await open(server, disk, asked, (work) => Promise.resolve(work()))
    server.put({ ...at, title: 'old' })
    let release: (value: unknown) => void = () => undefined
    gate = new Promise((resolve) => {
      release = resolve
    })
    const waiting = late.$sync()
    server.put({ ...at, title: 'new' })
    await early.$sync()
    release(null)
    await waiting
    for (const store of [early, late]) expect(store.tags.get('a')?.title).to.equal('new')
    const { mark, rows } = await disk.load()
    expect(rows.map(({ data }) => data['title'])).to.deep.equal(['new'])
    expect(mark?.version).to.equal(1)
  })

  it('holds the visible rows of the server after any history', async function () {
    this.timeout(60_000 + RUNS * 50)
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(scope, scope),
        fc.array(turn, { minLength: 5, maxLength: 40, size: 'max' }),
        async (scopes, turns) => {
          const server = new SyncDouble(['article'], EVERYTHING)
          const disk = openDisk()
          for (const one of turns) await carryOut({ server, disk, scopes }, one)
          const asked = scopes[0]
          const send = (work: () => unknown) => openFaultyProcess(disk, NO_FAULTS).send(work)
          const store = await open(server, disk, asked, send)
          const isHeld = await syncs(store)
          expect(held(store, asked)).to.deep.equal(isHeld ? wanted(server, asked) : [])
          const again = await open(server, disk, asked, send)
          expect(held(again, asked)).to.deep.equal(held(store, asked))
        },
      ),
      { numRuns: RUNS },
    )
  })
})
