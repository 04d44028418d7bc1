import { linkableType } from '../schema/named-type.ts'
import type { QueryRules, Reader, Status } from './query.ts'

type LinkRules = Pick<QueryRules, 'contentTypes' | 'mayRead' | 'readable'>

/** The targets of links in blocks are entries that the caller sees in lists, as those of relations. */
export function linkedTypes(rules: LinkRules, status: Status): Reader['linked'] {
  return (type) => {
    const plan = linkableType(rules, type)
    if (plan === null || !rules.mayRead(plan.uid)) return null
    return rules.readable?.(plan, { verb: 'find', status }) ?? { plan, condition: null }
  }
}
