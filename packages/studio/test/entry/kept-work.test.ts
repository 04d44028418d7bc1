import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  type KeptFor,
  type KeptWork,
  keepWork,
  learnKeptKeys,
  takeKeptWork,
} from '../../src/entry/kept-work.ts'
import { populateOf } from '../../src/entry/populate.ts'
import { toFormValues } from '../../src/entry/values.ts'
import { ARTICLE, COMPONENTS, reading } from './samples.ts'

const OF: KeptFor = { administrator: 'ada', uid: 'api::a.a', documentId: 'd1', locale: 'en' }
const WINDOW = 'w1'
const NONE: ReadonlySet<string> = new Set()
const WORK = { base: { title: 'before' }, mine: { title: 'after' } }
const CONFLICT = { address: ['title'], mine: 'after', theirs: 'before' }

const keep = (
  store: MemoryStore,
  of: KeptFor,
  work: KeptWork | null,
  { window = WINDOW, at = 1 } = {},
): boolean => keepWork(store, of, { window, work, at })
const take = (store: MemoryStore, of: KeptFor, others = NONE, window = 'new'): KeptWork | null =>
  takeKeptWork(store, of, { window, others, at: 1_000 })

describe('unsaved changes in the browser', () => {
  it('belong to one user, entry and locale', () => {
    const store = new MemoryStore()
    expect(keep(store, OF, WORK)).to.equal(true)
    expect(take(store, OF, NONE, WINDOW)).to.deep.equal(WORK)
    const others = [
      { administrator: 'grace' },
      { documentId: 'd2' },
      { documentId: null },
      { locale: 'de' },
      { uid: 'api::b.b' },
    ]
    for (const other of others) expect(take(store, { ...OF, ...other })).to.equal(null)
    keep(store, OF, null)
    expect(store.length).to.equal(0)
  })

  it('include undecided conflicts', () => {
    const store = new MemoryStore()
    const work = { ...WORK, conflicts: [CONFLICT] }
    keep(store, OF, work)
    expect(take(store, OF)).to.deep.equal(work)
    expect(store.length).to.equal(1)
  })

  it('stay with their window while it is open', () => {
    const store = new MemoryStore()
    keep(store, OF, WORK)
    expect(take(store, OF, new Set([WINDOW]))).to.equal(null)
    keep(store, OF, null, { window: 'new' })
    expect(take(store, OF)).to.deep.equal(WORK)
  })

  it('of an earlier release belong to no window', () => {
    const store = new MemoryStore()
    store.setItem('quire.unsaved ada api::a.a d1 en', JSON.stringify(WORK))
    expect(take(store, OF)).to.deep.equal(WORK)
    expect(store.length).to.equal(1)
    keep(store, OF, null, { window: 'new' })
    expect(store.length).to.equal(0)
  })

  it('of closed windows are joined, the newest first', () => {
    const store = new MemoryStore()
    const work = (name: string, text: string) => ({ base: { [name]: '' }, mine: { [name]: text } })
    keep(store, OF, work('title', 'newer'), { window: 'a', at: 3 })
    keep(store, OF, work('title', 'older'), { window: 'b', at: 1 })
    keep(store, OF, work('teaser', 'other'), { window: 'c', at: 2 })
    expect(take(store, OF)?.mine).to.deep.equal({ title: 'newer', teaser: 'other' })
    keep(store, OF, null, { window: 'new' })
    expect(take(store, OF)?.mine).to.deep.equal({ title: 'older' })
  })

  it('of the window itself come before newer ones of a closed window', () => {
    const store = new MemoryStore()
    const own = { base: { title: '', teaser: '' }, mine: { title: 'own', teaser: 'own' } }
    keep(store, OF, own, { window: 'new', at: 1 })
    keep(store, OF, WORK, { window: 'closed', at: 2 })
    expect(take(store, OF)).to.deep.equal(own)
    keep(store, OF, null, { window: 'new' })
    expect(take(store, OF)).to.deep.equal(WORK)
  })

  it('of two new entries are not joined', () => {
    const store = new MemoryStore()
    const fresh = { ...OF, documentId: null }
    const teaser = { base: { teaser: '' }, mine: { teaser: 'other entry' } }
    keep(store, fresh, teaser, { window: 'a', at: 1 })
    keep(store, fresh, WORK, { window: 'b', at: 2 })
    expect(take(store, fresh)).to.deep.equal(WORK)
    keep(store, fresh, null, { window: 'new' })
    expect(take(store, fresh)).to.deep.equal(teaser)
  })

  it('survive all actions of other windows', () => {
    let moved = 0
    let returned = 0
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40, size: 'max' }), (actions) => {
        const windows = new Windows()
        for (const one of actions) windows.act(one)
        expect(windows.stored()).to.deep.equal(windows.typed())
        moved += windows.moved
        returned += windows.returned
      }),
      { numRuns: 500 },
    )
    expect(moved).to.be.greaterThan(100)
    expect(returned).to.be.greaterThan(100)
  })

  it('ignore invalid stored data without throwing', () => {
    const store = new MemoryStore()
    keep(store, OF, WORK)
    const faultyConflicts = ['7', '{}', '[7]', '[{}]', '[{"address":"title"}]', '[{"address":[7]}]']
    const faultyWorks = faultyConflicts.map((one) => `{"base":{},"mine":{},"conflicts":${one}}`)
    for (const text of ['{', '7', 'null', '{}', '{"base":1,"mine":{}}', ...faultyWorks]) {
      store.overwrite(text)
      expect(take(store, OF)).to.equal(null)
    }
    expect(keep(new FullStore(), OF, WORK)).to.equal(false)
  })

  it('restore components under the keys of the closed form', () => {
    const read = reading()
    const kept = {
      quotes: [
        { $key: 'old:1', id: 7, text: 'kept' },
        { $key: 'old:2', text: 'new' },
      ],
    }
    learnKeptKeys(ARTICLE, kept, COMPONENTS, read.keys)
    const { quotes } = toFormValues(ARTICLE, { quotes: [{ id: 7, text: 'x' }, { id: 8 }] }, read)
    expect((quotes as { $key: string }[]).map(({ $key }) => $key)).to.deep.equal([
      'old:1',
      'shared.quote:8',
    ])
  })
})

