import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  Definitions,
  Uid,
} from '../definition.ts'
import type { HolderNames } from './enter-holders.ts'
import type { Ledger } from './ledger.ts'

/**
 * Content-types get the uid and the collection that they have in the database, and relations their targets. Components
 * keep their uids, because clients see them, and get their stored ones besides.
 */
export function withStoredHolders(
  definitions: Definitions,
  { uids, collections }: HolderNames,
  ledger: Pick<Ledger, 'types' | 'components'>,
): Definitions {
  const formerOf = (
    kept: Uid,
    { uid, from = [] }: { readonly uid: Uid; readonly from?: readonly Uid[] },
  ): { readonly formerUids?: readonly Uid[] } => {
    const names = [...from, ...(columnOf(ledger, kept)?.names ?? [])]
    const formerUids = [...new Set(names)].filter((name) => name !== uid)
    return formerUids.length === 0 ? {} : { formerUids }
  }
  const inDatabase = (uid: Uid): Uid => uids[uid] ?? uid
  return {
    ...definitions,
    contentTypes: definitions.contentTypes.map((type): ContentTypeDefinition => {
      const uid = inDatabase(type.uid)
      return {
        ...type,
        uid,
        collectionName: collections[uid] ?? type.collectionName,
        ...(uid !== type.uid && { declaredUid: type.uid }),
        ...formerOf(uid, type),
        attributes: withStoredTargets(type.attributes, inDatabase),
      }
    }),
    components: definitions.components.map((component): ComponentDefinition => {
      const storedUid = inDatabase(component.uid)
      return {
        ...component,
        ...(storedUid !== component.uid && { storedUid }),
        ...formerOf(storedUid, component),
        attributes: withStoredTargets(component.attributes, inDatabase),
      }
    }),
  }
}

function columnOf({ types, components }: Pick<Ledger, 'types' | 'components'>, kept: Uid) {
  const { columns } = kept.includes('::') ? types : components
  return columns.find(({ stored }) => stored === kept)
}

type Attributes = Readonly<Record<string, AttributeDefinition>>

export function withStoredTargets(
  attributes: Attributes,
  inDatabase: (uid: Uid) => Uid,
): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]): [string, AttributeDefinition] => [
      name,
      attribute.type === 'relation'
        ? { ...attribute, target: inDatabase(attribute.target) }
        : attribute,
    ]),
  )
}
