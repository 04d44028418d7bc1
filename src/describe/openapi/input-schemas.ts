import {
  type AttributePlan,
  type ComponentPlan,
  type ContentTypePlan,
  isMadeUid,
  isRequiredInWrites,
  type ShapePlan,
} from '../../schema/plan.ts'
import { anyElement } from './entry-schemas.ts'
import {
  FLAG,
  INTEGER,
  type JsonSchema,
  arraySchema,
  objectOf,
  orNull,
  TEXT,
} from './json-schema.ts'
import { givenScalar } from './scalar-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

type Properties = Record<string, JsonSchema>

export function createSchema(vocabulary: Vocabulary, plan: ContentTypePlan): JsonSchema {
  if (plan.draftAndPublish) return inputSchema(vocabulary, plan)
  const aliased = new Set([...plan.members.values()].map(({ aliasOf }) => aliasOf))
  const required = [...plan.attributes.values()]
    .filter((attribute) => isAsked(vocabulary, attribute) && !aliased.has(attribute.name))
    .map(({ name }) => name)
  if (required.length === 0) return inputSchema(vocabulary, plan)
  return vocabulary.refer(`${vocabulary.nameOf(plan.uid)}_Create`, () =>
    objectOf(contentProperties(vocabulary, plan), required),
  )
}

export function attributeInputs(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  attributes: readonly AttributePlan[],
): { readonly properties: Properties; readonly required: readonly string[] } {
  const some = new Map(attributes.map((attribute) => [attribute.name, attribute]))
  return {
    properties: givenProperties(vocabulary, { ...plan, attributes: some }, false),
    required: attributes.filter((one) => isAsked(vocabulary, one)).map(({ name }) => name),
  }
}

export function inputSchema(vocabulary: Vocabulary, plan: ContentTypePlan): JsonSchema {
  return vocabulary.refer(`${vocabulary.nameOf(plan.uid)}_Input`, () =>
    objectOf(contentProperties(vocabulary, plan)),
  )
}

function isAsked(vocabulary: Vocabulary, attribute: AttributePlan): boolean {
  const { writable = true } = attribute
  const hasDefault = attribute.kind === 'scalar' && attribute.default !== undefined
  const isInverse = attribute.kind === 'relation' && attribute.side === 'inverse'
  const isTold = givenSchema(vocabulary, attribute, false) !== null
  const isOptional = hasDefault || isInverse || isMadeUid(attribute)
  return isRequiredInWrites(attribute) && writable && !isOptional && isTold
}

function contentProperties(vocabulary: Vocabulary, plan: ContentTypePlan): Properties {
  return {
    ...givenProperties(vocabulary, plan, plan.draftAndPublish),
    locale: {
      type: ['string', 'null'],
      description: plan.localized
        ? 'The locale to create, if the `locale` parameter is omitted'
        : 'Ignored; accepted so that clients can send back a response',
    },
    publishedAt: { description: 'Ignored; accepted so that clients can send back a response' },
  }
}

function givenProperties(
  vocabulary: Vocabulary,
  holder: ShapePlan,
  mayBeUnfinished: boolean,
): Properties {
  const properties: Properties = {}
  const aliases = [...holder.members.values()].filter(
    ({ aliasOf }) => aliasOf !== undefined && holder.attributes.has(aliasOf),
  )
  for (const attribute of [...holder.attributes.values(), ...aliases]) {
    const schema = givenSchema(vocabulary, attribute, mayBeUnfinished)
    if (schema !== null && attribute.writable !== false) properties[attribute.name] = schema
  }
  return properties
}

function givenSchema(
  vocabulary: Vocabulary,
  attribute: AttributePlan,
  mayBeUnfinished: boolean,
): JsonSchema | null {
  switch (attribute.kind) {
    case 'scalar':
      return givenScalar(vocabulary, attribute, mayBeUnfinished)
    case 'relation':
      if (!vocabulary.mayRead(attribute.targetUid)) return null
      return relationInput(vocabulary, attribute.toMany)
    case 'media':
      return relationInput(vocabulary, attribute.multiple)
    case 'component': {
      const component = componentInput(vocabulary, attribute.component())
      return orNull(attribute.repeatable ? arraySchema(component) : component)
    }
    case 'dynamiczone':
      return orNull(
        arraySchema(anyElement(attribute.components(), (plan) => elementInput(vocabulary, plan))),
      )
  }
}

/** A component with an `id` is merged into the stored one, so no attribute is required here. */
function componentInput(vocabulary: Vocabulary, plan: ComponentPlan): JsonSchema {
  return vocabulary.refer(`${vocabulary.nameOf(plan.uid)}_Input`, () =>
    objectOf({ id: COMPONENT_ID, ...givenProperties(vocabulary, plan, true) }),
  )
}

function elementInput(vocabulary: Vocabulary, plan: ComponentPlan): JsonSchema {
  return vocabulary.refer(`${vocabulary.nameOf(plan.uid)}_ElementInput`, () =>
    objectOf(
      {
        __component: { type: 'string', const: plan.uid },
        id: COMPONENT_ID,
        ...givenProperties(vocabulary, plan, true),
      },
      ['__component'],
    ),
  )
}

const COMPONENT_ID = orNull({ ...INTEGER, description: 'The id of the stored component to change' })

/** A document by documentId, or by the numeric id of one of its versions. */
const TARGET: JsonSchema = {
  anyOf: [
    { type: ['string', 'integer'], description: 'A documentId or the id of a version' },
    {
      ...objectOf({
        documentId: orNull(TEXT),
        id: { type: ['integer', 'string', 'null'] },
        locale: orNull(TEXT),
      }),
      minProperties: 1,
    },
  ],
}

const POSITION = objectOf({
  start: FLAG,
  end: FLAG,
  before: { type: ['string', 'integer'] },
  after: { type: ['string', 'integer'] },
})

function relationChange(vocabulary: Vocabulary): JsonSchema {
  const target = vocabulary.refer('RelationTarget', () => TARGET)
  const placed = objectOf(
    {
      documentId: TEXT,
      id: { type: ['integer', 'string'] },
      locale: orNull(TEXT),
      position: POSITION,
    },
    ['position'],
  )
  return vocabulary.refer('RelationChange', () =>
    objectOf({
      connect: oneOrSome({ anyOf: [target, placed] }),
      disconnect: oneOrSome(target),
      set: oneOrSome(target),
      options: objectOf({ strict: FLAG }),
    }),
  )
}

function oneOrSome(target: JsonSchema): JsonSchema {
  return { anyOf: [{ type: 'null' }, target, arraySchema(orNull(target))] }
}

function relationInput(vocabulary: Vocabulary, toMany: boolean): JsonSchema {
  const target = vocabulary.refer('RelationTarget', () => TARGET)
  return vocabulary.refer(toMany ? 'RelationToMany' : 'RelationToOne', () => ({
    anyOf: [{ type: 'null' }, target, arraySchema(orNull(target)), relationChange(vocabulary)],
  }))
}
