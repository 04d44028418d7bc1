import { shownName, ValidationError } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, RelationPlan, ShapePlan } from '../../schema/plan.ts'

/** `"category.slug": "maps"` names the target of a relation by a unique attribute. @throws ValidationError */
export function expandDottedMembers(holder: ShapePlan, data: Data): Data {
  const names = Object.keys(data)
  if (!names.some((name) => isDotted(name, holder))) return data
  const expanded = new Map<string, unknown>()
  const files = new Map<string, Record<string, unknown>>()
  const put = (name: string, value: unknown): void => {
    if (expanded.has(name)) throw invalidMember(`${shownName(name)} is given twice`)
    expanded.set(name, value)
  }
  for (const [name, value] of Object.entries(data)) {
    if (!isDotted(name, holder)) {
      put(name, value)
      continue
    }
    const { attribute, member } = parseDotted(name, holder)
    if (attribute.kind === 'relation') put(attribute.name, targetsOf(attribute, member, value))
    else if (attribute.kind === 'media' && attribute.multiple) {
      put(
        attribute.name,
        asList(value).map((one) => ({ [member]: one })),
      )
    } else {
      const file = files.get(attribute.name) ?? {}
      if (!files.has(attribute.name)) put(attribute.name, file)
      files.set(attribute.name, file)
      file[member] = value
    }
  }
  return Object.fromEntries(expanded)
}

function isDotted(name: string, { attributes }: ShapePlan): boolean {
  return name.includes('.') && !attributes.has(name)
}

interface DottedMember {
  readonly attribute: AttributePlan
  readonly member: string
}

function parseDotted(name: string, { attributes }: ShapePlan): DottedMember {
  const [first = '', member = '', ...others] = name.split('.')
  const attribute = attributes.get(first)
  const isKnown = attribute?.kind === 'relation' || attribute?.kind === 'media'
  if (isKnown && member !== '' && others.length === 0) return { attribute, member }
  const hint = attribute === undefined ? didYouMean(first, attributes.keys()) : ''
  throw invalidMember(
    `Invalid key ${shownName(name)}: expected <relation>.<unique attribute> or <media>.path${hint}`,
  )
}

function targetsOf({ toMany }: RelationPlan, key: string, value: unknown): unknown {
  const targetOf = (one: unknown): unknown =>
    key === 'documentId' ? { documentId: one } : { key: { [key]: one } }
  if (Array.isArray(value)) return (value as readonly unknown[]).map(targetOf)
  if (value === null) return toMany ? [] : null
  return toMany ? [targetOf(value)] : targetOf(value)
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value]
}

function invalidMember(message: string): ValidationError {
  return new ValidationError(message, {}, { code: 'invalid_key' })
}
