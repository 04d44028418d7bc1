import { once } from '../base/once.ts'
import { type ComponentPlan, isNesting, type ShapePlan } from './plan.ts'

export function byStoredName({
  attributes,
  members,
}: Members): Pick<ShapePlan, 'stored' | 'isRenamed'> {
  const own = [...attributes.values()]
  return {
    stored: new Map(own.map((attribute) => [attribute.storedName, attribute])),
    isRenamed: once(() => hasRenamed({ members }, new Set())),
  }
}

type Members = Pick<ShapePlan, 'attributes' | 'members'>

function hasRenamed({ members }: Pick<Members, 'members'>, seen: Set<ComponentPlan>): boolean {
  return [...members.values()].some((attribute) => {
    if (attribute.storedName !== attribute.name) return true
    if (!isNesting(attribute)) return false
    const components =
      attribute.kind === 'component' ? [attribute.component()] : attribute.components().values()
    return [...components].some((component) => {
      if (attribute.kind === 'dynamiczone' && component.storedUid !== component.uid) return true
      if (seen.has(component)) return false
      seen.add(component)
      return hasRenamed(component, seen)
    })
  })
}
