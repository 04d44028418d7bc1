import { type Fault, fault, validationError } from '../../base/errors.ts'
import type { MediaPlan, RelationPlan } from '../../schema/plan.ts'
import { reasonOf, sentenceOf } from '../../schema/values/value-messages.ts'
import type { References } from './relation-change.ts'

/** Checks the merged value, because `{ set: [] }` and `{ disconnect }` can empty it. @throws ValidationError */
export function assertGiven(
  attribute: RelationPlan | MediaPlan,
  references: References,
  path: readonly string[],
): void {
  if (!attribute.required || (references !== null && references.length > 0)) return
  throw validationError([missing(path)])
}

function missing(path: readonly string[]): Fault {
  const place = path.map((key) => (/^\d+$/.test(key) ? Number(key) : key))
  const complaint = { code: 'any.null', path: place, context: {} }
  return fault(place, sentenceOf(complaint), null, reasonOf(complaint))
}
