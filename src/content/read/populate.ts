import { groupBy } from '../../base/group-by.ts'
import { nodeName } from '../../query/query-names.ts'
import type { ComponentNode, LocalizationsNode, PopulateNode, ZoneNode } from '../../query/query.ts'
import { valueName } from '../../schema/alias.ts'
import type { Data } from '../../schema/definition.ts'
import { bothConditions, compileElementSelection } from '../../mongo/read/translate-filter.ts'
import { populateMedia, populateFileUsage } from './populate-media.ts'
import { populateRelation } from './populate-relation.ts'
import {
  type PopulateContext,
  type Row,
  showDocuments,
  signFiles,
  toRow,
  toVersionRow,
} from './row.ts'
import { askedPublication } from '../../mongo/read/published-conditions.ts'
import { findTargets } from '../../mongo/read/read-related.ts'
import { resolveFilter } from '../../mongo/read/resolve-filter.ts'
import { unique } from '../../mongo/versions/stored-value.ts'

/** Uses one query per relation, locale and status, independent of the number of entries. */
export async function populate(
  context: PopulateContext,
  rows: readonly Row[],
  nodes: readonly PopulateNode[],
  parent = '',
): Promise<void> {
  if (rows.length === 0) return
  for (const row of rows) if (row.links.length > 0) context.links.push(row)
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
    case 'relation': {
      const targets = await populateRelation(context, rows, node, path)
      await signFiles(node.relation.target(), targets, context.reader)
      return populate(context, targets, node.populate, path)
    }
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
    case 'media': {
      const files = await populateMedia(context, rows, node, path)
      await signFiles(node.media.files.target(), files, context.reader)
      return populate(context, files, node.populate, path)
    }
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
  const select = compileElementSelection(holder, node)
  const made: Row[] = []
  for (const row of rows) {
    const elements = select(elementsOf(row.values[valueName(component)]))
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
    [...on].flatMap(([uid, { filter }]) => {
      const holder = components.get(uid)
      return holder === undefined
        ? []
        : [[uid, compileElementSelection(holder, { filter, sort: [] })] as const]
    }),
  )
  const made = new Map<string, Row[]>()
  for (const row of rows) {
    const elements = elementsOf(row.values[valueName(zone)])
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

export async function populateLocalizations(
  context: PopulateContext,
  rows: readonly Row[],
  node: LocalizationsNode,
  path: string,
): Promise<readonly Row[]> {
  const { database, reader } = context
  const [first] = rows
  if (first === undefined) return []
  const { status } = first.key
  const selection = { locales: reader.locales.all.map(({ code }) => code), status }
  const conditions = bothConditions(
    await resolveFilter(database, node.filter, selection, reader),
    askedPublication(node.plan, status, reader),
  )
  const versions = await findTargets(
    database,
    node.plan,
    unique(rows.map(({ documentId }) => documentId)),
    { ...node, conditions, versions: selection, reader, limit: 0 },
  )
  const view = { status, format: reader.format }
  const children = groupBy(
    versions.map((version) => toVersionRow(version, node.plan, node, view)),
    ({ documentId }) => documentId,
  )
  for (const row of rows) {
    const shown = (children.get(row.documentId) ?? []).filter(
      ({ key }) => key.locale !== row.key.locale,
    )
    if (node.mode === 'entries') reader.answer.show(path, shown.length * row.times)
    for (const child of shown) child.times += row.times
    const entries = shown.map(({ entry }) => entry)
    row.shown['localizations'] =
      node.mode === 'count' ? { count: shown.length } : showDocuments(row, entries)
  }
  return node.mode === 'entries' ? [...children.values()].flat() : []
}
