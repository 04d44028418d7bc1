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

/** How a language writes a text in double quotes. */
export interface Quoting {
  /** `$`, which begins a template in some languages. */
  readonly dollar: string
  /** A control character by its code point in hexadecimal digits. */
  readonly codePoint: (digits: string) => string
}

export function stringLiteral(text: string, { dollar, codePoint }: Quoting): string {
  const escaped = text.replaceAll(/["\\\p{Cc}$]/gu, (character) => {
    if (character === '$') return dollar
    if (character === '"' || character === '\\') return `\\${character}`
    return codePoint((character.codePointAt(0) ?? 0).toString(16).padStart(4, '0'))
  })
  return `"${escaped}"`
}
