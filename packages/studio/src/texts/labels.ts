const ACRONYMS: ReadonlySet<string> = new Set(
  'ai api bic cca2 cca3 ccn3 cms css csv cta faq gdpr gps html http https iban id ids ip isbn iso json pdf rss sdk seo sku sms svg tld ui uid uri url urls utm uuid ux vat vip xml'.split(
    ' ',
  ),
)

/** The name of an attribute as words: `readingMinutes` is `Reading minutes`, `seo-title` is `SEO title`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .split(/\s+/)
    .map(inSentence)
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A word as it stands within a sentence: `url` is `URL`, `urls` is `URLs`. */
function inSentence(word: string): string {
  if (/^[A-Z0-9]{2,}$/.test(word)) return word
  const small = word.toLowerCase()
  if (!ACRONYMS.has(small)) return small
  return small.length > 2 && small.endsWith('s') && ACRONYMS.has(small.slice(0, -1))
    ? `${small.slice(0, -1).toUpperCase()}s`
    : small.toUpperCase()
}
