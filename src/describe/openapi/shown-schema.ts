import type { ShownEntry, ShownLink } from '../../query/named/shown-entry.ts'
import { INTEGER, type JsonSchema, arraySchema, objectOf, orNull, TEXT } from './json-schema.ts'
import { shownScalar } from './scalar-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

type Properties = Readonly<Record<string, JsonSchema>>

/** A rule of the caller can leave out all attributes except those of the system. */
export type AttributePresence = 'always' | 'unlessHidden'

export function shownSchema(
  vocabulary: Vocabulary,
  entry: ShownEntry,
  presence: AttributePresence,
): JsonSchema {
  const properties = propertiesOf(vocabulary, entry, presence)
  if (presence === 'always') return exactly(properties)
  const lasting = entry.scalars.filter(({ system }) => system).map(({ name }) => name)
  return objectOf(properties, lasting)
}

function propertiesOf(
  vocabulary: Vocabulary,
  { scalars, links }: ShownEntry,
  presence: AttributePresence,
): Properties {
  return {
    ...Object.fromEntries(scalars.map((plan) => [plan.name, shownScalar(vocabulary, plan)])),
    ...Object.fromEntries(links.map((link) => [link.name, linkSchema(vocabulary, link, presence)])),
  }
}

function linkSchema(
  vocabulary: Vocabulary,
  link: ShownLink,
  presence: AttributePresence,
): JsonSchema {
  switch (link.kind) {
    case 'count':
      return exactly({ count: INTEGER })
    case 'ids':
      return link.isMany ? arraySchema(TEXT) : orNull(TEXT)
    case 'entries': {
      const entry = shownSchema(vocabulary, link.entry, presence)
      const value = link.isMany ? arraySchema(entry) : entry
      return link.isNullable ? orNull(value) : value
    }
    case 'zone': {
      const elements = [...link.elements].map(([uid, entry]) => {
        const component = { type: 'string', const: uid }
        const properties = propertiesOf(vocabulary, entry, presence)
        return exactly({ __component: component, ...properties })
      })
      return arraySchema(elements.length === 0 ? exactly({}) : { oneOf: elements })
    }
  }
}

function exactly(properties: Properties): JsonSchema {
  return objectOf(properties, Object.keys(properties))
}
