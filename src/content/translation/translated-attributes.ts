import {
  type AttributePlan,
  isNesting,
  type NestingPlan,
  type ScalarPlan,
  type ShapePlan,
} from '../../schema/plan.ts'

export type TextPlan = ScalarPlan & { readonly type: 'string' | 'text' | 'richtext' | 'blocks' }

const TEXT_TYPES: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'blocks'])

export function isText(attribute: AttributePlan): attribute is TextPlan {
  return attribute.kind === 'scalar' && TEXT_TYPES.has(attribute.type)
}

/** Localized texts, and components that can hold texts. Private attributes are not for translators. */
export function translatedAttributes(
  shape: ShapePlan,
  { localizedOnly = false } = {},
): readonly (TextPlan | NestingPlan)[] {
  return [...shape.attributes.values()].flatMap(
    (attribute): readonly (TextPlan | NestingPlan)[] => {
      const isOpen = !attribute.private && attribute.writable !== false
      if (!isOpen || (localizedOnly && !attribute.localized)) return []
      if (isText(attribute)) return attribute.system || attribute.computed ? [] : [attribute]
      return isNesting(attribute) ? [attribute] : []
    },
  )
}
