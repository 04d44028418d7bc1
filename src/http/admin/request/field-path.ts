import type { AttributePlan, ShapePlan } from '../../../schema/plan.ts'

const MAX_STEPS = 16
const INDEX = /^\d{1,5}$/

/** Whether the path names an attribute, as `title`, `sections.0` and `sections.0.title` do. */
export function isFieldPath(shape: Pick<ShapePlan, 'attributes'>, path: string): boolean {
  const steps = path.split('.')
  return steps.length <= MAX_STEPS && isFieldIn(shape, steps)
}

function isFieldIn(
  { attributes }: Pick<ShapePlan, 'attributes'>,
  [name = '', ...rest]: readonly string[],
): boolean {
  const attribute = attributes.get(name)
  return attribute !== undefined && (rest.length === 0 || isFieldWithin(attribute, rest))
}

function isFieldWithin(attribute: AttributePlan, steps: readonly string[]): boolean {
  if (attribute.kind !== 'component' && attribute.kind !== 'dynamiczone') return false
  const isList = attribute.kind === 'dynamiczone' || attribute.repeatable
  if (isList && !INDEX.test(steps[0] ?? '')) return false
  const within = isList ? steps.slice(1) : steps
  if (within.length === 0) return true
  const shapes =
    attribute.kind === 'component' ? [attribute.component()] : [...attribute.components().values()]
  return shapes.some((shape) => isFieldIn(shape, within))
}
