/** `parent` is null at the root. */
export function dottedPath(parent: string | null, name: string): string {
  return parent === null ? name : `${parent}.${name}`
}
