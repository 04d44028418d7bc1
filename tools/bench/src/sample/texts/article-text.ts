import type { CoverKey } from '../sample-document.ts'
import type { SampleLocale } from '../sample-locales.ts'

export interface ArticleText {
  /** The documentId is derived from this key, so never change it. */
  readonly key: string
  readonly category: CoverKey
  /** `cca3` codes. */
  readonly countries: readonly string[]
  readonly texts: readonly LocalizedText[]
}

export interface LocalizedText {
  readonly locale: SampleLocale
  readonly status: 'draft' | 'published'
  readonly title: string
  readonly slug: string
  readonly excerpt: string
  /** One paragraph of Markdown each. */
  readonly paragraphs: readonly string[]
  /** A summary as a list. */
  readonly inShort: readonly string[]
  readonly quote?: { readonly text: string; readonly source: string }
}
