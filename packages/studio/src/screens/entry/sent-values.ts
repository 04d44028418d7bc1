import type { SentComponent, SentValue, SentValues } from '@quire/client/preview'
import { type Attributes, isComponentList, isToMany, type Attribute } from '../../api/attributes.ts'
import {
  type ComponentValue,
  componentUid,
  type FormValues,
  isPartlyRead,
  type Links,
  listOf,
  type Reading,
} from '../../entry/values.ts'

/** Leaves out private attributes, which the API never shows, and relations of which the form knows only a part. */
export function toSentValues(
  attributes: Attributes,
  values: FormValues,
  reading: Reading,
): SentValues {
  const sent = Object.entries(attributes).flatMap(([name, attribute]) => {
    const value = values[name]
    const isLeftOut = attribute.type === 'password' || attribute.private === true
    if (isLeftOut || value === undefined || isPartlyRead(value)) return []
    return [[name, toSentValue(attribute, value, reading)] as const]
  })
  return Object.fromEntries(sent)
}

function toSentValue(attribute: Attribute, value: unknown, reading: Reading): SentValue {
  switch (attribute.type) {
    case 'media':
      return { value: attribute.multiple === true ? value : (listOf(value)[0] ?? null) }
    case 'relation': {
      const titleField = reading.titleFieldOf(attribute.target)
      const links = (value as Links).items.map(({ documentId, title }) => ({
        documentId,
        ...(titleField !== null && { [titleField]: title }),
      }))
      return { links, many: isToMany(attribute) }
    }
    case 'component':
    case 'dynamiczone':
      return {
        components: (listOf(value) as readonly ComponentValue[]).map((one) =>
          toSentComponent(attribute, one, reading),
        ),
        many: isComponentList(attribute),
      }
    default:
      return { value }
  }
}

function toSentComponent(
  attribute: Attribute,
  element: ComponentValue,
  reading: Reading,
): SentComponent {
  const uid = componentUid(attribute, element)
  return {
    ...(element.id !== undefined && { id: element.id }),
    ...(attribute.type === 'dynamiczone' && { __component: uid }),
    values: toSentValues(reading.components.get(uid)?.attributes ?? {}, element, reading),
  }
}
