import { boundedReads } from '../../mongo/connection/time-limits.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { findGroups, type FoundGroup, type GroupValues } from '../../mongo/read/find-groups.ts'
import type { GroupedQuery } from '../../query/aggregate.ts'
import { type Aggregate, type Measure, MEASURES } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { divideDecimal, wholeText } from '../../schema/values/decimal.ts'
import { settleAsked } from './find-entries.ts'
import { showGroupKey } from './show-group-key.ts'

export interface ShownGroups {
  readonly groups: readonly Data[]
  readonly isCapped: boolean
}

/** Groups in the order of their keys. Null comes first. */
export async function showGroups(database: Database, query: GroupedQuery): Promise<ShownGroups> {
  await settleAsked(database, query)
  const { groups, isCapped } = await findGroups(boundedReads(database), query)
  return { groups: groups.map((group) => showGroup(group, query.aggregate)), isCapped }
}

function showGroup(group: FoundGroup, { groupBy, counts, measures }: Aggregate): Data {
  const keys = groupBy.map((key, index) => [key.name, showGroupKey(key, group.keys[index])])
  const shown: Data = { group: Object.fromEntries(keys) as Data }
  if (counts) shown['count'] = group.count
  for (const of of MEASURES) {
    const values = measures
      .filter((measure) => measure.of === of)
      .map((measure) => [
        measure.attribute.name,
        showMeasure(measure, group.valuesOf(measure.attribute)),
      ])
    if (values.length > 0) shown[of] = Object.fromEntries(values) as Data
  }
  return shown
}

function showMeasure({ of, attribute: { type } }: Measure, values: GroupValues): unknown {
  switch (of) {
    case 'min':
    case 'max':
      return SCALAR_KINDS[type].toJson(values[of])
    case 'sum':
      return type === 'biginteger' ? wholeText(String(values.sum)) : Number(String(values.sum))
    case 'avg':
      if (values.filled === 0) return null
      return type === 'float'
        ? Number(values.sum) / values.filled
        : divideDecimal(String(values.sum), values.filled)
  }
}
