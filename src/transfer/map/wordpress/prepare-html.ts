/** Shortcodes of WordPress itself as elements; those of plugins stay as they are written. */
export function withoutShortcodes(html: string): string {
  return html
    .replace(/\[caption[^\]]*\]([\s\S]*?)\[\/caption\]/g, (_all, inner: string) => figureOf(inner))
    .replace(/\[embed[^\]]*\]\s*(\S+?)\s*\[\/embed\]/g, (_all, url: string) => {
      return `<p><a href="${escaped(url)}">${escaped(url)}</a></p>`
    })
    .replace(/\[gallery[^\]]*?ids=["']?([\d,\s]+)["']?[^\]]*\]/g, (_all, ids: string) => {
      const images = ids.split(',').map((id) => `<img class="wp-image-${id.trim()}">`)
      return `<figure>${images.join('')}</figure>`
    })
}

/** `<img> What it shows`: what follows the image is its caption. */
function figureOf(inner: string): string {
  const end = Math.max(inner.lastIndexOf('</a>') + 4, inner.lastIndexOf('/>') + 2)
  const at = end > 3 ? end : inner.lastIndexOf('>') + 1
  return `<figure>${inner.slice(0, at)}<figcaption>${inner.slice(at)}</figcaption></figure>`
}

/** The shortcodes that are left in a text. */
export function shortcodesIn(text: string): readonly string[] {
  return [...text.matchAll(/\[([a-z][\w-]*)(?:\s[^\]]*)?\]/g)].map(([, name = '']) => name)
}

/** Written by the editor of blocks: white space means nothing in it. In what is older an empty line is a paragraph. */
export function hasBlocks(html: string): boolean {
  return html.includes('<!-- wp:')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
