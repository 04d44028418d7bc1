import type { AttributeDefinition, Definitions } from './definition.ts'

/**
 * What is declared, as whoever writes it sees it: what is private to everybody else is shown and written like anything,
 * passwords excepted. What the server keeps to itself (`plugin::…`) stays private.
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
