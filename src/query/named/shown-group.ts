import type { ScalarType } from '../../schema/definition.ts'
import type { ScalarPlan } from '../../schema/plan.ts'
import { type Aggregate, type GroupKey, type Measure, MEASURES } from '../query.ts'

/** The members of a group, such as `group` and `avg`, with the values in each of them. */
export interface ShownGroup {
  readonly counts: boolean
  readonly parts: readonly (readonly [name: string, values: readonly ShownValue[]])[]
}

export interface ShownValue {
  readonly name: string
  /** The type of the value, which can differ from that of the attribute. */
  readonly plan: Pick<ScalarPlan, 'type' | 'limits'>
  readonly isNullable: boolean
}

export function showGroup({ groupBy, counts, measures }: Aggregate): ShownGroup {
  const parts = MEASURES.map((of) => {
    const values = measures.filter((measure) => measure.of === of).map(showMeasured)
    return [of, values] as const
  })
  return {
    counts,
    parts: [['group', groupBy.map(showKey)], ...parts.filter(([, values]) => values.length > 0)],
  }
}

function showKey(key: GroupKey): ShownValue {
  const { name, kind } = key
  if (kind === 'value') return { name, plan: key.attribute, isNullable: true }
  const type = kind === 'day' ? 'date' : 'string'
  return { name, plan: { type, limits: {} }, isNullable: true }
}

function showMeasured({ of, attribute: { name, type } }: Measure): ShownValue {
  return { name, plan: { type: typeOf(of, type), limits: {} }, isNullable: of !== 'sum' }
}

function typeOf(of: Measure['of'], type: ScalarType): ScalarType {
  return of === 'avg' ? 'float' : type
}
