import { isRecord } from '../../base/is-record.ts'
import type { DeclarationProblem, QueryDefinition } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import {
  AGGREGATE_LIMITS,
  groupedRelations,
  namesIn,
  parseGroupKey,
  parseMeasured,
} from '../aggregate.ts'
import { parsePopulate } from '../populate/parse-populate.ts'
import { namesLocale } from '../query-names.ts'
import { MEASURES, type QueryRules } from '../query.ts'
import { problemOf } from './find-faults.ts'
import { conditionsOf } from './named-query.ts'
import type { Given } from './places.ts'

const OF_ENTRIES = ['fields', 'populate', 'sort', 'rank', 'pagination'] as const

/** The faults of a member `aggregate`, and of members that have no meaning next to it. */
export function findAggregateFaults(
  { asked, single, locale }: QueryDefinition,
  plan: ContentTypePlan,
  rules: QueryRules,
  given: Given,
): readonly DeclarationProblem[] {
  const { aggregate } = asked
  if (!isRecord(aggregate)) return []
  const foreign = OF_ENTRIES.filter((key) => key in asked).map((path) => ({
    path,
    problem: 'has no meaning in a query with aggregate',
  }))
  const isSingle = plan.kind === 'singleType'
  const one = { path: isSingle ? 'type' : 'single', problem: 'one entry cannot be grouped' }
  const names = namesIn(aggregate, 'groupBy')
  const faults = [
    ...foreign,
    ...(single ? [one] : []),
    ...(locale === '*' ? [{ path: 'locale', problem: 'an aggregate reads one locale' }] : []),
    ...names.flatMap((name, index) => {
      const relation = groupedRelations({ groupBy: [name] }, plan)
      return at(`aggregate.groupBy.${index}`, () =>
        parseGroupKey(name, plan, parsePopulate(relation, plan, rules)),
      )
    }),
    ...MEASURES.flatMap((of) =>
      namesIn(aggregate, of).flatMap((name, index) =>
        at(`aggregate.${of}.${index}`, () => parseMeasured(of, name, plan)),
      ),
    ),
  ]
  return faults.length > 0
    ? faults
    : [...findKeyFaults(names, plan), ...findLocaleFault(asked, plan, given)]
}

function at(path: string, parse: () => unknown): readonly DeclarationProblem[] {
  const problem = problemOf(parse)
  return problem === null ? [] : [{ path, problem }]
}

function findKeyFaults(
  texts: readonly string[],
  { members }: ContentTypePlan,
): readonly DeclarationProblem[] {
  const path = 'aggregate.groupBy'
  const names = texts.map((text) => text.split(':')[0] ?? text)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) return [{ path, problem: `contains ${repeated} twice` }]
  const many = names.filter((name) => {
    const member = members.get(name)
    return member?.kind === 'relation' && member.toMany
  })
  const { relationsToMany } = AGGREGATE_LIMITS
  if (many.length <= relationsToMany) return []
  return [{ path, problem: `at most ${relationsToMany} relation to many: ${many.join(', ')}` }]
}

/** Such a condition selects entries of several locales, whose targets have no common version. */
function findLocaleFault(
  asked: QueryDefinition['asked'],
  plan: ContentTypePlan,
  given: Given,
): readonly DeclarationProblem[] {
  if (!plan.localized || problemOf(() => conditionsOf(asked, plan, given)) !== null) return []
  const filter = conditionsOf(asked, plan, given)
  if (filter === null || !namesLocale(filter)) return []
  return [{ path: 'filters', problem: 'an aggregate reads one locale; use locale' }]
}
