import { follow, idsBehind, relationOf, type Version } from './dump.ts'
import {
  isMatch,
  isPermitted,
  type Reader,
  type ReadWorld,
  shownAttributes,
  statusBehind,
  type Where,
} from './oracle.ts'
import { SCALARS } from './world.ts'

/** The part of a request that names attributes. */
export interface Node {
  readonly fields?: readonly string[]
  readonly filters?: Where
  readonly populate?: Populate
}

/** By attribute. */
export type Populate = Readonly<Record<string, 'ids' | 'count' | Node>>

export type View = ReadWorld

/** Whether a list, a relation or a condition shows this version to the reader. */
export function isVisible(
  view: View,
  version: Version,
  verb: 'find' | 'findOne' = 'find',
): boolean {
  if (!['alpha', 'beta', 'gamma', 'team'].includes(version.type)) return false
  if (!isPermitted(view, verb, version)) return false
  return version.status !== 'draft' || isPermitted(view, 'readDrafts', version)
}

/** The related versions that the reader sees. */
export function seenBehind(view: View, version: Version, attribute: string): readonly Version[] {
  const target = relationOf(view.dump, version.type, attribute)?.target ?? ''
  const at = statusBehind(view, target)
  return follow(view.dump, version, attribute, at).filter((one) => isVisible(view, one))
}

/** The caller's filter: conditions on relations see visible targets only. */
export function meets(view: View, filters: Where, version: Version): boolean {
  return Object.entries(filters).every(([key, condition]) => {
    const below = [condition].flat().map((one) => Object(one) as Where)
    if (key === '$not') return !below.some((one) => meets(view, one, version))
    if (key === '$and') return below.every((one) => meets(view, one, version))
    if (key === '$or') return below.some((one) => meets(view, one, version))
    if (relationOf(view.dump, version.type, key) === undefined) {
      return isMatch(view, { [key]: condition }, version)
    }
    const seen = seenBehind(view, version, key)
    const [operand] = below
    if (operand !== undefined && '$null' in operand) {
      return (seen.length === 0) === (operand['$null'] === true)
    }
    return seen.some((one) => below.every((each) => meets(view, each, one)))
  })
}

export function readable(
  reader: Reader,
  type: string,
  verb: string,
  drafts: boolean,
): (name: string) => boolean {
  const shown = shownAttributes(reader, `${type}.${verb}`)
  const ofDrafts = drafts ? shownAttributes(reader, `${type}.readDrafts`) : null
  return (name) => (shown?.has(name) ?? true) && (ofDrafts?.has(name) ?? true)
}

/** The entry as the reader may see it, without `id`, times and locale. */
export function shownEntry(
  view: View,
  version: Version,
  node: Node,
  verb: 'find' | 'findOne' = 'find',
): Record<string, unknown> {
  const isReadable = readable(view.reader, version.type, verb, version.status === 'draft')
  const own = version.type === 'team' ? ['name'] : SCALARS
  const scalars = own.filter(
    (name) => isReadable(name) && (node.fields === undefined || node.fields.includes(name)),
  )
  const shown: Record<string, unknown> = { documentId: version.documentId }
  for (const name of scalars) shown[name] = version.values[name] ?? null
  for (const [name, below] of Object.entries(node.populate ?? {})) {
    if (!isReadable(name) || !mayFollow(view, version.type, name)) continue
    shown[name] =
      name === 'part' ? shownPart(view, version, below) : shownRelation(view, version, name, below)
  }
  return shown
}

/** Whether a rule decides which entries of a type this view shows. */
export function hidesEntries({ reader, at }: View, type: string): boolean {
  const verbs = at === 'draft' ? ['find', 'readDrafts'] : ['find']
  const rights = verbs.map((verb) => reader.rights[`${type}.${verb}`])
  return rights.some((right) => right !== undefined && right !== 'always')
}

function mayFollow({ dump, reader }: View, type: string, name: string): boolean {
  const target = relationOf(dump, type, name)?.target
  return target === undefined || `${target}.find` in reader.rights
}

function shownPart(view: View, version: Version, below: Populate[string]): unknown {
  const part = version.values['part'] as Readonly<Record<string, unknown>> | null
  if (part === null || typeof below === 'string') return part
  const { rank, canary } = part
  const holder: Version = { ...version, type: `${version.type}Part`, values: part }
  return {
    rank,
    canary,
    ...('link' in (below.populate ?? {}) &&
      mayFollow(view, holder.type, 'link') && {
        link: shownRelation(view, holder, 'link', below.populate?.['link'] ?? {}),
      }),
  }
}

function shownRelation(
  view: View,
  version: Version,
  name: string,
  below: Populate[string],
): unknown {
  const relation = relationOf(view.dump, version.type, name)
  if (relation === undefined) throw new Error(`${version.type} has no ${name}`)
  if (below === 'count') return { count: seenBehind(view, version, name).length }
  const list =
    below === 'ids' ? shownIds(view, version, name) : shownEntries(view, version, name, below)
  return relation.isToMany ? list : (list[0] ?? null)
}

function shownEntries(view: View, version: Version, name: string, below: Node): readonly object[] {
  const { filters = {} } = below
  return seenBehind(view, version, name)
    .filter((one) => meets(view, filters, one))
    .map((one) => shownEntry(view, one, below))
}

/** Without a rule, `ids` shows what the owning side stores, whether or not these documents exist. */
function shownIds(view: View, version: Version, name: string): readonly string[] {
  const { mappedBy, target = '' } = relationOf(view.dump, version.type, name) ?? {}
  const isStored = mappedBy === undefined && !hidesEntries(view, target)
  if (isStored) return idsBehind(view.dump, version, name, view.at)
  return seenBehind(view, version, name).map(({ documentId }) => documentId)
}
