import type { AttributePlan, ScalarPlan } from './plan.ts'

export type MadeUid = ScalarPlan & { readonly targetField: string }

export function isMadeUid(attribute: AttributePlan): attribute is MadeUid {
  return (
    attribute.kind === 'scalar' &&
    attribute.targetField !== undefined &&
    attribute.writable !== false
  )
}
