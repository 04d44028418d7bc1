import type { Uid } from '../schema/definition.ts'

export interface SourceText {
  /**
   * `plain` and `markdown` as they are stored. A text of `tags` is escaped like XML and has `<g id="1">…</g>` around links
   * and formats. Its translation must have the same tags.
   */
  readonly format: 'plain' | 'markdown' | 'tags'
  readonly text: string
  /** Names of attributes, and numbers of components and blocks from 1. */
  readonly path: readonly string[]
  /** The longest translation that the attribute takes, in characters. */
  readonly maxLength: number | null
}

export interface TranslateRequest {
  readonly contentType: Uid
  /** Codes of locales of the server. */
  readonly from: string
  readonly to: string
  /** At most 50 texts of one entry. */
  readonly texts: readonly SourceText[]
  /** Aborted at the deadline of 30 seconds. */
  readonly signal: AbortSignal
}

export interface TranslateProvider {
  /** Shown to editors as "Translate with …". */
  readonly name: string
  /** A translation of each text, in the same order. Null for a text without one. */
  translate(request: TranslateRequest): Promise<readonly (string | null)[]>
}
