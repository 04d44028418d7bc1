import type { Analyzer } from '../../../src/query/text/analyze-text.ts'

export const WEIGHTS = { title: 4, body: 1 }

export interface Page {
  readonly title: readonly string[]
  readonly body: readonly string[]
  readonly isOpen: boolean
  readonly day: number
}

export interface Question {
  readonly words: readonly string[]
  readonly phrase?: readonly string[] | undefined
  readonly ending: string
  readonly fields?: string | undefined
  readonly onlyOpen: boolean
  readonly matchesAll: boolean
  readonly pageSize: number
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
export function searchNaively(
  analyzer: Analyzer,
  pages: readonly Page[],
  { words, phrase, ending, fields, onlyOpen, matchesAll }: Question,
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
  /** The first word in the order of the index that begins like the given one. */
  const completed = (at: number, start: string): string | null => {
    const words = (indexed[at] ?? []).flatMap(({ tokens }) => tokens.map(({ word }) => `${word}=`))
    return (
      words
        .filter((word) => word.startsWith(start))
        .toSorted()[0]
        ?.slice(0, -1) ?? null
    )
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
        : frequency(at, ({ tokens }) => tokens.filter(({ word }) => word === longer).length)
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
    const matches = all.filter((term) => frequencyOf(at, term) > 0).length
    const isFound = matches > 0 && (!matchesAll || matches === all.length)
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
