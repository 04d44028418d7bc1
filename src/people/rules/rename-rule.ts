import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, Schema, ShapePlan } from '../../schema/plan.ts'
import { currentAttributeName } from '../../schema/stored-path.ts'
import type { StoredRule, StoredRuleRow } from './stored-rule.ts'
import { USER_TYPE } from './operands.ts'

export type RuleSchema = Pick<Schema, 'contentTypes'>

interface Renaming {
  readonly find: (plan: ShapePlan, name: string) => AttributePlan | undefined
  readonly nameOf: (attribute: AttributePlan) => string
  /** The name that stays where nothing is found. The default is the name itself. */
  readonly missing?: (plan: ShapePlan, name: string) => string
}

const TO_STORED: Renaming = {
  find: ({ members }, name) => members.get(name),
  nameOf: ({ storedName }) => storedName,
}

const FROM_STORED: Renaming = {
  find: memberOfStored,
  nameOf: ({ name }) => name,
  // Another attribute has this name now. The rule must not apply to it, so the start refuses the rule.
  missing: ({ members }, name) => (members.has(name) ? `${name} (removed)` : name),
}

/** System members and computed attributes are not in `stored`. */
export function memberOfStored(
  { stored, members }: ShapePlan,
  name: string,
): AttributePlan | undefined {
  const member = stored.get(name) ?? members.get(name)
  return member?.storedName === name ? member : undefined
}

const FROM_FORMER: Renaming = {
  find: (plan, name) =>
    plan.members.get(name) ?? plan.attributes.get(currentAttributeName(plan, name) ?? ''),
  nameOf: ({ name }) => name,
}

export function toRuleRow(schema: RuleSchema, rule: StoredRule): StoredRuleRow {
  const current = withCurrentNames(schema, rule)
  const { action, where, fields, set } = renamed(schema, current, TO_STORED)
  return {
    action,
    ...(where !== undefined && { where: JSON.stringify(where) }),
    ...(fields !== undefined && { fields }),
    ...(set !== undefined && { set: JSON.stringify(set) }),
  }
}

export function fromRuleRow(schema: RuleSchema, row: StoredRuleRow): StoredRule {
  const { action, where, fields, set } = row
  const stored: StoredRule = {
    action,
    ...(where !== undefined && { where: JSON.parse(where) as Data }),
    ...(fields !== undefined && { fields }),
    ...(set !== undefined && { set: JSON.parse(set) as Data }),
  }
  return renamed(schema, stored, FROM_STORED)
}

/** Replaces former names of attributes, such as those of an older access file. */
export function withCurrentNames(schema: RuleSchema, rule: StoredRule): StoredRule {
  return renamed(schema, rule, FROM_FORMER)
}

export function typeOfAction(action: string): string {
  return action.slice(0, action.lastIndexOf('.'))
}

function renamed(schema: RuleSchema, rule: StoredRule, renaming: Renaming): StoredRule {
  const plan = schema.contentTypes.get(typeOfAction(rule.action))
  if (plan === undefined) return rule
  const { action, where, fields, set } = rule
  const users = schema.contentTypes.get(USER_TYPE)
  const operand = (value: unknown): unknown => renamedOperand(value, users, renaming)
  const nameOf = (name: string): string => nameIn(plan, name, renaming)
  return {
    action,
    ...(where !== undefined && { where: renamedWhere(where, plan, renaming, operand) }),
    ...(fields !== undefined && { fields: fields.map(nameOf) }),
    ...(set !== undefined && {
      set: Object.fromEntries(
        Object.entries(set).map(([name, value]) => [nameOf(name), operand(value)]),
      ),
    }),
  }
}

function nameIn(plan: ShapePlan, name: string, renaming: Renaming): string {
  const member = renaming.find(plan, name)
  if (member !== undefined) return renaming.nameOf(member)
  return renaming.missing?.(plan, name) ?? name
}

function renamedWhere(
  where: Data,
  plan: ShapePlan | null,
  renaming: Renaming,
  operand: (value: unknown) => unknown,
): Data {
  const one = (value: unknown, holder: ShapePlan | null): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => one(item, holder))
    if (typeof value !== 'object' || value === null) return operand(value)
    return renamedWhere(value as Data, holder, renaming, operand)
  }
  return Object.fromEntries(
    Object.entries(where).map(([key, value]) => {
      if (key.startsWith('$') || plan === null) return [key, one(value, plan)]
      const member = renaming.find(plan, key)
      const holder = member === undefined ? null : holderBehind(member)
      return [nameIn(plan, key, renaming), one(value, holder)]
    }),
  )
}

function renamedOperand(value: unknown, users: ShapePlan | undefined, renaming: Renaming): unknown {
  if (typeof value !== 'string' || !value.startsWith('$user.')) return value
  let holder: ShapePlan | null = users ?? null
  const steps = value.split('.').slice(1)
  const names = steps.map((step) => {
    if (holder === null) return step
    const name = nameIn(holder, step, renaming)
    const member = renaming.find(holder, step)
    holder = member === undefined ? null : holderBehind(member)
    return name
  })
  return ['$user', ...names].join('.')
}

/** The type whose members a condition on this member names. Null if there is none. */
export function holderBehind(member: AttributePlan): ShapePlan | null {
  switch (member.kind) {
    case 'relation':
      return member.target()
    case 'media':
      return member.files.target()
    case 'component':
      return member.component()
    case 'scalar':
    case 'dynamiczone':
      return null
  }
}
