import { createHash } from 'node:crypto'
import { type Action, type ContentVerb, contentAction } from './actions.ts'
import type { Grants, Principal } from './principal.ts'

/**
 * Returns the key of everything that callers share, such as cached responses: callers with equal keys see the same
 * entries and attributes. Memoized by identity, because changed roles and operand values give new grants.
 */
export function readerKeys(actions: readonly Pick<Action, 'name'>[]): (grants: Grants) => string {
  const made = new WeakMap<Grants, string>()
  return (grants) => {
    const known = made.get(grants)
    if (known !== undefined) return known
    const names = actions.map(({ name }) => name).filter((name) => grants.has(name))
    const rules = grants.rules === undefined ? [] : [grants.rules.digest]
    const text = JSON.stringify([names, ...rules])
    const key = createHash('sha256').update(text).digest('base64url')
    made.set(grants, key)
    return key
  }
}

const READ_VERBS: readonly ContentVerb[] = ['find', 'findOne', 'readDrafts']

/** Whether a rule with operands decides about an entry of these types, so that no shared cache may store it. */
export function isPersonalRead({ grants }: Principal, types: ReadonlySet<string>): boolean {
  const { rules } = grants
  if (rules === undefined || rules.personal.size === 0) return false
  return [...types].some((uid) =>
    READ_VERBS.map((verb) => contentAction({ uid }, verb)).some(
      (action) => rules.personal.has(action) && !grants.has(action),
    ),
  )
}
