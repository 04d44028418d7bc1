import { listTitleOf, type TypeSummary } from '../../api/content-types.ts'
import { type Entry, titleOf } from '../../api/entries.ts'

export interface TargetNames {
  readonly title: string
  /** Empty if it is the title. */
  readonly typeName: string
}

/** The entry of a single type has the name of its type if it has no title. */
export function targetNames(type: TypeSummary, entry: Entry): TargetNames {
  const typeName = listTitleOf(type)
  const { titleField } = type
  const isUntitled = titleField === null || !entry[titleField]
  if (type.kind === 'singleType' && isUntitled) return { title: typeName, typeName: '' }
  return { title: titleOf(entry, titleField), typeName }
}
