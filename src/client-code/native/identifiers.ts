import { capitalized } from './models.ts'

/** How a language writes names. */
export interface Naming {
  readonly reserved: ReadonlySet<string>
  /** What a name is written as that the language has taken. */
  readonly escape: (name: string) => string
}

/** Names for these texts, in their order, each another: `cover-image` is `coverImage`, `3D` is `value3D`. */
export function identifiersFor(texts: readonly string[], naming: Naming): readonly string[] {
  const taken = new Set<string>()
  return texts.map((text) => {
    const plain = camelCase(text)
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? plain : `${plain}${count}`
      if (taken.has(name)) continue
      taken.add(name)
      return naming.reserved.has(name) ? naming.escape(name) : name
    }
  })
}

function camelCase(text: string): string {
  const joined = capitalized(text)
  if (joined === '') return 'empty'
  if (/^\d/.test(joined)) return `value${joined}`
  // An abbreviation stays one: `URL` is `url`, `URLPath` is `urlPath`.
  const [head = ''] = /^[A-Z]+(?![a-z])|^[A-Z]/.exec(joined) ?? []
  return head.toLowerCase() + joined.slice(head.length)
}

/** A text in double quotes: `$` begins a template in Kotlin and Dart, and code points are written differently. */
export function literal(text: string, language: 'swift' | 'kotlin' | 'dart'): string {
  const escaped = text.replaceAll(/["\\\p{Cc}$]/gu, (character) => {
    if (character === '$') return language === 'swift' ? '$' : '\\$'
    if (character === '"' || character === '\\') return `\\${character}`
    const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
    return language === 'swift' ? `\\u{${code}}` : `\\u${code}`
  })
  return `"${escaped}"`
}
