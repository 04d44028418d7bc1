import { type CmsError, ValidationError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { IsShown, RuleContext, RuledWrite, WriteRules } from '../write-rules.ts'
import { shownNames } from './shown-names.ts'
import { singleReadVerb } from './visible-documents.ts'

/** Returns whether the caller sees an attribute of a draft that a single read shows. */
export function shownInDraft(rules: WriteRules | undefined, plan: ContentTypePlan): IsShown {
  return shownNames(rules, plan, [singleReadVerb(plan), 'readDrafts'])
}

/** Faults name attributes and their values. */
export function withShownFaults(error: CmsError, isShown: IsShown): CmsError {
  if (!(error instanceof ValidationError)) return error
  const { details, errorCode: code, faults } = error
  const errors: unknown = details?.['errors']
  const listed: readonly unknown[] = Array.isArray(errors) ? errors : []
  const isOpen = (one: unknown): boolean => {
    const name = attributeOf(one)
    return name === null || isShown(name)
  }
  if (listed.every(isOpen) && faults.every(isOpen)) return error
  return new ValidationError(
    'Attributes that you cannot see have faults',
    { ...details, errors: listed.filter(isOpen) },
    { code, faults: faults.filter(isOpen) },
  )
}

/** The error of a write for its caller, who knows the plain values that it gave. */
export async function errorForCaller(
  context: RuleContext,
  rules: WriteRules,
  write: RuledWrite,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ValidationError)) return error
  if (await isOfHiddenLocale(context, rules, write, error))
    return withShownFaults(error, () => false)
  const isRead = shownInDraft(rules, write.plan)
  return withShownFaults(error, (name) => isRead(name) || isGivenPlain(write, name))
}

/** An action on all locales can fail at a version that rules hide. Its document was not hidden as a whole. */
async function isOfHiddenLocale(
  context: RuleContext,
  rules: WriteRules,
  write: RuledWrite,
  { details }: ValidationError,
): Promise<boolean> {
  const locale: unknown = details?.['locale']
  if (typeof locale !== 'string' || write.verb !== 'publish') return false
  return rules.hides(context, { ...write, locales: [locale] })
}

/** A component keeps stored values beside those that are given. */
function isGivenPlain({ plan, data }: RuledWrite, name: string): boolean {
  if (!isRecord(data) || plan.attributes.get(name)?.kind !== 'scalar') return false
  return Object.keys(data).some((key) => (plan.members.get(key)?.aliasOf ?? key) === name)
}

/** Null for a fault of the whole write. */
function attributeOf(fault: unknown): string | null {
  const path: unknown = isRecord(fault) ? fault['path'] : undefined
  return Array.isArray(path) && path.length > 0 ? String(path[0]) : null
}
