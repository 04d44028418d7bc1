import { toStoredName } from '../schema/compile-attributes.ts'
import type { ScalarPlan, ShapePlan } from '../schema/plan.ts'

const AUTHOR_ATTRIBUTES: ReadonlyMap<string, ScalarPlan> = new Map(
  ['createdBy', 'updatedBy'].map((name) => [name, authorPlan(name)]),
)

/** Compares the id of the author, which is unique among users and administrators. Null for other names. */
export function authorAttribute(name: string, holder: ShapePlan): ScalarPlan | null {
  return 'draftAndPublish' in holder ? (AUTHOR_ATTRIBUTES.get(name) ?? null) : null
}

function authorPlan(name: string): ScalarPlan {
  const plan: ScalarPlan = {
    kind: 'scalar',
    name,
    storedName: toStoredName(`${name}.id`),
    formerNames: [],
    type: 'string',
    system: true,
    private: true,
    required: false,
    localized: true,
    unique: false,
    onRequest: false,
    searchable: false,
    default: undefined,
    limits: {},
  }
  return Object.freeze(plan)
}
