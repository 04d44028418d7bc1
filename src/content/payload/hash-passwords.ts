import type { Data } from '../../schema/definition.ts'
import type { ShapePlan, AttributePlan } from '../../schema/plan.ts'

type MapPassword = (password: string) => string

/** Expects no stored values. @throws ServiceUnavailableError if too many passwords are waiting */
export async function hashPasswords(
  holder: ShapePlan,
  values: Data,
  hash: (password: string) => Promise<string>,
): Promise<Data> {
  const given = new Set<string>()
  mapPasswords(holder, values, (password) => {
    given.add(password)
    return password
  })
  if (given.size === 0) return values
  const hashes = new Map<string, string>()
  for (const password of given) hashes.set(password, await hash(password))
  return mapPasswords(holder, values, (password) => hashes.get(password) ?? '')
}

function mapPasswords(holder: ShapePlan, values: Data, map: MapPassword): Data {
  const mapped: Data = { ...values }
  for (const attribute of holder.attributes.values()) {
    const value = values[attribute.name] ?? null
    if (value !== null) mapped[attribute.name] = mapValue(attribute, value, map)
  }
  return mapped
}

function mapValue(attribute: AttributePlan, value: unknown, map: MapPassword): unknown {
  switch (attribute.kind) {
    case 'scalar':
      return attribute.type === 'password' ? map(String(value)) : value
    case 'relation':
    case 'media':
      return value
    case 'component':
      return mapElements(value, (element) => mapPasswords(attribute.component(), element, map))
    case 'dynamiczone':
      return mapElements(value, (element) => {
        const component = attribute.components().get(String(element['__component']))
        return component === undefined ? element : mapPasswords(component, element, map)
      })
  }
}

function mapElements(value: unknown, map: (element: Data) => Data): unknown {
  return Array.isArray(value) ? (value as readonly Data[]).map(map) : map(value as Data)
}
