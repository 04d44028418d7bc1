import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, RelationPlan, ShapePlan } from '../../schema/plan.ts'

export type MapRelation = (
  relation: RelationPlan,
  value: unknown,
  path: readonly string[],
) => unknown

/** Maps relations at any depth. Returns the same object if nothing changes. */
export function mapRelations(
  holder: ShapePlan,
  data: Data,
  map: MapRelation,
  path: readonly string[] = [],
): Data {
  const mapped = Object.entries(data).map(([name, value]): [string, unknown] => {
    const attribute = holder.attributes.get(name)
    if (attribute === undefined || value === null) return [name, value]
    return [name, mapValue(attribute, value, map, [...path, name])]
  })
  if (mapped.every(([name, value]) => value === data[name])) return data
  return Object.fromEntries(mapped.filter(([, value]) => value !== undefined))
}

function mapValue(
  attribute: AttributePlan,
  value: unknown,
  map: MapRelation,
  path: readonly string[],
): unknown {
  switch (attribute.kind) {
    case 'scalar':
    case 'media':
      return value
    case 'relation':
      return map(attribute, value, path)
    case 'component':
      return mapObjects(value, path, (element, at) =>
        mapRelations(attribute.component(), element, map, at),
      )
    case 'dynamiczone':
      return mapObjects(value, path, (element, at) => {
        const component = attribute.components().get(String(element['__component']))
        return component === undefined ? element : mapRelations(component, element, map, at)
      })
  }
}

export function mapObjects(
  value: unknown,
  path: readonly string[],
  map: (item: Data, path: readonly string[]) => Data,
): unknown {
  const one = (item: unknown, at: readonly string[]): unknown =>
    isData(item) ? map(item, at) : item
  if (!Array.isArray(value)) return one(value, path)
  const list = value as readonly unknown[]
  const mapped = list.map((item, index) => one(item, [...path, String(index)]))
  return mapped.every((item, index) => item === list[index]) ? value : mapped
}

export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
