const ACRONYMS: ReadonlySet<string> = new Set(
  'ai api bic cca2 cca3 ccn3 cms css csv cta faq gdpr gps html http https iban id ip isbn iso json pdf rss sdk seo sku sms svg tld ui uid uri url utm uuid ux vat vip xml'.split(
    ' ',
  ),
)

/**
 * An attribute name as a label: `readingMinutes` is `Reading minutes`, `seo-title` is `SEO title`.
 */
export function labelOf(name: string): string {
  const words = labelInSentence(name)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The label inside a sentence: `faq-page` is `FAQ page`, `FAQs` is unchanged. */
export function labelInSentence(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z](?!s(?![a-z]))[a-z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .split(/\s+/)
    .map(inSentence)
    .join(' ')
}

/** `url` is `URL`, `urls` is `URLs`. */
function inSentence(word: string): string {
  if (/^[A-Z0-9]{2,}s?$/.test(word)) return word
  const small = word.toLowerCase()
  if (ACRONYMS.has(small)) return small.toUpperCase()
  const one = small.replace(/s$/, '')
  return ACRONYMS.has(one) ? `${one.toUpperCase()}s` : small
}
