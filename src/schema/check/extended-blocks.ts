import type { AttributeDefinition } from '../definition.ts'
import type { Declaration } from './to-definitions.ts'

/** Attributes get the option `blocks` of their type or component. A component has its own option. */
export function withBlocksOption(
  attribute: unknown,
  { blocks }: NonNullable<Declaration['options']> = {},
): AttributeDefinition {
  const definition = attribute as AttributeDefinition
  if (definition.type !== 'blocks') return definition
  const { extended: _own, ...rest } = definition
  return { ...rest, ...(blocks === 'extended' && { extended: true }) }
}
