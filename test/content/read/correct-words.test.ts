import { expect } from 'chai'
import * as fc from 'fast-check'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import type { QueryRules } from '../../../src/query/query.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { correctNaively } from './correct-naively.ts'
import { searchNaively, type Page } from './search-naively.ts'
import { idOf, openSearchWorld, type SearchWorld } from './search-world.ts'

const STOP_WORDS = ['there', 'where']
const WORDS = ['mountain', 'mountains', 'fountain', 'maintain', 'granite', 'granites', 'hills']
const OTHERS = ['hilly', 'limestone', 'limestones', 'route66', 'cafés', 'map', 'mapping']

const page: fc.Arbitrary<Page> = fc.record({
  title: fc.array(fc.constantFrom(...WORDS, ...OTHERS, ...STOP_WORDS), { maxLength: 3 }),
  body: fc.array(fc.constantFrom(...WORDS, ...OTHERS, ...STOP_WORDS), { maxLength: 36 }),
  isOpen: fc.boolean(),
  day: fc.nat(1),
})

const edit = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'replace', 'swap'),
  at: fc.nat(9),
  letter: fc.constantFrom('a', 'i', 'n', 's', 'z', '6'),
})

const misspelled = fc
  .tuple(fc.constantFrom(...WORDS, ...OTHERS), fc.array(edit, { maxLength: 3 }))
  .map(([word, edits]) => edits.reduce(applyEdit, word))
  .filter((word) => word.length > 1) // shorter words have no prefixes

const question = fc.record({
  words: fc.array(misspelled, { minLength: 1, maxLength: 4 }),
  ending: fc.constantFrom('', ' '),
  fields: fc.option(fc.constantFrom('title' as const, 'body' as const), { nil: undefined }),
  onlyOpen: fc.boolean(),
})

function applyEdit(word: string, { kind, at, letter }: ReturnType<typeof edit.generate>['value']) {
  const place = at % word.length || 0
  const [before, after] = [word.slice(0, place), word.slice(place)]
  if (kind === 'insert') return `${before}${letter}${after}`
  if (kind === 'remove') return `${before}${after.slice(1)}`
  if (kind === 'replace') return `${before}${letter}${after.slice(1)}`
  return `${before}${after.slice(1, 2)}${after.slice(0, 1)}${after.slice(2)}`
}

