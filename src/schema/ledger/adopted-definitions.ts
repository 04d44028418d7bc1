import type { ContentTypeDefinition, Definitions, Uid } from '../definition.ts'
import { withStoredTargets } from './stored-holders.ts'

interface Separated {
  readonly managed: Definitions
  readonly adopted: readonly ContentTypeDefinition[]
}

/** The ledger has no names of adopted types, because their documents have the names of another service. */
export function separateAdopted(declared: Definitions): Separated {
  const { contentTypes } = declared
  return {
    managed: { ...declared, contentTypes: contentTypes.filter(({ adopt }) => adopt === undefined) },
    adopted: contentTypes.filter(({ adopt }) => adopt !== undefined),
  }
}

/** An adopted type has no name in the ledger, so its collection identifies it as a target. */
export function targetsIn(adopted: readonly ContentTypeDefinition[]): (uid: Uid) => Uid {
  const collections = new Map(
    adopted.map(({ uid, collectionName }) => [uid, `collection ${collectionName}`]),
  )
  return (uid) => collections.get(uid) ?? uid
}

/** Adds the adopted types to the definitions of the database, to which their relations lead. */
export function withAdopted(
  definitions: Definitions,
  adopted: readonly ContentTypeDefinition[],
): Definitions {
  if (adopted.length === 0) return definitions
  const stored = new Map(
    definitions.contentTypes.map(({ uid, declaredUid = uid }) => [declaredUid, uid]),
  )
  const inDatabase = (uid: Uid): Uid => stored.get(uid) ?? uid
  const own = adopted.map((type) => ({
    ...type,
    attributes: withStoredTargets(type.attributes, inDatabase),
  }))
  return { ...definitions, contentTypes: [...definitions.contentTypes, ...own] }
}

/** A managed type may have kept the uid or the collection that its first release gave it. */
export function findTakenByManaged(
  { contentTypes }: Definitions,
  adopted: readonly ContentTypeDefinition[],
): readonly string[] {
  return adopted.flatMap(({ file, uid, collectionName }) => {
    const holder = contentTypes.find(
      (one) => one.collectionName.toLowerCase() === collectionName.toLowerCase(),
    )
    const same = contentTypes.find((one) => one.uid === uid)
    return [
      ...(holder === undefined
        ? []
        : [`${file}: adopt.collection: ${collectionName} is the collection of ${holder.uid}`]),
      ...(same === undefined
        ? []
        : [
            `${file}: info.singularName: ${same.declaredUid ?? uid} has the uid ${uid} since its first release`,
          ]),
    ]
  })
}
