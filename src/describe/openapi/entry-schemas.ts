import { hasLocalizations, LOCALIZATIONS } from '../../query/localizations.ts'
import type {
  ShapePlan,
  AttributePlan,
  ComponentPlan,
  ContentTypePlan,
  RelationPlan,
} from '../../schema/plan.ts'
import { described, type JsonSchema, arraySchema, objectOf, orNull, TEXT } from './json-schema.ts'
import { shownScalar } from './scalar-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

type Properties = Record<string, JsonSchema>

/** An entry in a response. `id` and `documentId` are always present. `fields` and `populate` select the rest. */
export function entrySchema(vocabulary: Vocabulary, plan: ContentTypePlan): JsonSchema {
  return vocabulary.refer(vocabulary.nameOf(plan.uid), () =>
    objectOf(entryProperties(vocabulary, plan), ['id', 'documentId']),
  )
}

export function entryProperties(vocabulary: Vocabulary, plan: ContentTypePlan): Properties {
  const properties = memberProperties(vocabulary, plan)
  if (hasLocalizations(plan)) {
    properties[LOCALIZATIONS] = described(
      arraySchema(entrySchema(vocabulary, plan)),
      'The other locales of this entry; included with `populate`',
    )
  }
  if (plan.users !== undefined) properties['related'] = arraySchema(USER_OF_FILE)
  return properties
}

const USER_OF_FILE: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'integer' }, documentId: TEXT, __type: TEXT },
  required: ['id', 'documentId', '__type'],
}

function componentSchema(vocabulary: Vocabulary, plan: ComponentPlan): JsonSchema {
  return vocabulary.refer(vocabulary.nameOf(plan.uid), () =>
    objectOf(memberProperties(vocabulary, plan), ['id']),
  )
}

function elementSchema(vocabulary: Vocabulary, plan: ComponentPlan): JsonSchema {
  return vocabulary.refer(`${vocabulary.nameOf(plan.uid)}_Element`, () =>
    objectOf(
      {
        __component: { type: 'string', const: plan.uid },
        ...memberProperties(vocabulary, plan),
      },
      ['__component', 'id'],
    ),
  )
}

function memberProperties(vocabulary: Vocabulary, holder: ShapePlan): Properties {
  const properties: Properties = {}
  for (const member of holder.members.values()) {
    const schema = member.private ? null : memberSchema(vocabulary, member)
    if (schema !== null) properties[member.name] = schema
  }
  return properties
}

function memberSchema(vocabulary: Vocabulary, member: AttributePlan): JsonSchema | null {
  switch (member.kind) {
    case 'scalar':
      return shownScalar(vocabulary, member)
    case 'relation':
      return isDescribed(vocabulary, member)
        ? oneOrMany(entrySchema(vocabulary, member.target()), member.toMany)
        : null
    case 'component':
      return oneOrMany(componentSchema(vocabulary, member.component()), member.repeatable)
    case 'dynamiczone':
      return arraySchema(anyElement(member.components(), (plan) => elementSchema(vocabulary, plan)))
    case 'media': {
      const files = oneOrMany(entrySchema(vocabulary, member.files.target()), member.multiple)
      return member.multiple ? orNull(files) : files
    }
  }
}

export function isDescribed(vocabulary: Vocabulary, relation: RelationPlan): boolean {
  return !relation.private && relation.unshown !== true && vocabulary.mayRead(relation.targetUid)
}

function oneOrMany(schema: JsonSchema, many: boolean): JsonSchema {
  return many ? arraySchema(schema) : orNull(schema)
}

export function anyElement(
  components: ReadonlyMap<string, ComponentPlan>,
  schemaOf: (plan: ComponentPlan) => JsonSchema,
): JsonSchema {
  const schemas = [...components].map(([uid, plan]) => [uid, schemaOf(plan)] as const)
  if (schemas.length === 0) return objectOf({})
  const mapping = Object.fromEntries(schemas.map(([uid, schema]) => [uid, schema['$ref']]))
  return {
    oneOf: schemas.map(([, schema]) => schema),
    discriminator: { propertyName: '__component', mapping },
  }
}
