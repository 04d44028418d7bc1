import { expect } from 'chai'
import {
  array,
  assert as assertProperty,
  asyncProperty,
  boolean,
  constantFrom,
  nat,
  option,
  record,
} from 'fast-check'
import { buildStep, restartBuilds } from '../../../src/changes/search/build-index.ts'
import { indexVersions } from '../../../src/changes/search/index-versions.ts'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import {
  deleteTextIndex,
  ensureSearchRows,
  searchForm,
} from '../../../src/mongo/search/index-rows.ts'
import { readIndex } from '../../../src/mongo/search/read-index.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { type Analyzer, analyzerFor } from '../../../src/query/text/analyze-text.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const WEIGHTS = { title: 4, body: 1 }

const { contentTypes } = compileSchema({
  contentTypes: [
    {
      ...contentType(
        'page',
        { localized: false, draftAndPublish: false },
        { title: { type: 'string' }, body: { type: 'text' }, isOpen: { type: 'boolean' } },
      ),
      search: WEIGHTS,
    },
  ],
  components: [],
})

/** Words with shared stems and beginnings, an accent and a stop word. */
const WORDS = ['berg', 'bergs', 'bergamot', 'café', 'cafe', 'the', 'blue', 'run', 'running']
const word = constantFrom(...WORDS)

interface Page {
  readonly title: readonly string[]
  readonly body: readonly string[]
  readonly isOpen: boolean
  readonly day: number
}

const page = record({
  title: array(word, { maxLength: 4 }),
  body: array(word, { maxLength: 45 }),
  isOpen: boolean(),
  day: nat(1),
})

