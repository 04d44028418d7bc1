import type { Uid } from '../../schema/definition.ts'
import type { Schema } from '../../schema/plan.ts'

const BUILT_IN: ReadonlyMap<Uid, string> = new Map([
  ['plugin::upload.file', 'UploadFile'],
  ['plugin::users-permissions.user', 'User'],
  ['plugin::users-permissions.role', 'Role'],
])

const TAKEN = (
  'Content Error Pagination Locale Coordinates FileInput SignedIn Permissions ' +
  'RelationTarget RelationChange RelationToOne RelationToMany ' +
  'Blocks Block BlockText BlockLink BlockListItem BlockParagraph ' +
  'BlockHeading BlockList BlockQuote BlockCode BlockImage ' +
  'ExtendedBlocks ExtendedBlock BlockTable BlockTableRow BlockTableCell BlockTableHeaderCell'
).split(' ')

const SUFFIXES = ['', '_Input', '_Create', '_Element', '_ElementInput', '_Entry', '_List']

/** Equal for all principals. `api::blog-post.blog-post` becomes `BlogPost`. */
export function nameSchemas({ contentTypes, components }: Schema): ReadonlyMap<Uid, string> {
  const taken = new Set<string>(TAKEN)
  const names = new Map<Uid, string>()
  const add = (uid: Uid, wanted: string): void => {
    const name = freeName(wanted, taken)
    for (const suffix of SUFFIXES) taken.add(name + suffix)
    names.set(uid, name)
  }
  for (const [uid, name] of BUILT_IN) add(uid, name)
  for (const { uid, singularName } of contentTypes.values()) {
    if (!BUILT_IN.has(uid)) add(uid, pascalCase(singularName))
  }
  for (const uid of components.keys()) add(uid, pascalCase(uid))
  return names
}

export function nameQueries({ queries }: Pick<Schema, 'queries'>): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  return new Map(
    [...queries.keys()].map((query) => {
      const name = freeName(pascalCase(query), taken)
      taken.add(name)
      return [query, name]
    }),
  )
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}${count}`
    if (!taken.has(name)) return name
  }
}

/** `blog-post` becomes `BlogPost`. Adds a letter before an invalid first character. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(name) ? name : `T${name}`
}
