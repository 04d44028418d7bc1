import { adviseCondition } from '../../mongo/indexes/advise-queries.ts'
import type { CollectionIndexes } from '../../mongo/indexes/inspect-indexes.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { findApiTokenRows, toApiToken } from '../../people/access/api-token-rows.ts'
import { compileActions } from '../../people/access/actions.ts'
import { findUndecidedQueries } from '../../people/access/undecided-queries.ts'
import type { NamedQueries } from '../../query/named/compile-queries.ts'
import { findRoles } from '../../people/access/role-rows.ts'
import { findStaff } from '../../people/administrators/rows.ts'
import type { HeldRule } from '../../people/rules/bound-rules.ts'
import { holdRules, type RuleSource } from '../../people/rules/held-rules.ts'
import { sampleOperands } from '../../people/rules/operands.ts'
import { fromRuleRow } from '../../people/rules/rename-rule.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { Finding } from './finding.ts'

const CHECK = 'rules'

/** The verbs whose rule selects the entries of a list. */
const LISTING: ReadonlySet<string> = new Set(['find', 'readDrafts'])

/** Names the missing indexes of conditions, and the unique attributes that reveal values of hidden entries. */
export async function examineRules(
  database: Database,
  schema: Schema,
  collections: readonly CollectionIndexes[],
): Promise<readonly Finding[]> {
  const held = (await storedRules(database, schema)).flatMap((one) => holdRules(schema, one))
  const listing = held.filter(({ rule }) => LISTING.has(verbOf(rule.action)))
  return [
    ...listing.flatMap((one) => adviceFor(one, collections)),
    ...[...new Set(listing.map(({ rule }) => rule.plan))].flatMap(hintsOf),
  ]
}

/** Names the queries whose requests are refused because their file does not decide on a stored rule. */
export async function examineQueryRules(
  database: Database,
  schema: Schema,
  queries: NamedQueries,
): Promise<readonly Finding[]> {
  const undecided = await findUndecidedQueries(database, compileActions(schema), queries)
  return undecided.map((what) => ({ check: CHECK, level: 'fault', what }))
}

async function storedRules(database: Database, schema: Schema): Promise<readonly RuleSource[]> {
  const roles = await findRoles(database, schema)
  const tokens = (await findApiTokenRows(database)).map((row) => toApiToken(row, schema))
  const staff = await findStaff(database)
  return [
    ...roles.map(({ type, rules = [] }) => ({ source: `role ${type}`, rules })),
    ...tokens.map(({ name, rules = [] }) => ({ source: `API token ${name}`, rules })),
    ...staff.roles.map(({ _id, rules = [] }) => ({
      source: `administrator role ${_id}`,
      rules: rules.map((row) => fromRuleRow(schema, row)),
    })),
  ]
}

function adviceFor(
  { source, rule }: HeldRule,
  collections: readonly CollectionIndexes[],
): readonly Finding[] {
  const filter = rule.bindWhere(sampleOperands(rule.operands))
  const remedies = filter === null ? [] : adviseCondition(rule.plan, filter, collections)
  return remedies.map((remedy) => ({
    check: CHECK,
    level: 'warning',
    what: `${source}, ${rule.action}: no index serves the rule; declare ${remedy}`,
  }))
}

function hintsOf({ uid, attributes }: ContentTypePlan): readonly Finding[] {
  const unique = [...attributes.values()].filter((one) => one.kind === 'scalar' && one.unique)
  return unique.map(({ name }) => ({
    check: CHECK,
    level: 'note',
    what: `${uid}: ${name} is unique, so a write that is refused reveals that a hidden entry has the value`,
  }))
}

function verbOf(action: string): string {
  return action.slice(action.lastIndexOf('.') + 1)
}
