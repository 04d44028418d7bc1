export interface ProjectOptions {
  /** The name in package.json. */
  readonly name: string
  /** Content-types, documents and a picture to begin with. */
  readonly sample: boolean
  readonly language: 'typescript' | 'javascript'
  /** The version of `@quire/server`, which is also that of this package. */
  readonly version: string
  /** Scripts replace their shell where the shell can do that. */
  readonly platform: NodeJS.Platform
}

/** Explains why npm would refuse a name, or returns null. https://docs.npmjs.com/cli/configuring-npm/package-json#name */
export function explainName(name: string): string | null {
  if (name.length > 214) return 'A name has at most 214 characters'
  return /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name)
    ? null
    : 'A name has lower-case letters, digits, hyphens, dots and underscores, and begins with a letter or digit'
}

/** Derives a valid name from that of a folder. */
export function nameOfFolder(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .replace(/[-.]+$/, '')
  return name === '' ? 'my-cms' : name
}
