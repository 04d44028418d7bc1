import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { IsShown, WriteRules } from '../write-rules.ts'

/** Returns whether the rules of all these read actions show an attribute. */
export function shownNames(
  rules: WriteRules | undefined,
  plan: Pick<ContentTypePlan, 'uid'>,
  verbs: readonly ContentVerb[],
): IsShown {
  const all = verbs.flatMap((verb) => rules?.rulesFor(contentAction(plan, verb)) ?? [])
  const fields = all.flatMap((rule) => rule.fields ?? [])
  return (name) => fields.every((names) => names.has(name))
}
