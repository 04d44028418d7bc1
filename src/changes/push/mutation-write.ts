import { ConflictError } from '../../base/errors.ts'
import { principalWriteRules } from '../../content/rules/principal-rules.ts'
import type { PushClient } from '../../mongo/system/push-clients.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { placeOf, type PushParts } from './push-parts.ts'
import type { Mutation, PushRequest } from './push-request.ts'
import type { PushedWrite } from './pushed-write.ts'

/** The state of a request before the next mutation. */
export interface PushState {
  readonly parts: PushParts
  readonly request: PushRequest
  readonly client: PushClient
}

/** @throws ForbiddenError, NotFoundError, ValidationError for an unknown locale */
export function writeOf<M extends Mutation>(
  { parts, request, client }: PushState,
  plan: ContentTypePlan,
  mutation: M,
): PushedWrite<M> {
  const { documents, principal, origin } = parts
  const rules = principalWriteRules(principal)
  const place = placeOf(parts, request, rules, plan, mutation)
  const base = baseRevision(client, mutation)
  return { ...place, documents, rules, plan, base, origin, mutation }
}

/** @throws ConflictError */
export function assertDependencies({ outcomes }: PushClient, mutation: Mutation): void {
  const base = baseNumber(mutation)
  const needed = new Set([...mutation.depends, ...(base === null ? [] : [base])])
  const failed = outcomes.find(
    ({ n, outcome }) => needed.has(n) && (outcome === 'conflict' || outcome === 'refused'),
  )
  if (failed === undefined) return
  const message = `Mutation ${failed.n}, on which this one depends, was not applied`
  throw new ConflictError(message, { n: failed.n }, { code: 'push_dependency' })
}

function baseNumber(mutation: Mutation): number | null {
  if (!('base' in mutation) || mutation.base === null) return null
  return typeof mutation.base === 'string' ? null : mutation.base.n
}

function baseRevision({ outcomes }: PushClient, mutation: Mutation): string | null {
  if (!('base' in mutation)) return null
  const { base, documentId } = mutation
  if (base === null || typeof base === 'string') return base
  const earlier = outcomes.find(({ n }) => n === base.n)
  // An unknown revision equals none, so that the values decide. So does the result of a merge,
  // because it contains changes that the device has not seen.
  if (earlier?.documentId !== documentId || earlier.rebased === true) return ''
  return earlier.revision ?? ''
}
