import { contentAction, type ContentVerb } from '../../../people/access/actions.ts'
import { mayIn } from '../../../people/access/permissions.ts'
import { mayInUnderRule } from '../../../people/access/ruled-reads.ts'
import type { Principal } from '../../../people/access/principal.ts'
import type { LocaleRules } from '../../../query/query.ts'
import { NO_LOCALE } from '../../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import type { VisibleType } from '../../../query/visible-type.ts'

type MaySee = typeof maySee

export function readableTypes(
  principal: Principal,
  plans: readonly ContentTypePlan[],
  { all }: LocaleRules,
  maySeeType: MaySee = maySee,
): readonly VisibleType[] {
  const codes = all.map(({ code }) => code)
  return plans.flatMap((plan): readonly VisibleType[] => {
    const { uid: type, localized } = plan
    if (!localized) {
      return maySeeType(principal, plan, []) ? [{ type, locales: [NO_LOCALE], hidden: [] }] : []
    }
    const locales = codes.filter((code) => maySeeType(principal, plan, [code]))
    const hidden = codes.filter((code) => !locales.includes(code))
    return locales.length === 0 ? [] : [{ type, locales, hidden }]
  })
}

export function maySee(
  principal: Principal,
  plan: Pick<ContentTypePlan, 'uid' | 'draftAndPublish'>,
  locales: readonly string[],
): boolean {
  const verbs: readonly ContentVerb[] = plan.draftAndPublish ? ['find', 'readDrafts'] : ['find']
  return verbs.every((verb) => mayIn(principal, contentAction(plan, verb), locales))
}

/** Like `maySee`, but also true under rules, which the caller must apply. */
export function maySeeUnderRule(
  principal: Principal,
  plan: Pick<ContentTypePlan, 'uid' | 'draftAndPublish'>,
  locales: readonly string[],
): boolean {
  const verbs: readonly ContentVerb[] = plan.draftAndPublish ? ['find', 'readDrafts'] : ['find']
  return verbs.every((verb) => mayInUnderRule(principal, contentAction(plan, verb), locales))
}
