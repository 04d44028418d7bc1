import { didYouMean } from '../../base/near-miss.ts'
import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclarationFault,
} from '../definition.ts'

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
    const problem =
      rest.length > 0
        ? 'leads through more than one relation or component'
        : problemOf(name, inner, attributes, known)
    return problem === null ? [] : [{ path: `options.api.filterable.${position}`, problem }]
  })
}

function problemOf(
  name: string,
  inner: string | undefined,
  attributes: Readonly<Record<string, AttributeDefinition>>,
  known: DeclaredShapes,
): string | null {
  if (inner === undefined) return missing(name, scalarNames(attributes))
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  const names = attribute === undefined ? null : namesBelow(attribute, known)
  return names === null ? `there is no relation or component ${name}` : missing(inner, names)
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

function missing(name: string, names: Names): string | null {
  if (names.has(name)) return null
  return `there is no attribute ${name} that compares${didYouMean(name, [...names])}`
}