describe('corrections of misspelled words', () => {
  let world: SearchWorld

  before(async () => {
    world = await openSearchWorld('correct_words')
  })
  after(() => world.close())

  const search = async (query: Data, rules: QueryRules = rulesWith('en')) =>
    findEntries(world.database, parseQuery(query, world.plan, rules))

  it('are those of a scan of all words, and decide the results', async () => {
    const pages = fc.array(page, { minLength: 1, maxLength: 10 })
    const questions = fc.array(question, { minLength: 2, maxLength: 5 })
    const property = fc.asyncProperty(pages, questions, async (all, asked) => {
      await world.replacePages(all)
      await world.build()
      for (const { words, ending, fields, onlyOpen } of asked) {
        const text = `${words.join(' ')}${ending}`
        const tokens = world.analyzer.tokens(text)
        if (tokens.some(({ isStopWord }) => isStopWord)) continue
        const names = fields === undefined ? (['title', 'body'] as const) : [fields]
        const scan = { analyzer: world.analyzer, pages: all, names }
        const corrections = correctNaively(scan, text)
        const naive = (searched: readonly string[]): readonly number[] => {
          const given = {
            words: searched,
            ending,
            fields,
            onlyOpen,
            matchesAll: false,
            pageSize: 1,
          }
          return searchNaively(world.analyzer, all, given)
        }
        const expected = naive(tokens.map(({ word }) => corrections.get(word) ?? word))
        const isFound = (word: string): boolean => {
          const isOpen = ending === '' && corrections.get(tokens.at(-1)?.word ?? '') === word
          const [{ stem } = { stem: '' }] = world.analyzer.tokens(word)
          return expected.some((at) =>
            names.some((name) =>
              world.analyzer
                .tokens(all[at]?.[name].join(' ') ?? '')
                .some((one) => one.stem === stem || (isOpen && one.word.startsWith(word))),
            ),
          )
        }
        const found = [...corrections].filter(([, word]) => isFound(word))
        const { entries, search: facts } = await search({
          search: { query: text, ...(fields !== undefined && { fields }) },
          ...(onlyOpen && { filters: { isOpen: 'true' } }),
        })
        const label = JSON.stringify([all, text, fields, onlyOpen])
        expect(facts?.corrected ?? {}, label).to.deep.equal(Object.fromEntries(found))
        expect(
          entries.map(({ documentId }) => documentId),
          label,
        ).to.deep.equal(expected.map(idOf))
        for (const [given, word] of found) {
          expect(facts?.terms).to.include(word).and.not.include(given)
        }
      }
    })
    await fc.assert(property, { numRuns: modelRuns('SEARCH_RUNS', 40, 400) })
  })

  const fill = async (title: string, body: string): Promise<void> => {
    const split = (text: string): readonly string[] => (text === '' ? [] : text.split(' '))
    await world.replacePages([{ title: split(title), body: split(body), isOpen: true, day: 0 }])
    await world.build()
  }

  it('are highlighted', async () => {
    await fill('granite hills', '')
    const { search: facts } = await search({
      search: { query: 'granit hilsl', highlights: 'title' },
    })
    expect(facts).to.deep.equal({
      terms: ['granit', 'hills'],
      corrected: { hilsl: 'hills' },
      highlights: [{ title: ['', 'granite', ' ', 'hills', ''] }],
    })
  })

  it('are words of the searched attributes only', async () => {
    await fill('granite', 'limestone')
    const inBody = await search({ search: { query: 'limestoen' } })
    expect(inBody.search?.corrected).to.deep.equal({ limestoen: 'limestone' })
    const inTitle = await search({ search: { query: 'limestoen', fields: 'title' } })
    expect([inTitle.entries.length, inTitle.search]).to.deep.equal([0, { terms: ['limestoen'] }])
  })

  it('are not made for callers whose read has a rule', async () => {
    await fill('granite', '')
    const rules = (field: string): QueryRules => ({
      ...rulesWith('en'),
      readable: (plan) => {
        const filters = { [field]: { $notNull: 'true' } }
        return { plan, condition: parseQuery({ filters }, plan, rulesWith('en')).filter }
      },
    })
    const ruled = await search({ search: 'granote' }, rules('title'))
    expect([ruled.entries.length, ruled.search]).to.deep.equal([0, { terms: ['granote'] }])
    expect((await search({ search: 'granite' }, rules('title'))).entries.length).to.equal(1)
    const free = await search({ search: 'granote' })
    expect(free.search?.corrected).to.deep.equal({ granote: 'granite' })
  })

  it('are found among tens of thousands of words, also with a wrong first letter', async () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const words = Array.from({ length: 40_000 }, (_, at) => {
      const places = [1, 26, 676, 17_576].map((unit) => letters[Math.floor(at / unit) % 26])
      return `m${places.join('')}qqqqq`
    })
    const pages = [0, 1, 2, 3].map((part): Page => {
      const body = words.slice(part * 10_000, (part + 1) * 10_000)
      return { title: [], body, isOpen: true, day: 0 }
    })
    await world.replacePages(pages)
    await world.build()
    const correctionOf = async (query: string) =>
      (await search({ search: `${query} ` })).search?.corrected
    const word = String(words[26 + 2 * 676 + 17_576])
    expect(word).to.equal('mabcbqqqqq')
    for (const given of ['mabcbqqxqq', 'mλbcbqqqqq', 'nabcbqqqqq', 'nabcbqqqqx', 'ambcbqqqqq']) {
      expect(await correctionOf(given)).to.deep.equal({ [given]: word })
    }
    expect(await correctionOf('nmabcbqqxqqx')).to.equal(undefined)
  })

  it('are no words of deleted entries, also before the index knows', async () => {
    await fill('granite', '')
    await world.replacePages([])
    const { entries, search: facts } = await search({
      search: 'granote',
      filters: { title: { $notNull: 'true' } },
    })
    expect([entries.length, facts]).to.deep.equal([0, { terms: ['granote'] }])
  })
})
