/** Converts built-in shortcodes to elements. Shortcodes of plugins stay as text. */
export function withoutShortcodes(html: string): string {
  const captioned = upTo('[/caption]', html, (head) =>
    head.replace(/\[caption[^[\]]*\]([\s\S]*?)\[\/caption\]/g, (_all, inner: string) =>
      figureOf(inner),
    ),
  )
  const embedded = upTo('[/embed]', captioned, (head) =>
    head.replace(/\[embed[^[\]]*\]\s*([^\s[]+)\s*\[\/embed\]/g, (_all, url: string) => {
      return `<p><a href="${escaped(url)}">${escaped(url)}</a></p>`
    }),
  )
  return embedded.replace(/\[gallery([^[\]]*)\]/g, (all, options: string) => {
    const [, ids] = /ids=["']?([\d,\s]+)/.exec(options) ?? []
    if (ids === undefined) return all
    const images = ids.split(',').map((id) => `<img class="wp-image-${id.trim()}">`)
    return `<figure>${images.join('')}</figure>`
  })
}

/**
 * Changes only the text before the last end tag. After it, each unclosed start tag would cost a
 * search through the rest of the text.
 */
function upTo(end: string, text: string, change: (head: string) => string): string {
  const last = text.lastIndexOf(end)
  const at = last === -1 ? 0 : last + end.length
  return change(text.slice(0, at)) + text.slice(at)
}

/** The text after `<img>` is its caption. */
function figureOf(inner: string): string {
  const end = Math.max(inner.lastIndexOf('</a>') + 4, inner.lastIndexOf('/>') + 2)
  const at = end > 3 ? end : inner.lastIndexOf('>') + 1
  return `<figure>${inner.slice(0, at)}<figcaption>${inner.slice(at)}</figcaption></figure>`
}

export function shortcodesIn(text: string): readonly string[] {
  const whole = text.slice(0, text.lastIndexOf(']') + 1)
  return [...whole.matchAll(/\[([a-z][\w-]*)(?:\s[^\]]*)?\]/g)].map(([, name = '']) => name)
}

/** The block editor ignores white space. In classic content an empty line separates paragraphs. */
export function hasBlocks(html: string): boolean {
  return html.includes('<!-- wp:')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
