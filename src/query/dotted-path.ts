/** The path of a member by the path of what holds it, which is null at the root: `seo`, `seo.image`. */
export function dottedPath(parent: string | null, name: string): string {
  return parent === null ? name : `${parent}.${name}`
}
