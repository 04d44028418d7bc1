import type { BulkRun, SentLine } from '../../content/bulk/run-lines.ts'
import { BYTE_ATTRIBUTES, type FileRecord, findFileRecords } from '../../media/file-records.ts'
import type { Data } from '../../schema/definition.ts'
import type { ShapePlan, AttributePlan } from '../../schema/plan.ts'
import { isRecord } from '../../base/is-record.ts'

/** The file attributes that the Studio and the reference's admin panel copy into an image of `blocks`. */
const FACTS = ['name', 'alternativeText', 'caption', ...BYTE_ATTRIBUTES, 'provider'] as const

type MapNode = (node: Data) => Data

/**
 * An image gets the attributes of its file, and a link with a `file` its URL. Missing files stay.
 */
export async function withFiles(
  { context, rules: { types } }: BulkRun,
  lines: readonly SentLine[],
): Promise<readonly SentLine[]> {
  const named = new Set<string>()
  mapLines(lines, types, (node) => {
    const documentId = fileOf(node)
    if (documentId !== null) named.add(documentId)
    return node
  })
  if (named.size === 0) return lines
  const plan = context.contentType('plugin::upload.file')
  const records = await findFileRecords(context.database, plan, [...named])
  return mapLines(lines, types, (node) => {
    const record = records.get(fileOf(node) ?? '')
    return record === undefined ? node : completed(node, record)
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

function mapLines(
  lines: readonly SentLine[],
  types: BulkRun['rules']['types'],
  map: MapNode,
): readonly SentLine[] {
  return lines.map((line) => {
    const value = 'value' in line.sent ? line.sent.value : null
    if (!isRecord(value) || !isRecord(value['data'])) return line
    const plan = types.get(String(value['type']))
    if (plan === undefined) return line
    return { ...line, sent: { value: { ...value, data: mapHolder(plan, value['data'], map) } } }
  })
}

function mapHolder(holder: ShapePlan, data: Data, map: MapNode): Data {
  const entries = Object.entries(data).map(([name, value]) => {
    const attribute = holder.attributes.get(name)
    return [name, attribute === undefined ? value : mapValue(attribute, value, map)]
  })
  return Object.fromEntries(entries) as Data
}

function mapValue(attribute: AttributePlan, value: unknown, map: MapNode): unknown {
  if (Array.isArray(value) && attribute.kind !== 'relation' && attribute.kind !== 'media') {
    return (value as readonly unknown[]).map((each) => mapOne(attribute, each, map))
  }
  return attribute.kind === 'component' ? mapOne(attribute, value, map) : value
}

function mapOne(attribute: AttributePlan, value: unknown, map: MapNode): unknown {
  if (!isRecord(value)) return value
  if (attribute.kind === 'component') return mapHolder(attribute.component(), value, map)
  if (attribute.kind === 'dynamiczone') {
    const component = attribute.components().get(String(value['__component']))
    return component === undefined ? value : mapHolder(component, value, map)
  }
  return attribute.kind === 'scalar' && attribute.type === 'blocks' ? mapNodes(value, map) : value
}

function mapNodes(node: Data, map: MapNode): Data {
  const { children } = node
  if (!Array.isArray(children)) return map(node)
  const mapped = (children as readonly unknown[]).map((each) =>
    isRecord(each) ? mapNodes(each, map) : each,
  )
  return map({ ...node, children: mapped })
}
