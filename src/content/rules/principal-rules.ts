import { type Principal, rulesFor } from '../../people/access/principal.ts'
import type { WriteRules } from '../write-rules.ts'
import { hidesDocument, permitWrite, visibleLocales } from './permit-write.ts'
import { hidesEntries, matcherOf, visibleDocuments } from './visible-documents.ts'

/** Undefined for root, which may do everything. */
export function writeRulesOf(principal: Principal): WriteRules | undefined {
  return principal.kind === 'root' ? undefined : principalWriteRules(principal)
}

export function principalWriteRules(principal: Principal): WriteRules {
  const rules: WriteRules = {
    has: (action) => principal.grants.has(action),
    rulesFor: (action) => rulesFor(principal, action),
    user: principal.kind === 'user' ? principal.documentId : null,
    permit: (context, write, run) => permitWrite(context, rules, write, run),
    hides: (context, write) => hidesDocument(context, rules, write),
    visibleLocales: (context, write) => visibleLocales(context, rules, write),
    hidesEntries: (plan) => hidesEntries(rules, plan, 'find'),
    visibleTargets: (context, { target, locale, session }, documentIds) => {
      const matcher = matcherOf(context, rules, locale)
      return visibleDocuments({ matcher, rules, verb: 'find', session }, target, documentIds)
    },
  }
  return rules
}
