import { type LocatedFault, SchemaError } from '../../schema/schema-error.ts'
import { didYouMean } from '../../base/near-miss.ts'
import { locateInQuery } from '../../schema/check/located-fault.ts'
import type { DeclarationProblem, QueryDefinition } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { parseAggregate } from '../aggregate.ts'
import { uncountedAnswer } from '../answer-size.ts'
import { parseQuery } from '../parse-query.ts'
import type { Query, QueryRules, RelationNode } from '../query.ts'
import { parseNearest } from '../parse-order.ts'
import { parseFacets } from '../text/parse-facets.ts'
import { typesOfQuery } from '../types-of-query.ts'
import { findAggregateFaults } from './find-aggregate-faults.ts'
import { findFaults, pageSamples } from './find-faults.ts'
import { findPopulateFaults } from './find-populate-faults.ts'
import { conditionsOf, declaredPage, facetsOf, type NamedQuery, shownOf } from './named-query.ts'
import { sampleValues } from './parameter-values.ts'
import { parametersIn } from './places.ts'

export type NamedQueries = ReadonlyMap<string, NamedQuery>

export type PageBounds = Pick<QueryRules, 'defaultLimit' | 'maxLimit'>

export const USUAL_BOUNDS: PageBounds = { defaultLimit: 25, maxLimit: 100 }

/** A query must name each user attribute that it selects, because email addresses are private. */
const USERS = 'plugin::users-permissions.user'

/** Also checks default populates. @throws SchemaError with all faults, each with its file and path. */
export function compileQueries(schema: Schema, bounds: PageBounds = USUAL_BOUNDS): NamedQueries {
  const rules = rulesOf(schema, bounds)
  const faults: LocatedFault[] = [...findPopulateFaults(schema, rules)]
  const compiled = [...schema.queries.values()].flatMap((definition): readonly NamedQuery[] => {
    const plan = findType(schema, definition.type)
    const found =
      plan === null
        ? [typeFault(schema, definition.type)]
        : findAllFaults(oneOf(definition, plan), plan, rules)
    faults.push(...found.map((fault) => locateInQuery(definition, fault)))
    if (plan === null || found.length > 0) return []
    const query = compileQuery(oneOf(definition, plan), plan, { schema, rules })
    const wide = findWide(query.shown.populate)
    faults.push(...wide.map((problem) => locateInQuery(definition, { path: 'populate', problem })))
    return [query]
  })
  if (faults.length > 0) throw SchemaError.at(faults)
  return new Map(compiled.map((query) => [query.definition.name, query]))
}

function findAllFaults(
  definition: QueryDefinition,
  plan: ContentTypePlan,
  rules: QueryRules,
): readonly DeclarationProblem[] {
  const [given = new Map<string, string>()] = sampleValues(
    new Map(Object.entries(definition.parameters)),
  )
  return [
    ...findFaults(definition, plan, rules),
    ...findAggregateFaults(definition, plan, rules, given),
  ]
}

function oneOf(definition: QueryDefinition, { kind }: ContentTypePlan): QueryDefinition {
  return { ...definition, single: definition.single || kind === 'singleType' }
}

function findType({ contentTypes }: Schema, type: string): ContentTypePlan | null {
  const own = [...contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'))
  return (
    own.find(({ uid, declaredUid, singularName }) =>
      [uid, declaredUid, singularName].includes(type),
    ) ?? null
  )
}

function typeFault({ contentTypes }: Schema, type: string): DeclarationProblem {
  const names = [...contentTypes.values()]
    .filter(({ uid }) => uid.startsWith('api::'))
    .map(({ singularName }) => singularName)
  return { path: 'type', problem: `there is no content-type ${type}${didYouMean(type, names)}` }
}

/** Permission to run the query includes reading its selection. */
function rulesOf(schema: Schema, bounds: PageBounds): QueryRules {
  return {
    ...bounds,
    locales: { defaultCode: 'en', all: [{ code: 'en' }], has: () => true },
    mayRead: () => true,
    mayReadDrafts: () => false,
    components: schema.components,
    contentTypes: schema.contentTypes,
    format: 'v5',
    fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
    answer: uncountedAnswer(),
  }
}

function compileQuery(
  definition: QueryDefinition,
  plan: ContentTypePlan,
  { schema, rules }: { readonly schema: Schema; readonly rules: QueryRules },
): NamedQuery {
  const { asked, single: isOne, locale, fallbackLocale } = definition
  const parameters = new Map(Object.entries(definition.parameters))
  const [given = new Map<string, string>()] = sampleValues(parameters)
  const { fields, populate, sort } = parseQuery(shownOf(asked, plan), plan, rules)
  const shown: NamedQuery['shown'] = { fields, populate, sort }
  const filter = conditionsOf(asked, plan, given)
  const facets = parseFacets(facetsOf(asked), plan, rules)
  const targets = facets.flatMap((key) => (key.kind === 'relation' ? [key.node] : []))
  const types = typesOfQuery(plan, { filter, populate: [...populate, ...targets], sort })
  const plans = [...types].flatMap((uid) => schema.contentTypes.get(uid) ?? [])
  const near = { nearest: parseNearest(asked['sort'], filter, plan) }
  const isFixed = parametersIn([asked['filters'], asked['search']]).length === 0
  const isLocalized = plans.some(({ localized }) => localized)
  return {
    definition,
    plan,
    isOne,
    parameters,
    shown,
    aggregate: parseAggregate(asked, plan, populate),
    filter,
    isFixed,
    page: declaredPage(definition, pageSamples(asked, given), { sort, ...near }, rules),
    types,
    takesLocale: isLocalized && locale === undefined,
    takesFallback: isLocalized && fallbackLocale === undefined,
    takesStatus: plans.some(({ draftAndPublish }) => draftAndPublish),
  }
}

function findWide(populate: Query['populate']): readonly string[] {
  return populate.flatMap((node): readonly string[] => {
    switch (node.kind) {
      case 'users':
        return ['related holds entries of any type: leave it out']
      case 'zone':
        return [...node.on.values()].flatMap((fragment) => findWide(fragment.populate))
      case 'relation':
        return [...usersProblem(node), ...findWide(node.populate)]
      case 'component':
      case 'media':
      case 'localizations':
        return findWide(node.populate)
    }
  })
}

function usersProblem({ relation, mode, fields }: RelationNode): readonly string[] {
  if (relation.targetUid !== USERS || mode !== 'entries' || fields !== 'all') return []
  return [`${relation.name} shows users: name the fields that are to be seen`]
}
