import { bothConditions } from '../../mongo/read/conditions.ts'
import { askedPublication } from '../../mongo/read/published-conditions.ts'
import { findTargets } from '../../mongo/read/read-related.ts'
import { resolveFilter } from '../../mongo/read/resolve-filter.ts'
import type { LocalizationsNode } from '../../query/query.ts'
import { unique } from '../payload/relation-list.ts'
import { type PopulateContext, type Row, showDocuments, toVersionRow } from './row.ts'

/** Uses the same status. Returns the added rows. */
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
  const children = new Map<string, Row[]>()
  for (const version of versions) {
    const child = toVersionRow(version, node.plan, node, { status, format: reader.format })
    const others = children.get(child.documentId)
    if (others === undefined) children.set(child.documentId, [child])
    else others.push(child)
  }
  for (const row of rows) {
    const shown = (children.get(row.documentId) ?? []).filter(
      ({ key }) => key.locale !== row.key.locale,
    )
    if (node.mode === 'entries') reader.answer.show(path, shown.length * row.times)
    for (const child of shown) child.times += row.times
    row.shown['localizations'] =
      node.mode === 'count'
        ? { count: shown.length }
        : showDocuments(
            row,
            shown.map(({ entry }) => entry),
          )
  }
  return node.mode === 'entries' ? [...children.values()].flat() : []
}
