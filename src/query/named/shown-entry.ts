import type { Uid } from '../../schema/definition.ts'
import type { ShapePlan, ScalarPlan } from '../../schema/plan.ts'
import { nodeName } from '../query-names.ts'
import type { FragmentSelection, PopulateMode, PopulateNode } from '../query.ts'

export interface ShownEntry {
  readonly holder: ShapePlan
  readonly scalars: readonly ScalarPlan[]
  readonly links: readonly ShownLink[]
}

export type ShownLink = { readonly name: string } & (
  | { readonly kind: 'count' }
  | { readonly kind: 'ids'; readonly isMany: boolean }
  | {
      readonly kind: 'entries'
      readonly isMany: boolean
      /** To-one members may be null. */
      readonly isNullable: boolean
      readonly entry: ShownEntry
    }
  | { readonly kind: 'zone'; readonly elements: ReadonlyMap<Uid, ShownEntry> }
)

export function showEntry(
  holder: ShapePlan,
  { fields, populate }: Pick<FragmentSelection, 'fields' | 'populate'>,
): ShownEntry {
  const members = [...holder.members.values()].filter(
    (member): member is ScalarPlan => member.kind === 'scalar' && !member.private,
  )
  const asked = new Set(fields === 'all' ? [] : ['id', 'documentId', ...fields])
  return {
    holder,
    scalars: members.filter(({ name, onRequest }) =>
      fields === 'all' ? !onRequest : asked.has(name),
    ),
    links: populate.flatMap((node) => {
      const link = linkOf(holder, node)
      return link === null ? [] : [{ name: nodeName(node), ...link }]
    }),
  }
}

type Link = ShownLink extends infer One
  ? One extends ShownLink
    ? Omit<One, 'name'>
    : never
  : never

/** Null for entries of arbitrary types, which named queries cannot select. */
function linkOf(holder: ShapePlan, node: PopulateNode): Link | null {
  if (node.mode === 'count') return { kind: 'count' }
  switch (node.kind) {
    case 'relation':
      return entries(node.mode, node.relation.toMany, showEntry(node.relation.target(), node))
    case 'component':
      return entries(
        node.mode,
        node.component.repeatable,
        showEntry(node.component.component(), node),
      )
    case 'media': {
      const shown = showEntry(node.media.files.target(), node)
      return entries(node.mode, node.media.multiple, shown, true)
    }
    case 'localizations':
      return entries(node.mode, true, showEntry(holder, node))
    case 'zone': {
      const components = node.zone.components()
      const elements = [...node.on].flatMap(([uid, selection]) => {
        const component = components.get(uid)
        return component === undefined ? [] : [[uid, showEntry(component, selection)] as const]
      })
      return { kind: 'zone', elements: new Map(elements) }
    }
    case 'users':
      return null
  }
}

function entries(
  mode: PopulateMode,
  isMany: boolean,
  entry: ShownEntry,
  isNullable = !isMany,
): Link {
  if (mode === 'ids') return { kind: 'ids', isMany }
  return { kind: 'entries', isMany, isNullable, entry }
}
