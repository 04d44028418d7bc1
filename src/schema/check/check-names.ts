import { RESERVED_ROUTES } from '@quire/schema/names'
import type { ContentTypeDefinition, DeclarationFault } from '../definition.ts'
import { declarationFault } from './declaration-fault.ts'

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
  const path = `info.${key}`
  if (!ROUTE_NAME.test(type[key])) {
    return [declarationFault(path, 'declare.routeForm', { name: type[key] })]
  }
  const name = type[key].toLowerCase()
  const isServed = key === (type.kind === 'singleType' ? 'singularName' : 'pluralName')
  if (isServed && RESERVED_ROUTES.has(name)) {
    return [declarationFault(path, 'declare.routeReserved', { name })]
  }
  const other = others.find((one) => {
    const names = isBuiltIn(one) ? [] : [one.singularName, one.pluralName]
    return names.some((taken) => taken.toLowerCase() === name)
  })
  if (other === undefined) return []
  return [declarationFault(path, 'declare.routeTaken', { name: type[key], type: other.uid })]
}

const OWN_COLLECTION = /^quire_/i

function collectionFaults(
  { collectionName: name, adopt }: ContentTypeDefinition,
  others: readonly ContentTypeDefinition[],
): readonly DeclarationFault[] {
  const path = adopt === undefined ? 'collectionName' : 'adopt.collection'
  if (OWN_COLLECTION.test(name)) {
    return [declarationFault(path, 'declare.collectionReserved', { name })]
  }
  const other = others.find((one) => one.collectionName.toLowerCase() === name.toLowerCase())
  if (other === undefined) return []
  const params = { name, type: other.uid }
  return [declarationFault(path, 'declare.collectionTaken', params)]
}

function isBuiltIn({ uid }: ContentTypeDefinition): boolean {
  return uid.startsWith('plugin::')
}
