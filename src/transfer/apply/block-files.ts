import type { BulkRun, SentLine } from '../../content/bulk/run-lines.ts'
import { BYTE_ATTRIBUTES, type FileRecord, findFileRecords } from '../../media/file-records.ts'
import type { Data } from '../../schema/definition.ts'
import { mapLines } from './map-lines.ts'

/** The file attributes that the Studio and the reference's admin panel copy into an image of `blocks`. */
const FACTS = ['name', 'alternativeText', 'caption', ...BYTE_ATTRIBUTES, 'provider'] as const

/** An image gets the attributes of its file, and a link with a `file` its URL. Missing files stay. */
export async function withFiles(
  { context, rules: { types } }: BulkRun,
  lines: readonly SentLine[],
): Promise<readonly SentLine[]> {
  const named = new Set<string>()
  mapLines(lines, types, {
    node: (node) => {
      const documentId = fileOf(node)
      if (documentId !== null) named.add(documentId)
      return node
    },
  })
  if (named.size === 0) return lines
  const plan = context.contentType('plugin::upload.file')
  const records = await findFileRecords(context.database, plan, [...named])
  return mapLines(lines, types, {
    node: (node) => {
      const record = records.get(fileOf(node) ?? '')
      return record === undefined ? node : completed(node, record)
    },
  })
}

function fileOf(node: Data): string | null {
  const file = node['type'] === 'image' ? node['image'] : node['file']
  if (typeof file !== 'object' || file === null) return null
  const { documentId, url } = file as Data
  return typeof documentId === 'string' && url === undefined ? documentId : null
}

function completed(node: Data, record: FileRecord): Data {
  if (node['type'] !== 'image') return { ...node, url: record.url }
  const own = Object.fromEntries(FACTS.map((name) => [name, record[name]]))
  const { documentId, createdAt, updatedAt } = record
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
  const { caption } = node['image'] as Data
  const image = { documentId, ...own, ...times, ...(caption !== undefined && { caption }) }
  return { ...node, image }
}
