import { SchemaError } from '../../schema/schema-error.ts'
import { loadSchema } from '../../server/services/load-schema.ts'
import { type CustomCode, findCustomCode } from './custom-code.ts'
import { findStrapiPackages } from './strapi-packages.ts'

export interface ProjectCheck {
  readonly types: readonly ProjectType[]
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
  readonly customCode: readonly CustomCode[]
}

interface ProjectType {
  readonly uid: string
  readonly kind: string
  readonly attributes: number
  readonly draftAndPublish: boolean
  readonly localized: boolean
}

export async function checkProject(folder: string): Promise<ProjectCheck> {
  const customCode = [...(await findCustomCode(folder)), ...(await findStrapiPackages(folder))]
  try {
    const { contentTypes, warnings } = await loadSchema(folder)
    const types = [...contentTypes.values()]
      .filter(({ uid }) => uid.startsWith('api::'))
      .map(({ uid, kind, attributes, draftAndPublish, localized }) => {
        return { uid, kind, attributes: attributes.size, draftAndPublish, localized }
      })
    return { types, faults: [], warnings, customCode }
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { types: [], faults: error.faults, warnings: [], customCode }
  }
}
