import type { LocaleRules } from '../../../query/query.ts'
import type { SyncScope } from './parse-scope.ts'
import type { SyncToken } from './sync-token.ts'

export interface SyncLocales extends LocaleRules {
  /** A locale keeps its id when it is renamed, and gets another one when it is added again. */
  readonly all: readonly { readonly code: string; readonly id: number }[]
}

type TokenLocales = Pick<SyncToken, 'locales' | 'localeIds'>

export function localesOf(scope: SyncScope, rules: SyncLocales): TokenLocales {
  const ids = new Map(rules.all.map(({ code, id }) => [code, id]))
  const locales = codesOf(scope, rules).filter((code) => ids.has(code))
  return { locales, localeIds: locales.flatMap((code) => ids.get(code) ?? []) }
}

function codesOf({ locales: asked }: SyncScope, rules: LocaleRules): readonly string[] {
  if (asked === '*') return rules.all.map(({ code }) => code)
  return asked === 'default' ? [rules.defaultCode] : asked
}

export function hasSameLocales(one: TokenLocales, other: TokenLocales): boolean {
  const isSame = (name: keyof TokenLocales): boolean => one[name].join() === other[name].join()
  return isSame('locales') && isSame('localeIds')
}

/** The codes under which the client has rows of the same locale. */
export function keptCodes(
  token: TokenLocales,
  { locales, localeIds }: TokenLocales,
): readonly string[] {
  const ids = new Map(locales.map((code, index) => [code, localeIds[index]]))
  return token.locales.filter((code, index) => {
    const id = ids.get(code)
    return id !== undefined && id === (token.localeIds[index] ?? id)
  })
}
