import { nodeName } from '../../query/node-name.ts'
import type { ComponentNode, PopulateNode, ZoneNode } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import { compileElementSelection } from '../../mongo/read/select-elements.ts'
import { populateLocalizations } from './populate-localizations.ts'
import { populateMedia, populateFileUsage } from './populate-media.ts'
import { populateRelation } from './populate-relation.ts'
import { type PopulateContext, type Row, toRow } from './row.ts'

/** Uses one query per relation, locale and status, independent of the number of entries. */
export async function populate(
  context: PopulateContext,
  rows: readonly Row[],
  nodes: readonly PopulateNode[],
  parent = '',
): Promise<void> {
  if (rows.length === 0) return
  await Promise.all(
    nodes.map((node) =>
      populateNode(context, rows, node, `${parent === '' ? '' : `${parent}.`}${nodeName(node)}`),
    ),
  )
}

async function populateNode(
  context: PopulateContext,
  rows: readonly Row[],
  node: PopulateNode,
  path: string,
): Promise<void> {
  switch (node.kind) {
    case 'relation':
      return populate(
        context,
        await populateRelation(context, rows, node, path),
        node.populate,
        path,
      )
    case 'component':
      return populateComponent(context, rows, node, path)
    case 'zone':
      return populateZone(context, rows, node, path)
    case 'localizations':
      return populate(
        context,
        await populateLocalizations(context, rows, node, path),
        node.populate,
        path,
      )
    case 'media':
      return populate(context, await populateMedia(context, rows, node, path), node.populate, path)
    case 'users':
      return populateFileUsage(context, rows, node, path)
  }
}

async function populateComponent(
  context: PopulateContext,
  rows: readonly Row[],
  node: ComponentNode,
  path: string,
): Promise<void> {
  const { component, mode } = node
  const holder = component.component()
  const select = compileElementSelection(node)
  const made: Row[] = []
  for (const row of rows) {
    const elements = select(elementsOf(row.values[component.name]))
    const shown = elements.map((element) => toRow(element, holder, node, row))
    made.push(...shown)
    const entries = shown.map(({ entry }) => entry)
    if (mode === 'count') row.shown[component.name] = { count: elements.length }
    else row.shown[component.name] = component.repeatable ? entries : (entries[0] ?? null)
  }
  if (mode === 'entries') await populate(context, made, node.populate, path)
}

async function populateZone(
  context: PopulateContext,
  rows: readonly Row[],
  { zone, on, mode }: ZoneNode,
  path: string,
): Promise<void> {
  const components = zone.components()
  const selections = new Map(
    [...on].map(([uid, { filter }]) => [uid, compileElementSelection({ filter, sort: [] })]),
  )
  const made = new Map<string, Row[]>()
  for (const row of rows) {
    const elements = elementsOf(row.values[zone.name])
    const shown = elements.flatMap((element) => {
      const uid = String(element['__component'])
      const selection = on.get(uid)
      const holder = components.get(uid)
      if (selection === undefined || holder === undefined) return []
      if (selections.get(uid)?.([element]).length === 0) return []
      const child = toRow(element, holder, selection, row)
      child.entry['__component'] = uid
      made.set(uid, [...(made.get(uid) ?? []), child])
      return [child.entry]
    })
    row.shown[zone.name] = mode === 'count' ? { count: shown.length } : shown
  }
  if (mode === 'count') return
  await Promise.all(
    [...made].map(([uid, children]) =>
      populate(context, children, on.get(uid)?.populate ?? [], path),
    ),
  )
}

function elementsOf(stored: unknown): readonly Data[] {
  if (stored === null || stored === undefined) return []
  return Array.isArray(stored) ? (stored as readonly Data[]) : [stored as Data]
}
