import type { Document } from 'mongodb'
import { groupBy } from '../../base/group-by.ts'
import {
  type AttributePlan,
  type ContentTypePlan,
  isNesting,
  type ShapePlan,
} from '../../schema/plan.ts'
import { asVersion, type StoredVersion } from './stored-version.ts'
import { type Conversions, convertMembers } from './convert-row.ts'
import { type Convert, converterFor, LOST_VALUE } from './convert-value.ts'

const known = new WeakMap<ContentTypePlan, Conversions>()

/** A version of the history or of an earlier response, whose values may have the form of a former type. */
export function asPastVersion(plan: ContentTypePlan, row: Document): StoredVersion {
  const conversions = known.get(plan) ?? pastConversions(plan)
  known.set(plan, conversions)
  if (conversions.size === 0) return asVersion(plan, row)
  const changed = convertMembers(plan, row, conversions, new Map())
  return asVersion(plan, changed === null ? row : { ...row, ...changed })
}

function pastConversions(plan: ContentTypePlan): Conversions {
  const shapes = new Set<ShapePlan>()
  addShapes(plan, shapes)
  const found = [...shapes].flatMap((shape) =>
    [...shape.attributes.values()]
      .filter(({ formerTypes }) => formerTypes !== undefined)
      .map((attribute) => ({
        uid: shape.uid,
        stored: attribute.storedName,
        convert: pastConverter(attribute),
        removes: true,
      })),
  )
  return groupBy(found, ({ uid }) => uid)
}

function addShapes(shape: ShapePlan, shapes: Set<ShapePlan>): void {
  if (shapes.has(shape)) return
  shapes.add(shape)
  for (const attribute of [...shape.attributes.values()].filter(isNesting)) {
    const components =
      attribute.kind === 'component' ? [attribute.component()] : attribute.components().values()
    for (const component of components) addShapes(component, shapes)
  }
}

/** Drafts may contain texts and dates that their type refuses, so these stay. */
function pastConverter(attribute: AttributePlan): Convert {
  const convert = converterFor(attribute, [])
  return (value) => {
    const converted = convert(value)
    const isShowable = typeof value === 'string' || value instanceof Date
    return converted === LOST_VALUE && attribute.kind === 'scalar' && isShowable ? value : converted
  }
}
