import { contentAction, contentVerbs } from '../../people/access/actions.ts'
import { assertMay } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import { mayUnderRule } from '../../people/access/ruled-reads.ts'
import { describedReader } from '../../describe/described-reader.ts'
import { entrySchema } from '../../describe/openapi/entry-schemas.ts'
import { createSchema, inputSchema } from '../../describe/openapi/input-schemas.ts'
import { populatableNames } from '../../describe/openapi/read-parameters.ts'
import { openVocabulary, type Vocabulary } from '../../describe/openapi/vocabulary.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { McpDependencies, ToolCall } from './arguments.ts'
import type { Context } from '../router/state.ts'

const PLACE = '#/$defs/'

export async function describeTypes(
  { state: { principal } }: Context,
  { schema, locales }: McpDependencies,
): Promise<object> {
  const { defaultCode, all } = await locales.current()
  const types = contentTypesOf(schema).map((plan) => summaryOf(plan, principal))
  return {
    types: types.filter(({ may: verbs }) => verbs.length > 0),
    locales: { default: defaultCode, all: all.map(({ code }) => code) },
  }
}

export function describeType({ ctx, plan: type, dependencies }: ToolCall): object {
  const { principal } = ctx.state
  const { schema, grants } = describedReader(dependencies.schema, principal.grants)
  const plan = schema.contentTypes.get(type.uid) ?? type
  const summary = summaryOf(plan, principal)
  if (summary.may.length === 0) assertMay(principal, contentAction(plan, 'find'))
  const vocabulary = openVocabulary(schema, grants, PLACE)
  // Omits the schemas of related types, because they would transitively include all types.
  const own: Vocabulary = { ...vocabulary, mayRead: () => false }
  const isWriter = mayUnderRule(principal, contentAction(plan, 'update'))
  const isCreator =
    plan.kind === 'collectionType' && mayUnderRule(principal, contentAction(plan, 'create'))
  const described = {
    ...summary,
    entry: entrySchema(own, plan),
    ...(isCreator && { create: createSchema(vocabulary, plan) }),
    ...(isWriter && { update: inputSchema(vocabulary, plan) }),
    relations: relationsOf(vocabulary, plan),
    populate: populatableNames(vocabulary, plan),
  }
  return { ...described, $defs: Object.fromEntries(vocabulary.schemas) }
}

export function contentTypesOf({ contentTypes }: Schema): readonly ContentTypePlan[] {
  return [...contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'))
}

/** Actions under a rule count, because the tools apply it. */
function summaryOf(plan: ContentTypePlan, principal: Principal) {
  const { singularName: type, displayName, kind, draftAndPublish, localized } = plan
  const verbs = contentVerbs(plan).filter((verb) =>
    mayUnderRule(principal, contentAction(plan, verb)),
  )
  return { type, displayName, kind, draftAndPublish, localized, may: verbs }
}

function relationsOf(vocabulary: Vocabulary, plan: ContentTypePlan): readonly object[] {
  return [...plan.attributes.values()].flatMap((attribute) => {
    if (attribute.kind !== 'relation' || attribute.private) return []
    if (!vocabulary.mayRead(attribute.targetUid)) return []
    const { singularName } = attribute.target()
    return [{ name: attribute.name, type: singularName, isMany: attribute.toMany }]
  })
}
