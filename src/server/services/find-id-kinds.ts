import { findIdKind } from '../../mongo/adopted/find-id-kind.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { ContentTypeDefinition, Definitions } from '../../schema/definition.ts'

interface FoundKinds {
  readonly definitions: Definitions
  readonly faults: readonly string[]
}

/** Enters the form of the ids of each adopted collection. A collection with several forms is a fault. */
export async function findIdKinds(
  database: Database,
  definitions: Definitions,
): Promise<FoundKinds> {
  const faults: string[] = []
  const contentTypes: ContentTypeDefinition[] = []
  for (const type of definitions.contentTypes) {
    const { adopt, file, collectionName } = type
    if (adopt === undefined) {
      contentTypes.push(type)
      continue
    }
    const found = await findIdKind(database, collectionName)
    if (found.fault !== null) faults.push(`${file}: adopt.collection: ${found.fault}`)
    const idKind = found.kind === null ? {} : { idKind: found.kind }
    contentTypes.push({ ...type, adopt: { ...adopt, ...idKind } })
  }
  return { definitions: { ...definitions, contentTypes }, faults }
}
