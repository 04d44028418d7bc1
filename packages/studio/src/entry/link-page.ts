import type { Data } from './data.ts'
import type { QueryValue } from '../api/request.ts'
import type { Address } from './address.ts'
import type { Attribute, Attributes, Components } from '../api/attributes.ts'
import { type ComponentValue, componentUid, listOf, type FormValues } from './values.ts'

/** The values that an address leads through. */
export interface PopulatedValues {
  readonly attributes: Attributes
  readonly values: FormValues
  readonly components: Components
}

/** A populate parameter that requests only the relation at an address. */
export function populateAt(held: PopulatedValues, address: Address, inner: QueryValue): QueryValue {
  const [name = ''] = address
  const step = stepInto(held, address)
  if (step === null) return { [name]: inner }
  const populate = populateAt(step.held, step.rest, inner)
  return {
    [name]:
      step.attribute.type === 'dynamiczone' ? { on: { [step.uid]: { populate } } } : { populate },
  }
}

/** Reads the relation from the response; undefined if a component on the way no longer exists. */
export function answeredAt(held: PopulatedValues, address: Address, entry: Data): unknown {
  const [name = ''] = address
  const step = stepInto(held, address)
  if (step === null) return entry[name]
  const element = (listOf(entry[name]) as readonly Data[]).find(
    (one) => one['id'] === step.id && componentUid(step.attribute, one) === step.uid,
  )
  return element === undefined ? undefined : answeredAt(step.held, step.rest, element)
}

interface Step {
  readonly attribute: Attribute
  readonly uid: string
  readonly id: number | undefined
  readonly held: PopulatedValues
  readonly rest: Address
}

function stepInto(
  { attributes, values, components }: PopulatedValues,
  address: Address,
): Step | null {
  const [name = '', key, ...within] = address
  const attribute = attributes[name]
  if (attribute?.type !== 'component' && attribute?.type !== 'dynamiczone') return null
  const value = values[name]
  const isList = Array.isArray(value)
  const element = (listOf(value) as readonly ComponentValue[]).find(
    (one) => !isList || one.$key === key,
  )
  if (element === undefined) return null
  const uid = componentUid(attribute, element)
  return {
    attribute,
    uid,
    id: element.id,
    held: { attributes: components.get(uid)?.attributes ?? {}, values: element, components },
    rest: isList ? within : address.slice(1),
  }
}
