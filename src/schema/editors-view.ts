import type { AttributeDefinition, Definitions } from './definition.ts'

/**
 * The definitions as editors see them: private attributes are readable and writable, except passwords. Private
 * attributes of the built-in types (`plugin::…`) stay private.
 */
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
