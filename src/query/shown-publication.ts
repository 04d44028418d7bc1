import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { invalidValue } from './query-error.ts'
import type { PopulateNode, QueryRules, ReadableAs } from './query.ts'

type Rules = Pick<QueryRules, 'readable'>

interface ReadVersions {
  readonly plan: ContentTypePlan
  readonly populate: readonly PopulateNode[]
  /** The action that reads the entries of the type itself. */
  readonly verb?: ReadableAs['verb']
}

/** Conditions on the other version of an entry. @throws ValidationError if a rule can hide that version */
export function assertPublicationShown(
  query: Data,
  { plan, populate, verb = 'find' }: ReadVersions,
  rules: Rules,
): void {
  if (rules.readable === undefined) return
  if (query['hasPublishedVersion'] !== undefined) {
    assertOtherVersionShown('hasPublishedVersion', plan, rules, verb)
  }
  if (query['publicationFilter'] === undefined) return
  assertOtherVersionShown('publicationFilter', plan, rules, verb)
  for (const type of populate.flatMap(populatedTypes)) {
    assertOtherVersionShown('publicationFilter', type, rules)
  }
}

/** @throws ValidationError */
export function assertOtherVersionShown(
  parameter: string,
  plan: ContentTypePlan,
  { readable }: Rules,
  verb: ReadableAs['verb'] = 'find',
): void {
  if (!plan.draftAndPublish || readable === undefined) return
  if (readable(plan, { verb, status: 'draft' }).condition === null) return
  throw invalidValue(parameter, `a rule can hide the other version of an entry of ${plan.uid}`)
}

function populatedTypes(node: PopulateNode): readonly ContentTypePlan[] {
  switch (node.kind) {
    case 'relation':
      return [node.relation.target(), ...node.populate.flatMap(populatedTypes)]
    case 'localizations':
      return [node.plan, ...node.populate.flatMap(populatedTypes)]
    case 'media':
    case 'component':
      return node.populate.flatMap(populatedTypes)
    case 'zone':
      return [...node.on.values()].flatMap(({ populate }) => populate.flatMap(populatedTypes))
    case 'users':
      return node.types
  }
}
