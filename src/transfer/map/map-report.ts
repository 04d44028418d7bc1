/** What a mapping has made, and what it could not take. */
export interface MapReport {
  /** Lines by content-type. */
  readonly types: Readonly<Record<string, number>>
  readonly files: number
  /** Codes that the content needs; none where nothing is localized. */
  readonly locales: readonly string[]
  readonly defaultLocale: string | null
  /** A sentence each. */
  readonly notes: readonly string[]
}
