export interface MapReport {
  readonly types: Readonly<Record<string, number>>
  readonly files: number
  /** Locales of the content, empty without localized content. */
  readonly locales: readonly string[]
  readonly defaultLocale: string | null
  readonly notes: readonly string[]
}
