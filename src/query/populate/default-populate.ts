import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { PopulateNode } from '../query.ts'
import { parsePopulate, type PopulateRules } from './parse-populate.ts'

/** A request names its own populate with any `populate`, also with an empty one. */
export function withDefaultPopulate(query: Data, { populate }: ContentTypePlan): Data {
  if (populate === null || query['populate'] !== undefined) return query
  return { ...query, populate: populate.asked }
}

interface DefaultRules extends Pick<PopulateRules, 'mayRead' | 'defaultLimit' | 'maxLimit'> {
  readonly schema: Schema
}

/** Relations to unreadable types are omitted. */
export function parseDefaultPopulate(
  plan: ContentTypePlan,
  { schema, ...rules }: DefaultRules,
): readonly PopulateNode[] {
  return parsePopulate(plan.populate?.asked, plan, {
    ...rules,
    components: schema.components,
    fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
  })
}
