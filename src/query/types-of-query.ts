import type { Uid } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { EntryQuery, Filter, FragmentSelection, PopulateNode, SortKey } from './query.ts'

/** The types that a response depends on: its own, populated ones, and those of conditions and sort keys. */
export function typesOfQuery(
  plan: ContentTypePlan,
  { filter, sort = [], populate }: Pick<EntryQuery, 'filter' | 'populate'> & Partial<Sorted>,
): ReadonlySet<Uid> {
  const types = new Set<Uid>([plan.uid])
  addFilter(types, filter)
  addSort(types, sort)
  for (const node of populate) addNode(types, node)
  return types
}

export function typesOfFilter(filter: Filter | null): ReadonlySet<Uid> {
  const types = new Set<Uid>()
  addFilter(types, filter)
  return types
}

interface Sorted {
  readonly sort: readonly SortKey[]
}

function addFilter(types: Set<Uid>, filter: Filter | null): void {
  if (filter === null) return
  switch (filter.kind) {
    case 'all':
    case 'any':
      for (const one of filter.of) addFilter(types, one)
      return
    case 'not':
    case 'within':
      addFilter(types, filter.of)
      return
    case 'related':
      types.add(filter.relation.targetUid)
      addFilter(types, filter.of)
      return
    case 'compare':
  }
}

function addSort(types: Set<Uid>, sort: readonly SortKey[]): void {
  for (const { through } of sort) {
    for (const step of through) if (step.kind === 'relation') types.add(step.targetUid)
  }
}

function addNode(types: Set<Uid>, node: PopulateNode): void {
  switch (node.kind) {
    case 'relation':
      types.add(node.relation.targetUid)
      addSelection(types, node)
      return
    case 'localizations':
      types.add(node.plan.uid)
      addSelection(types, node)
      return
    case 'media':
      types.add(node.media.files.targetUid)
      addSelection(types, node)
      return
    case 'component':
      addSelection(types, node)
      return
    case 'zone':
      for (const fragment of node.on.values()) addSelection(types, fragment)
      return
    case 'users':
      for (const { uid } of node.types) types.add(uid)
  }
}

function addSelection(types: Set<Uid>, { filter, sort, populate }: FragmentSelection): void {
  addFilter(types, filter)
  addSort(types, sort)
  for (const node of populate) addNode(types, node)
}
