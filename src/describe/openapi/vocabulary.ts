import { contentAction, type ContentVerb, contentVerbs } from '../../people/access/actions.ts'
import type { Grants } from '../../people/access/principal.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { JsonSchema } from './json-schema.ts'
import { nameSchemas } from './schema-names.ts'

export interface Vocabulary {
  readonly schema: Schema
  readonly may: (action: string) => boolean
  /** Whether the principal may `find` entries of a content-type. Other types are omitted. */
  readonly mayRead: (uid: Uid) => boolean
  readonly nameOf: (uid: Uid) => string
  /** Returns a reference to a named schema, which is built on first use and may be recursive. */
  readonly refer: (name: string, make: () => JsonSchema) => JsonSchema
  readonly schemas: ReadonlyMap<string, JsonSchema>
}

/** Root has every permission, also on types that are only read. */
export function permits(
  { may }: Pick<Vocabulary, 'may'>,
  plan: ContentTypePlan,
  verb: ContentVerb,
): boolean {
  return contentVerbs(plan).includes(verb) && may(contentAction(plan, verb))
}

/** `place` is the prefix of references, such as `#/components/schemas/`. */
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
        schemas.set(name, {}) // a recursive reference finds it during construction
        schemas.set(name, make())
      }
      return { $ref: `${place}${name}` }
    },
  }
}
