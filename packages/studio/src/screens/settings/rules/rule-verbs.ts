/** The verbs of content types that take a rule. */
export const RULE_VERBS = [
  'find',
  'findOne',
  'readDrafts',
  'sync',
  'create',
  'update',
  'delete',
  'publish',
] as const

export type RuleVerb = (typeof RULE_VERBS)[number]

export function isRuleVerb(verb: string): verb is RuleVerb {
  return (RULE_VERBS as readonly string[]).includes(verb)
}

const WITHOUT_FIELDS: readonly string[] = ['delete', 'publish']
const STAMPING: readonly string[] = ['create', 'update']

export function takesFields(verb: string): boolean {
  return !WITHOUT_FIELDS.includes(verb)
}

export function setsValues(verb: string): boolean {
  return STAMPING.includes(verb)
}
