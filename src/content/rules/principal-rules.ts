import { type Principal, rulesFor } from '../../people/access/principal.ts'
import type { WriteRules } from '../write-rules.ts'

/** Undefined for root, which may do everything. */
export function writeRulesOf(principal: Principal): WriteRules | undefined {
  return principal.kind === 'root' ? undefined : principalWriteRules(principal)
}

export function principalWriteRules(principal: Principal): WriteRules {
  return {
    has: (action) => principal.grants.has(action),
    rulesFor: (action) => rulesFor(principal, action),
    user: principal.kind === 'user' ? principal.documentId : null,
  }
}