const question = record({
  words: array(word, { minLength: 1, maxLength: 3 }),
  phrase: option(array(word, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  ending: constantFrom('', ' '),
  fields: option(constantFrom('title', 'body'), { nil: undefined }),
  onlyOpen: boolean(),
  pageSize: nat({ max: 3 }),
})

interface Question {
  readonly words: readonly string[]
  readonly phrase?: readonly string[] | undefined
  readonly ending: string
  readonly fields?: string | undefined
  readonly onlyOpen: boolean
  readonly pageSize: number
}

const DAYS = [0, 1].map((day) => new Date(Date.UTC(2026, 0, 1 + day)))

function idOf(index: number): string {
  return `d${String(index).padStart(23, '0')}`
}

interface IndexedField {
  readonly name: 'title' | 'body'
  readonly tokens: readonly {
    readonly word: string
    readonly stem: string
    readonly position: number
  }[]
}

/** Texts of more than 32 words have no stop words. */
function fieldsOf(analyzer: Analyzer, one: Page): readonly IndexedField[] {
  return (['title', 'body'] as const).map((name) => {
    const tokens = analyzer.tokens(one[name].join(' '))
    return { name, tokens: tokens.length > 32 ? tokens.filter((t) => !t.isStopWord) : tokens }
  })
}

/** Scans, scores and sorts all pages in memory. */
function searchNaively(
  analyzer: Analyzer,
  pages: readonly Page[],
  { words, phrase, ending, fields, onlyOpen }: Question,
): readonly number[] {
  const names = fields === undefined ? ['title', 'body'] : [fields]
  const indexed = pages.map((one) => fieldsOf(analyzer, one))
  const averages = ['title', 'body'].map((_, at) => {
    const lengths = indexed.map((all) => all[at]?.tokens.length ?? 0)
    return lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, pages.length)
  })
  const free = analyzer.tokens(words.join(' '))
  const quoted = analyzer.tokens(phrase?.join(' ') ?? '')
  const isStopOnly = [...free, ...quoted].every(({ isStopWord }) => isStopWord)
  const counts = (token: { readonly isStopWord: boolean }): boolean =>
    isStopOnly || !token.isStopWord
  const lastFree = free.at(-1)
  const terms = new Map<string, { stem: string; start: string | null }>()
  for (const token of quoted.filter(counts))
    terms.set(`${token.stem} `, { stem: token.stem, start: null })
  for (const token of free.filter(counts)) {
    const start = ending === '' && token === lastFree ? token.word : null
    terms.set(`${token.stem} ${start === null ? '' : 'start'}`, { stem: token.stem, start })
  }
  const shown = indexed.map((all) => all.filter(({ name }) => names.includes(name)))
  const frequency = (at: number, matches: (field: IndexedField) => number): number => {
    let sum = 0
    for (const field of shown[at] ?? []) {
      const average = averages[field.name === 'title' ? 0 : 1] ?? 0
      const relative = average > 0 ? field.tokens.length / average : 1
      sum += (WEIGHTS[field.name] * Math.min(24, matches(field))) / (0.25 + 0.75 * relative)
    }
    return sum
  }
  /** The first term in the order of the index that begins like the word, as a stem or as a word. */
  const completed = (
    at: number,
    start: string,
  ): { readonly text: string; readonly isStem: boolean } | null => {
    const all = (indexed[at] ?? []).flatMap(({ tokens }) =>
      tokens.flatMap((token) => [
        { key: `${token.stem} `, text: token.stem, isStem: true },
        ...(token.word === token.stem
          ? []
          : [{ key: `${token.word}=`, text: token.word, isStem: false }]),
      ]),
    )
    const fitting = all.filter(({ text }) => text.startsWith(start))
    return fitting.toSorted((a, b) => (a.key < b.key ? -1 : 1))[0] ?? null
  }
  const frequencyOf = (at: number, term: { stem: string; start: string | null }): number => {
    const exact = frequency(
      at,
      ({ tokens }) => tokens.filter(({ stem }) => stem === term.stem).length,
    )
    const longer = term.start === null ? null : completed(at, term.start)
    const prefix =
      longer === null
        ? 0
        : frequency(
            at,
            ({ tokens }) =>
              tokens.filter((t) => (longer.isStem ? t.stem : t.word) === longer.text).length,
          )
    return Math.max(exact, 0.6 * prefix)
  }
  const hasPhrase = (at: number): boolean => {
    const parts = quoted.filter(counts)
    const [first] = parts
    if (first === undefined) return true
    return (shown[at] ?? []).some(({ tokens }) =>
      tokens.some((start) =>
        parts.every(({ stem, position }) =>
          tokens.some(
            (t) => t.stem === stem && t.position - start.position === position - first.position,
          ),
        ),
      ),
    )
  }
  const all = [...terms.values()]
  const visible = pages.flatMap((one, at) => {
    const isFound = all.some((term) => frequencyOf(at, term) > 0)
    return isFound && hasPhrase(at) && (!onlyOpen || one.isOpen) ? [at] : []
  })
  const found = all.map((term) => visible.filter((at) => frequencyOf(at, term) > 0).length)
  const score = (at: number): number =>
    all.reduce((sum, term, place) => {
      const f = frequencyOf(at, term)
      const n = found[place] ?? 0
      const rarity = Math.log(1 + (pages.length - n + 0.5) / (n + 0.5))
      return sum + (rarity * f * 2.2) / (1.2 + f)
    }, 0)
  const scores = new Map(visible.map((at) => [at, Math.round(score(at) * 1e9)]))
  return visible.toSorted((a, b) => {
    const difference = (scores.get(b) ?? 0) - (scores.get(a) ?? 0)
    if (difference !== 0) return difference
    return (pages[b]?.day ?? 0) - (pages[a]?.day ?? 0) || a - b
  })
}

describe('search beside a scan of all entries', () => {
  let test: TestDatabase
  let plan: ContentTypePlan
  let analyzer: Analyzer

  before(async () => {
    test = await openTestDatabase('find_searched')
    await syncIndexes(test.database, [...compileCollections({ contentTypes }).values()])
    await ensureSearchRows(test.database)
    const found = contentTypes.get('api::page.page')
    if (found === undefined) throw new Error('there is no page')
    plan = found
    analyzer = await analyzerFor('en')
  })
  after(() => test.drop())

  const rowOf = ({ title, body, isOpen, day }: Page, index: number) => ({
    _id: `${idOf(index)}::published`,
    id: index,
    documentId: idOf(index),
    locale: '',
    status: 'published',
    title: title.join(' '),
    body: body.join(' '),
    isOpen,
    createdAt: DAYS[day],
    updatedAt: DAYS[day],
    publishedAt: DAYS[day],
  })
  const fill = async (pages: readonly Page[]): Promise<void> => {
    const collection = test.database.collection<ReturnType<typeof rowOf>>(plan.collectionName)
    await collection.deleteMany({})
    if (pages.length > 0) await collection.insertMany(pages.map(rowOf))
  }
  let seq = 0
  /** Few recent versions, so that there are segments and merges. */
  const indexing = () => ({
    database: test.database,
    defaultLocale: 'en',
    seq,
    now: () => new Date(),
    maxRecent: 3,
  })
  const build = async (): Promise<void> => {
    seq += 1
    await restartBuilds(test.database, [plan.uid])
    while (await buildStep(indexing(), plan));
  }
  const search = async (given: Question): Promise<readonly string[]> => {
    const quoted = given.phrase === undefined ? '' : `"${given.phrase.join(' ')}" `
    const shown = {
      search: {
        query: `${quoted}${given.words.join(' ')}${given.ending}`,
        ...(given.fields !== undefined && { fields: given.fields }),
      },
      ...(given.onlyOpen && { filters: { isOpen: 'true' } }),
    }
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const pagination = { cursor, pageSize: String(given.pageSize + 1) }
      const parsed = parseQuery({ ...shown, pagination }, plan, rulesWith('en'))
      const { entries, nextCursor } = await findEntries(test.database, parsed)
      ids.push(...entries.map(({ documentId }) => String(documentId)))
      cursor = nextCursor
    }
    return ids
  }

  it('has the same results in the same order, on all pages', async () => {
    const property = asyncProperty(
      array(page, { maxLength: 12 }),
      array(question, { minLength: 3, maxLength: 6 }),
      async (pages, questions) => {
        await fill(pages)
        await build()
        for (const one of questions) {
          const expected = searchNaively(analyzer, pages, one).map(idOf)
          expect(await search(one), JSON.stringify(one)).to.deep.equal(expected)
        }
      },
    )
    await assertProperty(property, { numRuns: modelRuns('SEARCH_RUNS', 30, 300) })
  })

  it('has the same index after single changes as after a build', async () => {
    const property = asyncProperty(
      array(page, { minLength: 1, maxLength: 12 }),
      array(page, { maxLength: 12 }),
      nat(4),
      async (before, after, step) => {
        await fill(before)
        await build()
        await fill(after)
        const ids = [...new Set([...before, ...after].map((_, at) => `${idOf(at)}::published`))]
        for (let start = 0; start < ids.length; start += step + 1) {
          seq += 1
          await indexVersions(indexing(), plan, ids.slice(start, start + step + 1))
        }
        const followed = await readAll()
        await deleteTextIndex(test.database, plan)
        await build()
        expect(followed).to.deep.equal(await readAll())
        expect(followed.statistics.count).to.equal(after.length)
      },
    )
    await assertProperty(property, { numRuns: modelRuns('SEARCH_RUNS', 15, 150) })
  })

  it('keeps newer entries if a delayed process writes older ones', async () => {
    const all = Array.from({ length: 9 }, (_, at): Page => {
      return { title: ['berg'], body: at % 2 === 0 ? ['blue'] : ['run'], isOpen: true, day: 0 }
    })
    await fill(all)
    await build()
    const newest = await readAll()
    await fill(all.slice(0, 5).map((one) => ({ ...one, title: ['cafe'] })))
    const ids = all.map((_, at) => `${idOf(at)}::published`)
    await indexVersions({ ...indexing(), seq: seq - 1 }, plan, ids)
    expect(await readAll()).to.deep.equal(newest)
  })

  const readAll = async () => {
    const terms = WORDS.flatMap((text) =>
      analyzer.tokens(text).map(({ stem, word }) => ({ stem, word, isPrefix: true })),
    )
    const key = { locale: '', status: 'published' } as const
    const read = await readIndex(test.database, plan, searchForm(plan, 'en'), [key], terms)
    const candidates = [...read.candidates].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return { ...read, candidates }
  }
})
