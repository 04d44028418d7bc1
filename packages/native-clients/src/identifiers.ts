export interface Naming {
  readonly reserved: ReadonlySet<string>
  readonly escape: (name: string) => string
}

/** Returns unique identifiers in order: `cover-image` becomes `coverImage`, `3D` becomes `value3D`. */
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
  // Keeps abbreviations together: `URL` becomes `url`, `URLPath` becomes `urlPath`.
  const [head = ''] = /^[A-Z]+(?![a-z])|^[A-Z]/.exec(joined) ?? []
  return head.toLowerCase() + joined.slice(head.length)
}

export interface Quoting {
  /** The escape of `$`, which starts a template in some languages. */
  readonly dollar: string
  /** The escape of a control character by its hexadecimal code point. */
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

export function capitalized(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
