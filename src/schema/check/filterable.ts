import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclarationFault,
} from '../definition.ts'
import { declarationFault, suggest } from './declaration-fault.ts'

type Names = ReadonlySet<string>

const SYSTEM = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']

interface DeclaredShapes {
  readonly contentTypes: readonly ContentTypeDefinition[]
  readonly components: readonly ComponentDefinition[]
}

export function findFilterableFaults(
  { attributes, filterable = [] }: ContentTypeDefinition,
  known: DeclaredShapes,
): readonly DeclarationFault[] {
  return filterable.flatMap((path, position) => {
    const [name = '', inner, ...rest] = path.split('.')
    const at = `options.api.filterable.${position}`
    if (rest.length > 0) return [declarationFault(at, 'declare.filterDepth')]
    return faultsAt(at, [name, inner], attributes, known)
  })
}

function faultsAt(
  at: string,
  [name, inner]: readonly [name: string, inner: string | undefined],
  attributes: Readonly<Record<string, AttributeDefinition>>,
  known: DeclaredShapes,
): readonly DeclarationFault[] {
  if (inner === undefined) return missing(at, name, scalarNames(attributes))
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  const names = attribute === undefined ? null : namesBelow(attribute, known)
  return names === null
    ? [declarationFault(at, 'declare.filterHolder', { name })]
    : missing(at, inner, names)
}

function namesBelow(
  attribute: AttributeDefinition,
  { contentTypes, components }: DeclaredShapes,
): Names | null {
  if (attribute.type === 'relation') {
    const target = contentTypes.find(({ uid }) => uid === attribute.target)
    return scalarNames(target?.attributes ?? {})
  }
  if (attribute.type !== 'component') return null
  const component = components.find(({ uid }) => uid === attribute.component)
  return scalarNames(component?.attributes ?? {})
}

function scalarNames(attributes: Readonly<Record<string, AttributeDefinition>>): Names {
  const own = Object.entries(attributes).filter(
    ([, { type }]) => !['relation', 'component', 'dynamiczone', 'media'].includes(type),
  )
  return new Set([...SYSTEM, ...own.map(([name]) => name)])
}

function missing(at: string, name: string, names: Names): readonly DeclarationFault[] {
  if (names.has(name)) return []
  return [declarationFault(at, 'declare.filterName', { name, ...suggest(name, names) })]
}
