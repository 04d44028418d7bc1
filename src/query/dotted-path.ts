/** Joins a member name to its parent path, which is null at the root: `seo`, `seo.image`. */
export function dottedPath(parent: string | null, name: string): string {
  return parent === null ? name : `${parent}.${name}`
}
