import { NotFoundError } from '../../../base/errors.ts'
import type {
  AttributeDefinition,
  ContentTypeDefinition,
  Definitions,
} from '../../../schema/definition.ts'
import {
  type AttributePlan,
  type ContentTypePlan,
  isRequiredInWrites,
  isTitleSearched,
  type Schema,
  titleFieldOf,
} from '../../../schema/plan.ts'
import type { GuardedRouter } from '../../router/guarded-router.ts'
import { parameterOf } from '../../body/read-request.ts'
import { adminRouter, type BeforeAdmin } from '../../router/admin-router.ts'

export interface DeclarationRouteDependencies extends BeforeAdmin {
  readonly definitions: Definitions
  readonly schema: Schema
}

export function declarationRoutes({
  definitions,
  schema,
  ...before
}: DeclarationRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin', before)
  const declared = new Map(definitions.contentTypes.map((type) => [type.uid, type]))
  const components = definitions.components.map(
    ({ uid, displayName, description, icon, attributes }) => ({
      uid,
      displayName,
      ...(description !== undefined && { description }),
      ...(icon !== undefined && { icon }),
      attributes: showAttributes(attributes, schema.components.get(uid)?.attributes),
    }),
  )
  admin.get('/content-types/:uid', null, (ctx) => {
    const plan = schema.contentTypes.get(parameterOf(ctx, 'uid'))
    const definition = declared.get(plan?.uid ?? '')
    if (plan === undefined || definition === undefined) {
      throw new NotFoundError('There is no such content-type')
    }
    ctx.body = { data: showType(plan, definition) }
  })
  admin.get('/components', null, (ctx) => {
    ctx.body = { data: components }
  })
  return admin.router
}

function showType(
  plan: ContentTypePlan,
  { description = '', preview, attributes: declared }: ContentTypeDefinition,
): object {
  const { uid, kind, singularName, pluralName, displayName, icon } = plan
  const { draftAndPublish, localized, review } = plan
  return {
    uid,
    kind,
    singularName,
    pluralName,
    displayName,
    ...(icon !== undefined && { icon }),
    description,
    draftAndPublish,
    localized,
    ...(review !== undefined && { stages: review.stages.map(({ name }) => name) }),
    searched: isTitleSearched(plan),
    adopted: plan.adopted !== undefined,
    hasPreview: preview !== undefined,
    titleField: titleFieldOf(plan),
    attributes: { ...showAttributes(declared, plan.attributes), ...showComputed(plan) },
  }
}

function showComputed({ members }: ContentTypePlan): object {
  const shown = [...members.values()].flatMap((member): readonly [string, object][] => {
    if (member.kind !== 'scalar' || member.computed === undefined) return []
    const { name, type, required, private: isPrivate, localized, writable } = member
    const { description } = member.computed
    const options = { type, required, private: isPrivate, localized, writable, computed: true }
    return [[name, { ...options, ...(description !== undefined && { description }) }]]
  })
  return Object.fromEntries(shown)
}

function showAttributes(
  declared: Readonly<Record<string, AttributeDefinition>>,
  plans: ReadonlyMap<string, AttributePlan> | undefined,
): object {
  const shown = Object.entries(declared).map(
    ([name, { pluginOptions: _plugins, ...options }]): [string, object] => {
      const plan = plans?.get(name)
      const { private: isPrivate, localized } = plan ?? DEFAULT_FLAGS
      const required = plan !== undefined && isRequiredInWrites(plan)
      const unique = plan?.kind === 'scalar' ? { unique: plan.unique } : {}
      return [name, { ...options, ...unique, required, private: isPrivate, localized }]
    },
  )
  return Object.fromEntries(shown)
}

const DEFAULT_FLAGS = { private: false, localized: false }
