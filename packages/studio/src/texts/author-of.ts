import type { Texts } from './texts.ts'
import { logEnglish } from './log-english.ts'

interface Author {
  readonly kind: string
  readonly name: string | null
}

export function authorOf({ kind, name }: Author, t: Texts['t']): string {
  const key = `author.${kind}`
  const said = key in logEnglish ? t(key as keyof typeof logEnglish) : kind
  if (name === null) return said
  if (kind === 'apiToken') return t('author.apiTokenNamed', { name })
  return kind === 'administrator' ? name : `${said} (${name})`
}
