import { findViews, readNewestToken } from '../../mongo/adopted/change-streams.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { ContentTypeDefinition, Definitions } from '../../schema/definition.ts'

/** Enters which adopted collections a change stream can follow. */
export async function markFollowed(
  database: Database,
  definitions: Definitions,
): Promise<Definitions> {
  const adopted = definitions.contentTypes.filter(({ adopt }) => adopt !== undefined)
  if (adopted.length === 0) return definitions
  const hasStreams = (await readNewestToken(database)) !== null
  const names = adopted.map(({ collectionName }) => collectionName)
  const views = hasStreams ? await findViews(database, names) : new Set(names)
  const contentTypes = definitions.contentTypes.map((type): ContentTypeDefinition => {
    if (type.adopt === undefined) return type
    const isFollowed = !views.has(type.collectionName)
    return { ...type, adopt: { ...type.adopt, isFollowed } }
  })
  return { ...definitions, contentTypes }
}
