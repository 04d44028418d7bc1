import { isRefusal } from '../../base/is-refusal.ts'
import { isRecord } from '../../base/is-record.ts'
import type { BulkRun, SentLine } from '../../content/bulk/run-lines.ts'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, MediaPlan, ShapePlan } from '../../schema/plan.ts'

export interface LineMaps {
  readonly members?: (holder: ShapePlan, data: Data) => Data
  readonly media?: (attribute: MediaPlan, value: unknown) => unknown
  readonly node?: (node: Data) => Data
}

/** A line for which a function throws becomes an error line. Lines without a known type stay. */
export function mapLines(
  lines: readonly SentLine[],
  types: BulkRun['rules']['types'],
  maps: LineMaps,
): readonly SentLine[] {
  return lines.map((line) => {
    const value = 'value' in line.sent ? line.sent.value : null
    if (!isRecord(value) || !isRecord(value['data'])) return line
    const plan = types.get(String(value['type']))
    if (plan === undefined) return line
    try {
      return { ...line, sent: { value: { ...value, data: mapHolder(plan, value['data'], maps) } } }
    } catch (error) {
      if (!isRefusal(error)) throw error
      return { ...line, sent: { error } }
    }
  })
}

function mapHolder(holder: ShapePlan, data: Data, maps: LineMaps): Data {
  const members = maps.members?.(holder, data) ?? data
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const attribute = holder.attributes.get(name)
      return [name, attribute === undefined ? value : mapValue(attribute, value, maps)]
    }),
  )
}

function mapValue(attribute: AttributePlan, value: unknown, maps: LineMaps): unknown {
  if (attribute.kind === 'relation') return value
  if (attribute.kind === 'media') return maps.media?.(attribute, value) ?? value
  if (Array.isArray(value)) {
    return (value as readonly unknown[]).map((each) => mapOne(attribute, each, maps))
  }
  return attribute.kind === 'component' ? mapOne(attribute, value, maps) : value
}

function mapOne(attribute: AttributePlan, value: unknown, maps: LineMaps): unknown {
  if (!isRecord(value)) return value
  if (attribute.kind === 'component') return mapHolder(attribute.component(), value, maps)
  if (attribute.kind === 'dynamiczone') {
    const component = attribute.components().get(String(value['__component']))
    return component === undefined ? value : mapHolder(component, value, maps)
  }
  return attribute.kind === 'scalar' && attribute.type === 'blocks' ? mapNodes(value, maps) : value
}

function mapNodes(node: Data, maps: LineMaps): Data {
  const { children } = node
  const map = maps.node ?? ((same: Data) => same)
  if (!Array.isArray(children)) return map(node)
  const mapped = (children as readonly unknown[]).map((each) =>
    isRecord(each) ? mapNodes(each, maps) : each,
  )
  return map({ ...node, children: mapped })
}
