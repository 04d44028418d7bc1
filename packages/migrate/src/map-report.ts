export interface MapReport {
  readonly types: Readonly<Record<string, number>>
  readonly files: number
  readonly locales: readonly string[]
  readonly defaultLocale: string | null
  readonly notes: readonly string[]
}
