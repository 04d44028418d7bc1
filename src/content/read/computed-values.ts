import type { Data } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  isNesting,
  type NestingPlan,
  type ScalarPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'

/** The input has the form of a response, without private attributes, relations and media. */
export function computeValue(holder: ShapePlan, { computed }: ScalarPlan, stored: Data): unknown {
  if (computed === undefined) return null
  const from: Data = {}
  for (const name of computed.from) {
    const attribute = holder.attributes.get(name)
    if (attribute !== undefined) from[name] = inputOf(attribute, stored[name] ?? null)
  }
  return computed.value(from)
}

function inputOf(attribute: AttributePlan, value: unknown): unknown {
  if (attribute.kind === 'scalar') return SCALAR_KINDS[attribute.type].toJson(value)
  if (!isNesting(attribute) || typeof value !== 'object') return null
  if (value === null) return null
  return Array.isArray(value)
    ? value.map((element) => elementInput(attribute, element as Data))
    : elementInput(attribute, value as Data)
}

function elementInput(attribute: NestingPlan, element: Data): Data {
  const { id, __component } = element
  const input: Data = { id, ...(__component !== undefined && { __component }) }
  for (const member of componentOf(attribute, element)?.attributes.values() ?? []) {
    const isShown = member.kind === 'scalar' || isNesting(member)
    if (isShown && !member.private)
      input[member.name] = inputOf(member, element[member.name] ?? null)
  }
  return input
}
