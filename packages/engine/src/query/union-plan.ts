import { spend } from '../deadline.ts'
import type { Filter } from '../filter/filter.ts'
import { listConjuncts } from './bounds.ts'
import type { IndexPlan, UnionPlan } from './read-plan.ts'

/** A longer `$or` costs more to plan than it is likely to save. */
const MAX_BRANCHES = 500
const PARTS_PER_STEP = 16

interface Alternatives {
  readonly branches: readonly Filter[]
  readonly beside: readonly Filter[]
}

function alternativesOf(filter: Filter): readonly Alternatives[] {
  const parts = listConjuncts(filter)
  const beside = parts.filter((part) => part.kind !== 'any')
  spend(parts.length / PARTS_PER_STEP)
  return parts.flatMap((part) =>
    part.kind === 'any' && part.of.length <= MAX_BRANCHES ? [{ branches: part.of, beside }] : [],
  )
}

type PlanBranch = (filter: Filter) => IndexPlan | null

function planBranches(filter: Filter, planBranch: PlanBranch): readonly IndexPlan[] | null {
  const single = planBranch(filter)
  if (single) return [single]
  return findBestUnion(filter, planBranch)?.branches ?? null
}

function planUnion({ branches, beside }: Alternatives, planBranch: PlanBranch): UnionPlan | null {
  const plans: IndexPlan[] = []
  let worst = Infinity
  for (const branch of branches) {
    const found = planBranches({ kind: 'all', of: [branch, ...beside] }, planBranch)
    if (!found) return null
    // A spread could exceed the maximum number of arguments.
    for (const plan of found) {
      plans.push(plan)
      worst = Math.min(worst, plan.score)
    }
  }
  return { kind: 'union', branches: plans, isSorted: false, score: worst - 1 }
}

/** Null if one branch of each `$or` has no index. */
export function findBestUnion(filter: Filter, planBranch: PlanBranch): UnionPlan | null {
  let best: UnionPlan | null = null
  for (const alternatives of alternativesOf(filter)) {
    const plan = planUnion(alternatives, planBranch)
    if (plan && plan.score > (best?.score ?? 0)) best = plan
  }
  return best
}
