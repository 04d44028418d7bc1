import { expect } from 'chai'
import { findKeptWork, type KeptFor, keepWork, learnKeptKeys } from '../../src/entry/kept-work.ts'
import { populateOf } from '../../src/entry/populate.ts'
import { toFormValues } from '../../src/entry/values.ts'
import { ARTICLE, COMPONENTS, reading } from './samples.ts'

const OF: KeptFor = { administrator: 'ada', uid: 'api::a.a', documentId: 'd1', locale: 'en' }
const WORK = { base: { title: 'before' }, mine: { title: 'after' } }
const CONFLICT = { address: ['title'], mine: 'after', theirs: 'before' }

describe('unsaved changes in the browser', () => {
  it('belong to one user, entry and locale', () => {
    const store = new MemoryStore()
    expect(keepWork(store, OF, WORK)).to.equal(true)
    expect(findKeptWork(store, OF)).to.deep.equal(WORK)
    const others = [
      { administrator: 'grace' },
      { documentId: 'd2' },
      { documentId: null },
      { locale: 'de' },
      { uid: 'api::b.b' },
    ]
    for (const other of others) expect(findKeptWork(store, { ...OF, ...other })).to.equal(null)
    keepWork(store, OF, null)
    expect(store.length()).to.equal(0)
  })

  it('include undecided conflicts', () => {
    const store = new MemoryStore()
    const work = { ...WORK, conflicts: [CONFLICT] }
    keepWork(store, OF, work)
    expect(findKeptWork(store, OF)).to.deep.equal(work)
  })

  it('ignore invalid stored data without throwing', () => {
    const store = new MemoryStore()
    keepWork(store, OF, WORK)
    const faultyConflicts = ['7', '{}', '[7]', '[{}]', '[{"address":"title"}]', '[{"address":[7]}]']
    const faultyWorks = faultyConflicts.map((one) => `{"base":{},"mine":{},"conflicts":${one}}`)
    for (const text of ['{', '7', 'null', '{}', '{"base":1,"mine":{}}', ...faultyWorks]) {
      store.overwrite(text)
      expect(findKeptWork(store, OF)).to.equal(null)
    }
    expect(keepWork(new FullStore(), OF, WORK)).to.equal(false)
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

class MemoryStore {
  readonly #held = new Map<string, string>()

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

  length(): number {
    return this.#held.size
  }
}

class FullStore extends MemoryStore {
  override setItem(): void {
    throw new DOMException('', 'QuotaExceededError')
  }
}
