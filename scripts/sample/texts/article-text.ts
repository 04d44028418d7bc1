import type { CoverKey } from '../sample-document.ts'
import type { SampleLocale } from '../sample-locales.ts'

/** An article of the sample in all of its locales. */
export interface ArticleText {
  /** What its documentId is made of: never changed. */
  readonly key: string
  readonly category: CoverKey
  /** What it is about, by `cca3`. */
  readonly countries: readonly string[]
  readonly texts: readonly LocalizedText[]
}

export interface LocalizedText {
  readonly locale: SampleLocale
  readonly status: 'draft' | 'published'
  readonly title: string
  readonly slug: string
  readonly excerpt: string
  /** Markdown, a paragraph each. */
  readonly paragraphs: readonly string[]
  /** What to remember, as a list of blocks. */
  readonly inShort: readonly string[]
  readonly quote?: { readonly text: string; readonly source: string }
}
