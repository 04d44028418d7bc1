/** How near a title is to a text: equal, beginning with it, with a word that begins with it, containing it, not at all. */
export function rankTitle(title: string, text: string): number {
  const given = title.toLowerCase()
  const wanted = text.trim().toLowerCase()
  if (given === wanted) return 0
  if (given.startsWith(wanted)) return 1
  if (given.includes(` ${wanted}`)) return 2
  return given.includes(wanted) ? 3 : 4
}
