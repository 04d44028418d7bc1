/**
 * Lower is nearer: equal, starts with the text, has a word that starts with it, contains it, no
 * match.
 */
export function rankTitle(title: string, text: string): number {
  const given = title.toLowerCase()
  const wanted = text.trim().toLowerCase()
  if (given === wanted) return 0
  if (given.startsWith(wanted)) return 1
  if (given.includes(` ${wanted}`)) return 2
  return given.includes(wanted) ? 3 : 4
}
