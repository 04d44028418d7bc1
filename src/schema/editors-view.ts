import type { AttributeDefinition, Definitions } from './definition.ts'

/** Private attributes become visible, except passwords and those of built-in types. */
export function editorsView({ contentTypes, components, ...rest }: Definitions): Definitions {
  return {
    ...rest,
    contentTypes: contentTypes.map((type) => (type.uid.startsWith('api::') ? opened(type) : type)),
    components: components.map(opened),
  }
}

function opened<T extends { readonly attributes: Readonly<Record<string, AttributeDefinition>> }>(
  holder: T,
): T {
  const attributes = Object.entries(holder.attributes).map(
    ([name, attribute]): [string, AttributeDefinition] => [name, { ...attribute, private: false }],
  )
  return { ...holder, attributes: Object.fromEntries(attributes) }
}
