import type { Document } from 'mongodb'
import type { Data, Uid } from '../../schema/definition.ts'
import { isNesting, type NestingPlan, type ShapePlan } from '../../schema/plan.ts'
import { storedComponentOf } from './row-names.ts'
import { type Convert, LOST_VALUE, NO_ZONE } from './convert-value.ts'

/** The conversion of one attribute of a content-type or component. */
export interface AttributeConversion {
  /** The uid of the plan that has the attribute. */
  readonly uid: Uid
  readonly stored: string
  readonly convert: Convert
  /** Whether null replaces a value that does not fit. */
  readonly removes: boolean
}

export interface ConversionTally {
  values: number
  rewritten: number
  lost: number
  /** Dates without a time zone. */
  unzoned: number
}

export type Tallies = Map<AttributeConversion, ConversionTally>

export type Conversions = ReadonlyMap<Uid, readonly AttributeConversion[]>

/** Returns the converted members, or null if all stay the same. Adds to the tallies. */
export function convertMembers(
  plan: ShapePlan,
  values: Document,
  conversions: Conversions,
  tallies: Tallies,
): Document | null {
  const changed: Document = {}
  for (const one of conversions.get(plan.uid) ?? []) {
    const value: unknown = values[one.stored] ?? null
    const converted = judgeValue(plan, one, value, tallies)
    if (converted !== value) changed[one.stored] = converted
  }
  for (const attribute of [...plan.attributes.values()].filter(isNesting)) {
    const { storedName } = attribute
    const value: unknown = storedName in changed ? changed[storedName] : values[storedName]
    const converted = convertElements(attribute, value, conversions, tallies)
    if (converted !== value) changed[storedName] = converted
  }
  return Object.keys(changed).length === 0 ? null : changed
}

function convertElements(
  attribute: NestingPlan,
  value: unknown,
  conversions: Conversions,
  tallies: Tallies,
): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((one) => convertElements(attribute, one, conversions, tallies))
    return elements.some((one, place) => one !== value[place]) ? elements : value
  }
  if (typeof value !== 'object' || value === null) return value
  const element = value as Data
  const component = storedComponentOf(attribute, element)
  if (component === undefined) return value
  const changed = convertMembers(component, element, conversions, tallies)
  return changed === null ? value : { ...element, ...changed }
}

/** Each element of a dynamic zone is a value. */
function judgeValue(
  plan: ShapePlan,
  one: AttributeConversion,
  value: unknown,
  tallies: Tallies,
): unknown {
  const isZone = plan.stored.get(one.stored)?.kind === 'dynamiczone'
  if (!isZone || !Array.isArray(value)) return judge(one, value, tallies)
  const kept = value
    .map((element: unknown) => judge(one, element, tallies))
    .filter((element) => element !== null)
  return kept.length === value.length ? value : kept
}

function judge(one: AttributeConversion, value: unknown, tallies: Tallies): unknown {
  if (value === null) return null
  const tally = tallies.get(one) ?? { values: 0, rewritten: 0, lost: 0, unzoned: 0 }
  tallies.set(one, tally)
  const converted = one.convert(value)
  tally.values += 1
  if (converted === NO_ZONE) {
    tally.unzoned += 1
    return value
  }
  if (converted === LOST_VALUE) {
    tally.lost += 1
    return one.removes ? null : value
  }
  if (converted !== value) tally.rewritten += 1
  return converted
}
