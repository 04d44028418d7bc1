import type { Operation } from '@quire/merge/apply-operation'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { PushConflict } from './push-conflict.ts'
import type { Mutation, Patch } from './push-request.ts'
import { clientSides, type SettledOutcome, type WriteResult } from './pushed-write.ts'

/** With the names of attributes instead of aliases. @throws ValidationError if a patch gives both */
export function withoutAliases<M extends { readonly patch: Patch; readonly seen?: Data }>(
  { validators, members }: ContentTypePlan,
  mutation: M,
): M {
  const { patch, seen } = mutation
  const values = validators.resolveAliases(
    Object.fromEntries([...patch].map(([name, one]) => [name, elementsOf(one)])),
  )
  const renamed = [...patch].map(([sent, one]) => {
    const name = members.get(sent)?.aliasOf ?? sent
    return [name, withElements(one, values[name])] as const
  })
  return {
    ...mutation,
    patch: new Map(renamed),
    ...(seen !== undefined && { seen: validators.withoutAliases(seen) }),
  }
}

/** The part of an operation that can have aliases inside of components. */
function elementsOf(operation: Operation): unknown {
  if ('set' in operation) return operation.set
  return 'append' in operation ? operation.append : null
}

function withElements(operation: Operation, elements: unknown): Operation {
  if ('set' in operation) return { set: elements }
  if (!('append' in operation) || !Array.isArray(elements)) return operation
  return { ...operation, append: elements }
}

/** With the names of attributes that the client sent. */
export function resultAsSent(
  plan: ContentTypePlan,
  mutation: Mutation,
  result: WriteResult,
): WriteResult {
  if (result === null) return null
  return 'outcome' in result
    ? outcomeAsSent(plan, mutation, result)
    : conflictAsSent(plan, mutation, result)
}

export function outcomeAsSent<Outcome extends SettledOutcome>(
  plan: ContentTypePlan,
  mutation: Mutation,
  outcome: Outcome,
): Outcome {
  const { attributes, keys } = outcome
  const nameOf = sentNames(plan, mutation)
  return {
    ...outcome,
    ...(attributes !== undefined && { attributes: attributes.map(nameOf) }),
    ...(keys !== undefined && {
      keys: keys.map((one) => ({ ...one, attribute: nameOf(one.attribute) })),
    }),
  }
}

function conflictAsSent(
  plan: ContentTypePlan,
  mutation: Mutation,
  conflict: PushConflict,
): PushConflict {
  const nameOf = sentNames(plan, mutation)
  const sent = clientSides(mutation)
  const pick = (values: Data, shown: Data): Data =>
    Object.fromEntries(Object.keys(shown).map((name) => [nameOf(name), values[nameOf(name)]]))
  return {
    ...conflict,
    attributes: conflict.attributes.map(nameOf),
    base: pick(sent.base, conflict.base),
    mine: pick(sent.mine, conflict.mine),
    theirs: conflict.theirs === null ? null : withAliases(plan, conflict.theirs),
  }
}

function sentNames({ members }: ContentTypePlan, mutation: Mutation): (name: string) => string {
  const sent = 'patch' in mutation ? [...mutation.patch.keys()] : []
  const names = new Map(sent.map((name) => [members.get(name)?.aliasOf ?? name, name] as const))
  return (name) => names.get(name) ?? name
}

/** Values of attributes under all their names, as rows of sync have them. */
export function withAliases({ members }: ContentTypePlan, values: Data): Data {
  const shown: Record<string, unknown> = { ...values }
  for (const { name, aliasOf } of members.values()) {
    if (aliasOf !== undefined && Object.hasOwn(values, aliasOf)) shown[name] = values[aliasOf]
  }
  return shown
}
