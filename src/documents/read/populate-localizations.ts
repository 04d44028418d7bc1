import { findTargets } from '../../mongo/read/read-related.ts'
import { resolveFilter } from '../../mongo/read/resolve-filter.ts'
import type { LocalizationsNode } from '../../query/query.ts'
import { unique } from '../payload/relation-list.ts'
import { type PopulateContext, type Row, showDocuments, toVersionRow } from './row.ts'

/** Shows the other locales of the same documents, in the same status; answers what it shows. */
export async function populateLocalizations(
  context: PopulateContext,
  rows: readonly Row[],
  node: LocalizationsNode,
): Promise<readonly Row[]> {
  const { database, reader } = context
  const [first] = rows
  if (first === undefined) return []
  const { status } = first.key
  const selection = { locales: reader.locales.all.map(({ code }) => code), status }
  const conditions = await resolveFilter(database, node.filter, selection, reader)
  const versions = await findTargets(
    database,
    node.plan,
    unique(rows.map(({ documentId }) => documentId)),
    { ...node, conditions, versions: selection, reader },
  )
  const children = versions.map((version) => ({
    version,
    row: toVersionRow(version, node.plan, node, { status, format: reader.format }),
  }))
  for (const row of rows) {
    const shown = children.filter(
      ({ version }) => version.documentId === row.documentId && version.locale !== row.key.locale,
    )
    row.shown['localizations'] =
      node.mode === 'count'
        ? { count: shown.length }
        : showDocuments(
            row,
            shown.map((child) => child.row.entry),
          )
  }
  return node.mode === 'entries' ? children.map(({ row }) => row) : []
}
