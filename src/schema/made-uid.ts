import type { AttributePlan, ScalarPlan } from './plan.ts'

/** A uid that a new document may leave out: the server makes it from another attribute. */
export type MadeUid = ScalarPlan & { readonly targetField: string }

export function isMadeUid(attribute: AttributePlan): attribute is MadeUid {
  return (
    attribute.kind === 'scalar' &&
    attribute.targetField !== undefined &&
    attribute.writable !== false
  )
}
