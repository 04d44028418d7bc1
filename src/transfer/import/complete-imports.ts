import { ValidationError } from '../../base/errors.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../../content/context.ts'
import {
  collectRelationChanges,
  countNewComponents,
} from '../../content/payload/component-values.ts'
import {
  type DocumentChanges,
  namedTargets,
  resolveRelationChanges,
} from '../../content/payload/relation-input.ts'
import {
  completeValues,
  exclusiveChanges,
  hashPasswords,
  inverseChanges,
  unsetValues,
} from '../../content/payload/write-values.ts'

const NO_IDS: ReadonlyMap<number, string> = new Map()

export async function completeImports(
  { ids, hashPassword }: DocumentContext,
  plan: ContentTypePlan,
  checked: readonly Data[],
  isConsistent: boolean,
): Promise<readonly Data[]> {
  const all: Data[] = []
  for (const values of checked) all.push(await hashPasswords(plan, values, hashPassword))
  const counts = all.map((values) => countNewComponents(plan, values, { creating: true }))
  const totals = new Map<Uid, number>()
  for (const [uid, count] of counts.flatMap((each) => [...each])) {
    totals.set(uid, (totals.get(uid) ?? 0) + count)
  }
  const waiting = new Map<Uid, number[]>()
  for (const [uid, total] of totals) {
    waiting.set(uid, (await ids.take(`component:${uid}`, total)).toReversed())
  }
  const unset = unsetValues(plan)
  return all.map((values, index) => {
    const takeIds = ([uid, count]: readonly [Uid, number]) =>
      [uid, Array.from({ length: count }, () => waiting.get(uid)?.pop() ?? 0)] as const
    const componentIds = new Map([...(counts[index] ?? [])].map(takeIds))
    const changes = relationsOf(plan, values, isConsistent)
    const prepared = { values, changes, componentIds, needsStored: false }
    return { ...unset, ...completeValues(plan, prepared, null) }
  })
}

/** @throws ValidationError for an inverse side, because its owner stores the relation */
function relationsOf(plan: ContentTypePlan, values: Data, isConsistent: boolean): DocumentChanges {
  const inputs = collectRelationChanges(plan, values)
  const trusted = [...namedTargets(inputs)].map(
    ([uid, { documentIds }]) => [uid, { documentIds, byId: NO_IDS }] as const,
  )
  const changes = resolveRelationChanges(inputs, new Map(trusted), NO_LOCALE)
  const [inverse] = inverseChanges(plan, changes)
  const [exclusive] = isConsistent ? [] : exclusiveChanges(plan, changes)
  const name = inverse?.[0].name ?? exclusive?.name
  if (name === undefined) return changes
  throw new ValidationError(
    `${plan.uid} ${name}: an import gives relations on the side that owns them`,
  )
}
