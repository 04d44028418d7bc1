/** The longest tag that RFC 5646, section 4.4.1, asks everyone to take. */
const MAX_CODE_LENGTH = 35

/** The canonical form of a code; null for one that is no tag of a known language. */
export function localeTag(code: string): string | null {
  const canonical = code.length > MAX_CODE_LENGTH ? null : canonicalTag(code)
  return canonical !== null && isKnown(canonical) ? canonical : null
}

function canonicalTag(code: string): string | null {
  try {
    return Intl.getCanonicalLocales(code)[0] ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function isKnown(tag: string): boolean {
  const { language, script, region } = new Intl.Locale(tag)
  const has = (type: 'language' | 'script' | 'region', code: string | undefined): boolean =>
    code === undefined ||
    new Intl.DisplayNames(['en'], { type, fallback: 'none' }).of(code) !== undefined
  if (tag.startsWith('und')) return false // known to Intl, as "unknown language"
  return has('language', language) && has('script', script) && has('region', region)
}
