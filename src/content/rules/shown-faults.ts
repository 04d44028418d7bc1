import { type CmsError, ValidationError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { IsShown, RuledWrite, WriteRules } from '../write-rules.ts'
import { shownNames } from './shown-names.ts'
import { mayUnderRules, singleReadVerb } from './visible-documents.ts'

/** Returns whether the caller sees an attribute of a draft that a single read shows, or else a list. */
export function shownInDraft(rules: WriteRules | undefined, plan: ContentTypePlan): IsShown {
  const single = singleReadVerb(plan)
  const verb = rules === undefined || mayUnderRules(rules, plan, single) ? single : 'find'
  return shownNames(rules, plan, [verb, 'readDrafts'])
}

const HIDDEN_FAULTS = 'Attributes that you cannot see have faults'

/** Faults name attributes and their values. */
export function withShownFaults(error: CmsError, isShown: IsShown): CmsError {
  if (!(error instanceof ValidationError)) return error
  const { message, details, errorCode: code, faults } = error
  const isOpen = isOpenFault(isShown)
  const listed = withShownErrors({ message, details }, isShown)
  if (listed.message === message && faults.every(isOpen)) return error
  return new ValidationError(HIDDEN_FAULTS, listed.details, { code, faults: faults.filter(isOpen) })
}

interface ListedFaults {
  readonly message: string
  readonly details: unknown
}

/** Like `withShownFaults`, for an error that was stored. */
export function withShownErrors<T extends ListedFaults>(error: T, isShown: IsShown): T {
  const { details } = error
  const errors: unknown = isRecord(details) ? details['errors'] : undefined
  const isOpen = isOpenFault(isShown)
  if (!isRecord(details) || !Array.isArray(errors) || errors.every(isOpen)) return error
  return {
    ...error,
    message: HIDDEN_FAULTS,
    details: { ...details, errors: errors.filter(isOpen) },
  }
}

function isOpenFault(isShown: IsShown): (fault: unknown) => boolean {
  return (fault) => {
    const name = attributeOf(fault)
    return name === null || isShown(name)
  }
}

/** The error of a write for its caller, who knows the plain values that it gave. */
export function errorForCaller(rules: WriteRules, write: RuledWrite, error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error
  const isRead = shownInDraft(rules, write.plan)
  return withShownFaults(error, (name) => isRead(name) || isGivenPlain(write, name))
}

/** A component keeps the stored values that are not given. */
function isGivenPlain({ plan, data }: RuledWrite, name: string): boolean {
  if (!isRecord(data) || plan.attributes.get(name)?.kind !== 'scalar') return false
  return Object.keys(data).some((key) => (plan.members.get(key)?.aliasOf ?? key) === name)
}

/** Null for a fault of the whole write. */
function attributeOf(fault: unknown): string | null {
  const path: unknown = isRecord(fault) ? fault['path'] : undefined
  return Array.isArray(path) && path.length > 0 ? String(path[0]) : null
}
