/**
 * Whether the picture is at one of the origins, of which the first one is that of the page. Another host would learn
 * the addresses of editors from requests for its pictures.
 */
export function isOwnPicture(src: string, origins: readonly string[]): boolean {
  const [own] = origins
  return URL.canParse(src, own) && origins.includes(new URL(src, own).origin)
}
