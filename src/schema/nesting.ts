import type { Data } from './definition.ts'
import type {
  AttributePlan,
  ComponentAttributePlan,
  ComponentPlan,
  DynamicZonePlan,
} from './plan.ts'

export type NestingPlan = ComponentAttributePlan | DynamicZonePlan

export function isNesting(attribute: AttributePlan): attribute is NestingPlan {
  return attribute.kind === 'component' || attribute.kind === 'dynamiczone'
}

export function componentOf(attribute: NestingPlan, element: Data): ComponentPlan | undefined {
  return attribute.kind === 'component'
    ? attribute.component()
    : attribute.components().get(String(element['__component']))
}
