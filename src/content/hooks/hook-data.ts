import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Data } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  type ContentTypePlan,
  isNesting,
  type ShapePlan,
} from '../../schema/plan.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'

/** Converts a validated payload to the form of the HTTP API. Relations stay as they were sent. */
export function payloadForHook(holder: ShapePlan, values: Data): Data {
  const payload: Data = {}
  for (const [name, value] of Object.entries(values)) {
    const attribute = holder.attributes.get(name)
    if (value === undefined) continue
    payload[name] = attribute === undefined ? value : givenValue(attribute, value)
  }
  return payload
}

/** Omits the defaults of read-only attributes. The data that a hook returns may not contain them. */
export function writableMembers(holder: ShapePlan, values: Data): Data {
  const writable: Data = {}
  for (const [name, value] of Object.entries(values)) {
    const attribute = holder.attributes.get(name)
    if (attribute?.writable === false) continue
    writable[name] =
      attribute === undefined ? value : mapElements(attribute, value, writableMembers)
  }
  return writable
}

function givenValue(attribute: AttributePlan, value: unknown): unknown {
  if (attribute.kind === 'scalar') {
    return attribute.type === 'password' ? value : SCALAR_KINDS[attribute.type].toJson(value)
  }
  return mapElements(attribute, value, payloadForHook)
}

/** Omits passwords and inverse relations. Relations and media are documentIds. */
export function versionForHook(plan: ContentTypePlan, version: StoredVersion): Data {
  const { documentId, locale, status, createdAt, updatedAt, publishedAt } = version
  return {
    documentId,
    locale: locale === NO_LOCALE ? null : locale,
    status,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    publishedAt: publishedAt?.toISOString() ?? null,
    ...storedMembers(plan, version),
  }
}

function storedMembers(holder: ShapePlan, stored: Data): Data {
  const members: Data = {}
  for (const attribute of holder.attributes.values()) {
    const isInverse = attribute.kind === 'relation' && attribute.side === 'inverse'
    const isPassword = attribute.kind === 'scalar' && attribute.type === 'password'
    if (isInverse || isPassword) continue
    members[attribute.name] = storedValue(attribute, stored[attribute.name] ?? null)
  }
  return members
}

function storedValue(attribute: AttributePlan, value: unknown): unknown {
  if (attribute.kind === 'scalar') return SCALAR_KINDS[attribute.type].toJson(value)
  if (attribute.kind === 'relation' || attribute.kind === 'media') {
    const isMany = attribute.kind === 'relation' ? attribute.toMany : attribute.multiple
    const documentIds = relationListOf(value)
    return isMany ? documentIds : (documentIds[0] ?? null)
  }
  return mapElements(attribute, value, storedMembers)
}

function mapElements(
  attribute: AttributePlan,
  value: unknown,
  map: (holder: ShapePlan, element: Data) => Data,
): unknown {
  if (!isNesting(attribute) || typeof value !== 'object' || value === null) return value
  const one = (element: Data): Data => {
    const component = componentOf(attribute, element)
    const { id, __component } = element
    return {
      ...(id !== undefined && { id }),
      ...(__component !== undefined && { __component }),
      ...(component === undefined ? element : map(component, element)),
    }
  }
  return Array.isArray(value) ? (value as readonly Data[]).map(one) : one(value as Data)
}
