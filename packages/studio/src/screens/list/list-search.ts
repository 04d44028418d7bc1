/** What the address of a list says. */
export interface ListSearch {
  readonly locale?: string
}

export function readListSearch({ locale }: Record<string, unknown>): ListSearch {
  return typeof locale === 'string' ? { locale } : {}
}
