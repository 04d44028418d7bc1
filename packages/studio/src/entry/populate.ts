import type { QueryValue } from '../api/request.ts'
import { type Attribute, type Attributes, type Components, isToMany } from '../api/attributes.ts'
import { INITIAL_LINKS, type Reading } from './values.ts'

type Populate = Readonly<Record<string, QueryValue>>

/**
 * The populate parameter of the form: all attributes, the titles of relations, and the start of
 * long relations.
 */
export function populateOf(attributes: Attributes, reading: Reading): Populate {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, attribute]) => {
      const asked = populateOfOne(attribute, reading)
      return asked === null ? [] : [[name, asked]]
    }),
  )
}

function populateOfOne(attribute: Attribute, reading: Reading): QueryValue | null {
  const { components, titleFieldOf } = reading
  switch (attribute.type) {
    case 'media':
      return true
    case 'relation': {
      const title = titleFieldOf(attribute.target)
      const limit = isToMany(attribute) ? { pagination: { limit: INITIAL_LINKS + 1 } } : {}
      return { fields: [title ?? 'documentId'], ...limit }
    }
    case 'component':
      return populateOfComponent(attribute.component, components, reading)
    case 'dynamiczone':
      return {
        on: Object.fromEntries(
          attribute.components.map((uid) => [uid, populateOfComponent(uid, components, reading)]),
        ),
      }
    default:
      return null
  }
}

function populateOfComponent(uid: string, components: Components, reading: Reading): QueryValue {
  const populate = populateOf(components.get(uid)?.attributes ?? {}, reading)
  return Object.keys(populate).length === 0 ? true : { populate }
}
