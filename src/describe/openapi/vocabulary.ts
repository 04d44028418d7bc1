import { contentAction } from '../../people/access/actions.ts'
import type { Grants } from '../../people/access/principal.ts'
import type { Uid } from '../../schema/definition.ts'
import type { Schema } from '../../schema/plan.ts'
import type { JsonSchema } from './json-schema.ts'
import { nameSchemas } from './schema-names.ts'

/** The principal that a description is for, and the schemas that it names. */
export interface Vocabulary {
  readonly schema: Schema
  /** Whether the principal may do an action. */
  readonly may: (action: string) => boolean
  /** Whether the principal may `find` on a content-type: others are left out. */
  readonly mayRead: (uid: Uid) => boolean
  /** What a content-type or component is called: `Article`, `SharedSeo`. */
  readonly nameOf: (uid: Uid) => string
  /** Refers to a schema by its name; it is made the first time, and may refer to itself. */
  readonly refer: (name: string, make: () => JsonSchema) => JsonSchema
  /** Every schema that was referred to, by name. */
  readonly schemas: ReadonlyMap<string, JsonSchema>
}

/** `place` is where the named schemas will stand, such as `#/components/schemas/`. */
export function openVocabulary(
  schema: Schema,
  grants: Grants,
  place = '#/components/schemas/',
): Vocabulary {
  const names = nameSchemas(schema)
  const schemas = new Map<string, JsonSchema>()
  return {
    schema,
    schemas,
    may: (action) => grants.has(action),
    mayRead: (uid) => grants.has(contentAction({ uid }, 'find')),
    nameOf: (uid) => {
      const name = names.get(uid)
      if (name === undefined) throw new Error(`there is no ${uid}`)
      return name
    },
    refer: (name, make) => {
      if (!schemas.has(name)) {
        schemas.set(name, {}) // found again while it is made, it refers to itself
        schemas.set(name, make())
      }
      return { $ref: `${place}${name}` }
    },
  }
}
