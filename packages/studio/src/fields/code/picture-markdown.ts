/** The Markdown of a picture, without an alternative text if it has none. */
export function pictureMarkdown(url: string, alternativeText: string | null | undefined): string {
  const alt = (alternativeText ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\[\]]/g, String.raw`\$&`)
  const address = url.replaceAll(
    /[\s()<>\\]/g,
    (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `![${alt}](${address})`
}
