import type { ContentType } from '@quire/client'
import { createStore, memoryStorage } from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { textOfAttribute } from '../../../src/query/text/entry-text.ts'
import type { AttributePlan } from '../../../src/schema/plan.ts'
import { planOf } from '../../fixtures/plans.ts'
import { modelRuns } from '../../support/model-runs.ts'

interface Loose extends ContentType {
  readonly kind: 'collection'
  readonly searched: 'title' | 'body'
  readonly fields: { id: number; documentId: string; title: string | null; body: string | null }
}

interface Types {
  readonly locales: 'en'
  readonly types: { readonly pages: Loose; readonly notes: Loose }
  readonly files: ContentType
}

interface Page {
  readonly title: string | null
  readonly body: unknown
  readonly note: string
}

const CONTENT: Parameters<typeof createStore<Types, 'pages' | 'notes', 'en'>>[0]['content'] = {
  types: {
    pages: {
      name: 'page',
      kind: 'collection',
      search: { title: 4, body: 1 },
      kinds: {},
      links: {},
    },
    notes: { name: 'note', kind: 'collection', kinds: {}, links: {} },
  },
  components: {},
}

const GAPS = [' ', '  ', ', ', '-', '\n', '. “', '?', '…']
const WORDS = [
  'Berg',
  'berge',
  'Eisberg',
  'café',
  'CAFE',
  'cafe\u0301',
  'Ünsal',
  'und',
  '水族館',
  'x2',
]
const PARTS = ['berg', 'BERGE', 'is', 'Cafe', 'fé', 'unsal', 'un', '族', '2', 'zebra', '"berg"']

const text = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...GAPS)), { maxLength: 5 })
  .map((all) => all.flat().join(''))
const page = fc.record({
  title: fc.option(text, { freq: 4 }),
  body: fc.option(text, { freq: 4 }),
  note: text,
})
const query = fc
  .array(fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom(...GAPS)), { maxLength: 3 })
  .map((all) => all.flat().join(''))

const inlines = fc.array(
  fc.oneof(
    text.map((words) => ({ type: 'text', text: words })),
    fc.array(text, { maxLength: 2 }).map((texts) => ({
      type: 'link',
      url: 'https://zebra.example/berg',
      children: texts.map((words) => ({ type: 'text', text: words, bold: true })),
    })),
  ),
  { minLength: 1, maxLength: 3 },
)
const item = inlines.map((children) => ({ type: 'list-item', children }))
const list = fc
  .array(item, { minLength: 1, maxLength: 2 })
  .map((children) => ({ type: 'list', format: 'ordered', children: children as object[] }))
const blocks = fc.array(
  fc.oneof(
    inlines.map((children) => ({ type: 'paragraph', children })),
    list,
    fc.tuple(item, list).map(([one, nested]) => ({ ...nested, children: [one, nested] })),
    fc
      .record({ alternativeText: fc.option(text), caption: fc.option(text) })
      .map((image) => ({ type: 'image', image, children: [{ type: 'text', text: '' }] })),
  ),
  { maxLength: 4 },
)
const BODY = planOf({ attributes: { body: { type: 'blocks' } } }).attributes.get('body')

/** By letters, without the expressions of the store. */
function wordsOf(given: string | null): readonly string[] {
  const letters = Array.from((given ?? '').toLowerCase().normalize('NFD')).filter(
    (letter) => !/^\p{M}$/u.test(letter),
  )
  const words: string[] = ['']
  for (const letter of letters) {
    if (/^[\p{L}\p{N}]$/u.test(letter)) words.push(`${words.pop() ?? ''}${letter}`)
    else words.push('')
  }
  return words.filter((word) => word !== '')
}

/** The places of the found pages, the best ones first. */
function rankNaively(pages: readonly Page[], given: string): readonly number[] {
  const parts = wordsOf(given)
  const weightOf = (words: readonly string[], part: string): number => {
    if (words.some((word) => word.startsWith(part))) return 2
    return words.some((word) => word.includes(part)) ? 1 : 0
  }
  const scores = pages.map(({ title, body }) =>
    parts.reduce(
      (sum, part) =>
        sum + 4 * weightOf(wordsOf(title), part) + weightOf(wordsOf(body as string | null), part),
      parts.length === 0 ? 1 : 0,
    ),
  )
  return pages
    .map((_, at) => at)
    .filter((at) => (scores[at] ?? 0) > 0)
    .toSorted((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other)
}

async function openPages(pages: readonly Page[]) {
  const storage = memoryStorage()
  const rows = pages.map((data, at) => ({
    op: 'put',
    type: 'page',
    documentId: `p${at}`,
    locale: null,
    status: 'published',
    data: { id: at, documentId: `p${at}`, ...data },
  }))
  const lines = [...rows, { next: 'end', more: false }]
    .map((line) => JSON.stringify(line))
    .join('\n')
  return createStore({
    content: CONTENT,
    client: { $send: () => Promise.reject(new TypeError('no network')) },
    types: ['pages', 'notes'],
    locale: 'en',
    storage,
    snapshot: () => Promise.resolve(`${lines}\n`),
  })
}

describe('the search of a store', () => {
  it('finds and orders entries like a scan by letters', async () => {
    const property = fc.asyncProperty(
      fc.array(page, { maxLength: 8 }),
      query,
      async (all, given) => {
        const store = await openPages(all)
        const { entries, total } = store.pages.query({ rank: given })
        const expected = rankNaively(all, given)
        expect(entries.map(({ id }) => id)).to.deep.equal(expected)
        expect(total).to.equal(expected.length)
        await store.$close()
      },
    )
    await fc.assert(property, { numRuns: modelRuns('SEARCH_RUNS', 300, 3_000) })
  })

  it('ranks blocks by the text that the server searches', async () => {
    let found = 0
    const property = fc.asyncProperty(
      fc.array(blocks, { maxLength: 6 }),
      query,
      async (bodies, given) => {
        const pages = bodies.map((body) => ({ title: null, body, note: '' }))
        const store = await openPages(pages)
        const texts = bodies.map((body) => textOfAttribute(BODY as AttributePlan, body))
        const expected = rankNaively(
          pages.map((one, at) => ({ ...one, body: texts[at] })),
          given,
        )
        const { entries } = store.pages.query({ rank: given })
        expect(entries.map(({ id }) => id)).to.deep.equal(expected)
        if (expected.length > 0 && expected.length < bodies.length) found += 1
        await store.$close()
      },
    )
    await fc.assert(property, { numRuns: modelRuns('SEARCH_RUNS', 300, 3_000) })
    expect(found, 'searches with some of the pages').to.be.above(30)
  })

  it('applies filters, pages and the order of equal entries', async () => {
    const titles = ['Berg', 'Tal', 'Eisberg', 'Bergwerk', 'Bergbau']
    const store = await openPages(titles.map((title) => ({ title, body: null, note: 'berg' })))
    const asked = { rank: 'berg', sort: 'title:desc' as never }
    const first = store.pages.query({ ...asked, pageSize: 2 })
    expect(first.entries.map(({ title }) => title)).to.deep.equal(['Bergwerk', 'Bergbau'])
    expect([first.total, first.pageCount]).to.deep.equal([4, 2])
    const filtered = store.pages.query({ ...asked, filters: { title: { $ne: 'Berg' } } as never })
    expect(filtered.entries.map(({ title }) => title)).to.deep.equal([
      'Bergwerk',
      'Bergbau',
      'Eisberg',
    ])
    expect(store.notes.query({ rank: 'berg' }).entries).to.deep.equal([])
  })
})
