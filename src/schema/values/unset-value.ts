import type { AttributePlan } from '../plan.ts'

/**
 * A required list of components is null, because publishing distinguishes it from an empty list.
 */
export function unsetValue(attribute: AttributePlan): null | readonly never[] {
  switch (attribute.kind) {
    case 'scalar':
      return null
    case 'relation':
      return emptyList(attribute.toMany)
    case 'media':
      return emptyList(attribute.multiple)
    case 'component':
      return emptyList(attribute.repeatable && !attribute.required)
    case 'dynamiczone':
      return emptyList(!attribute.required)
  }
}

function emptyList(isList: boolean): null | readonly never[] {
  return isList ? [] : null
}
