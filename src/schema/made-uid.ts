import type { AttributePlan, ScalarPlan } from './plan.ts'

/** A uid that the server generates from another attribute if a new document omits it. */
export type MadeUid = ScalarPlan & { readonly targetField: string }

export function isMadeUid(attribute: AttributePlan): attribute is MadeUid {
  return (
    attribute.kind === 'scalar' &&
    attribute.targetField !== undefined &&
    attribute.writable !== false
  )
}
