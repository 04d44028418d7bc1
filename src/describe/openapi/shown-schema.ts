import type { ShownEntry, ShownLink } from '../../query/named/shown-entry.ts'
import { INTEGER, type JsonSchema, arraySchema, objectOf, orNull, TEXT } from './json-schema.ts'
import { shownScalar } from './scalar-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

type Properties = Readonly<Record<string, JsonSchema>>

export function shownSchema(vocabulary: Vocabulary, entry: ShownEntry): JsonSchema {
  return exactly(propertiesOf(vocabulary, entry))
}

function propertiesOf(vocabulary: Vocabulary, { scalars, links }: ShownEntry): Properties {
  return {
    ...Object.fromEntries(scalars.map((plan) => [plan.name, shownScalar(vocabulary, plan)])),
    ...Object.fromEntries(links.map((link) => [link.name, linkSchema(vocabulary, link)])),
  }
}

function linkSchema(vocabulary: Vocabulary, link: ShownLink): JsonSchema {
  switch (link.kind) {
    case 'count':
      return exactly({ count: INTEGER })
    case 'ids':
      return link.isMany ? arraySchema(TEXT) : orNull(TEXT)
    case 'entries': {
      const entry = shownSchema(vocabulary, link.entry)
      const value = link.isMany ? arraySchema(entry) : entry
      return link.isNullable ? orNull(value) : value
    }
    case 'zone': {
      const elements = [...link.elements].map(([uid, entry]) => {
        const component = { type: 'string', const: uid }
        return exactly({ __component: component, ...propertiesOf(vocabulary, entry) })
      })
      return arraySchema(elements.length === 0 ? exactly({}) : { oneOf: elements })
    }
  }
}

function exactly(properties: Properties): JsonSchema {
  return objectOf(properties, Object.keys(properties))
}
