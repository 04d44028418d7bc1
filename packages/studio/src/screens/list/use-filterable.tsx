import type { Attributes } from '../../api/attributes.ts'
import type { Option } from '../../design/choice.tsx'
import { Drawing } from '../../design/icons/icon.tsx'
import { TYPE_ICONS } from '../../design/icons/type-icons.ts'
import { operatorsOf } from './filter-words.ts'
import { useColumnName } from './use-column-name.ts'

/** The attributes that a filter can name. */
export function useFilterable(attributes: Attributes): readonly Option[] {
  const nameOf = useColumnName(attributes)
  return Object.entries(attributes)
    .filter(([, attribute]) => operatorsOf(attribute).length > 0)
    .map(([id, { type }]) => ({
      id,
      name: nameOf(id),
      icon: <Drawing path={TYPE_ICONS[type]} />,
    }))
}
