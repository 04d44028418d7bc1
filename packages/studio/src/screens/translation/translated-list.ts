import type { Declaration } from '../../api/content-types.ts'

/** The list whose entries are translated. */
export interface TranslatedList {
  readonly declaration: Declaration
  /** Null for types without languages. */
  readonly locale: string | null
  readonly locales: readonly { readonly code: string }[]
}
