import { type Reason, ValidationError } from '../../base/errors.ts'
import type { LocatedFault } from '../../schema/schema-error.ts'
import { locate } from '../../schema/check/located-fault.ts'
import type { ContentTypePlan, DefaultPopulate, Schema } from '../../schema/plan.ts'
import { asksRelated } from '../populate/parse-populate-options.ts'
import { parsePopulate } from '../populate/parse-populate.ts'
import type { PopulateNode, QueryRules, SortKey } from '../query.ts'
import { memberParts, problemOf } from './find-faults.ts'

const PATH = 'options.api.populate'
const REASON: Reason = { code: 'declare.populate' }

export function findPopulateFaults(schema: Schema, rules: QueryRules): readonly LocatedFault[] {
  return [...schema.contentTypes.values()].flatMap((plan) =>
    plan.populate === null ? [] : findFaultsOf(plan, plan.populate, rules),
  )
}

/** Parts are parsed separately, so that one fault does not hide another. */
function findFaultsOf(
  plan: ContentTypePlan,
  { file, asked }: DefaultPopulate,
  rules: QueryRules,
): readonly LocatedFault[] {
  const at = (path: string, problem: string | null): readonly LocatedFault[] => {
    return problem === null ? [] : [locate(file, { path, problem, reason: REASON })]
  }
  const faults = memberParts(asked).flatMap(([path, part]) =>
    at(
      PATH + path,
      problemOf(() => assertAnswerable(parsePopulate(part, plan, rules))),
    ),
  )
  if (faults.length > 0) return faults
  const problem = problemOf(() => parsePopulate(asked, plan, rules)) // limits of the whole
  return at(PATH, problem)
}

/**
 * A default populate returns entries only, because descriptions and client types have no counts and documentIds. A
 * condition on a relation that the caller may not read would fail requests that do not contain the condition.
 */
function assertAnswerable(nodes: readonly PopulateNode[]): void {
  for (const node of nodes) {
    if (node.mode !== 'entries') {
      throw new ValidationError(`a default populate returns entries, and no ${node.mode}`)
    }
    if (node.kind === 'users') continue
    const selections = node.kind === 'zone' ? [...node.on.values()] : [node]
    for (const { filter, sort, populate } of selections) {
      if (filter !== null && asksRelated(filter)) throw conditionFault('filters')
      if (sort.some(isThroughRelation)) throw conditionFault('sort')
      assertAnswerable(populate)
    }
  }
}

function conditionFault(option: string): ValidationError {
  return new ValidationError(`${option} of a default populate cannot lead through a relation`)
}

function isThroughRelation({ through }: SortKey): boolean {
  return through.some(({ kind }) => kind === 'relation')
}