describe('the populate of a form', () => {
  it('reads all attributes, and the start of long relations', () => {
    const title = { fields: ['name'] }
    const many = { ...title, pagination: { limit: 51 } }
    const quote = { populate: { countries: many } }
    const cta = { populate: { quote } }
    expect(populateOf(ARTICLE, reading())).to.deep.equal({
      cover: true,
      gallery: true,
      category: title,
      tags: many,
      seo: cta,
      quotes: quote,
      sections: { on: { 'shared.quote': quote, 'shared.cta': cta } },
    })
  })
})

interface Action {
  readonly kind: 'type' | 'settle' | 'crash' | 'open' | 'leave' | 'return'
  readonly window: number
  readonly name: string
}

const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom('type', 'type', 'settle', 'crash', 'open', 'leave', 'return'),
  window: fc.nat({ max: 3 }),
  name: fc.constantFrom('title', 'teaser', 'contact'),
})

/** Windows with the same entry. Each typed word is different. */
class Windows {
  readonly #store = new MemoryStore()
  readonly #open = new Map<string, Map<string, string>>()
  /** Open windows that show another page. */
  readonly #away = new Set<string>()
  readonly #left: string[] = []
  #turn = 0
  moved = 0
  /** Windows that found words of their own. */
  returned = 0

  act({ kind, window: index, name }: Action): void {
    this.#turn += 1
    const away = [...this.#away][index % this.#away.size]
    if (kind === 'return' && away !== undefined) return this.#enter(away)
    const window = [...this.#open.keys()][index]
    if (kind === 'open' || window === undefined) return this.#enter(`window ${this.#turn}`)
    const words = this.#open.get(window) ?? new Map<string, string>()
    if (kind === 'type') words.set(name, `word ${this.#turn}`)
    if (kind === 'settle') words.clear() // saved or discarded
    if (kind === 'crash' || kind === 'leave') this.#close(window, kind === 'leave')
    else this.#keep(window, words)
  }

  #close(window: string, isAway: boolean): void {
    this.#left.push(...(this.#open.get(window)?.values() ?? []))
    this.#open.delete(window)
    if (isAway) this.#away.add(window)
  }

  typed(): readonly string[] {
    return [...this.#left, ...[...this.#open.values()].flatMap((one) => [...one.values()])].sort()
  }

  stored(): readonly string[] {
    return this.#keys()
      .flatMap((key) => {
        const { mine } = JSON.parse(this.#store.getItem(key) ?? '') as KeptWork
        return Object.values(mine) as string[]
      })
      .sort()
  }

  #enter(window: string): void {
    if (this.#away.delete(window) && this.#has(window)) this.returned += 1
    const others = new Set([...this.#open.keys(), ...this.#away])
    const work = takeKeptWork(this.#store, OF, { window, others, at: this.#turn })
    const words = new Map(Object.entries(work?.mine ?? {}) as [string, string][])
    for (const word of words.values()) this.#left.splice(this.#left.indexOf(word), 1)
    this.moved += words.size
    this.#open.set(window, words)
  }

  #has(window: string): boolean {
    return this.#keys().some((key) => key.endsWith(` ${window}`))
  }

  #keys(): readonly string[] {
    return Array.from({ length: this.#store.length }, (_, at) => this.#store.key(at) ?? '')
  }

  #keep(window: string, words: ReadonlyMap<string, string>): void {
    const mine = Object.fromEntries(words)
    const work = words.size === 0 ? null : { base: {}, mine }
    keep(this.#store, OF, work, { window, at: this.#turn })
  }
}

class MemoryStore {
  readonly #held = new Map<string, string>()

  get length(): number {
    return this.#held.size
  }

  key(at: number): string | null {
    return [...this.#held.keys()][at] ?? null
  }

  getItem(name: string): string | null {
    return this.#held.get(name) ?? null
  }

  setItem(name: string, text: string): void {
    this.#held.set(name, text)
  }

  removeItem(name: string): void {
    this.#held.delete(name)
  }

  overwrite(text: string): void {
    for (const name of this.#held.keys()) this.#held.set(name, text)
  }
}

class FullStore extends MemoryStore {
  override setItem(): void {
    throw new DOMException('', 'QuotaExceededError')
  }
}
