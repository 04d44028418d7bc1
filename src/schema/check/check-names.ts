import { RESERVED_ROUTES } from '@quire/schema/names'
import type { ContentTypeDefinition, DeclarationFault } from '../definition.ts'

const ROUTE_NAME = /^[A-Za-z][A-Za-z0-9-]*$/

export function findNameFaults(
  type: ContentTypeDefinition,
  all: readonly ContentTypeDefinition[],
): readonly DeclarationFault[] {
  if (isBuiltIn(type)) return []
  const others = all.filter((other, index) => isBuiltIn(other) || index < all.indexOf(type))
  return [
    ...routeFaults('singularName', type, others),
    ...routeFaults('pluralName', type, others),
    ...collectionFaults(type, others),
  ]
}

function routeFaults(
  key: 'singularName' | 'pluralName',
  type: ContentTypeDefinition,
  others: readonly ContentTypeDefinition[],
): readonly DeclarationFault[] {
  if (!ROUTE_NAME.test(type[key])) {
    const problem = `${type[key]} is no name for a path: it takes letters, digits and hyphens`
    return [{ path: `info.${key}`, problem }]
  }
  const name = type[key].toLowerCase()
  const isServed = key === (type.kind === 'singleType' ? 'singularName' : 'pluralName')
  if (isServed && RESERVED_ROUTES.has(name)) {
    return [
      {
        path: `info.${key}`,
        problem: `/api/${name} is taken by the server itself; choose another name`,
      },
    ]
  }
  const other = others.find((one) => {
    const names = isBuiltIn(one) ? [] : [one.singularName, one.pluralName]
    return names.some((taken) => taken.toLowerCase() === name)
  })
  if (other === undefined) return []
  return [{ path: `info.${key}`, problem: `${type[key]} is a name of ${other.uid} already` }]
}

const OWN_COLLECTION = /^quire_/i

function collectionFaults(
  { collectionName }: ContentTypeDefinition,
  others: readonly ContentTypeDefinition[],
): readonly DeclarationFault[] {
  if (OWN_COLLECTION.test(collectionName)) {
    const problem = `${collectionName}: collections that begin with quire_ are the server's own; choose another`
    return [{ path: 'collectionName', problem }]
  }
  const other = others.find(
    (one) => one.collectionName.toLowerCase() === collectionName.toLowerCase(),
  )
  if (other === undefined) return []
  const problem = `${collectionName} is the collection of ${other.uid} already; choose another`
  return [{ path: 'collectionName', problem }]
}

function isBuiltIn({ uid }: ContentTypeDefinition): boolean {
  return uid.startsWith('plugin::')
}
