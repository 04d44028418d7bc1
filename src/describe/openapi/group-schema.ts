import type { ShownGroup } from '../../query/named/shown-group.ts'
import { INTEGER, type JsonSchema, objectOf, orNull } from './json-schema.ts'
import { valueSchema } from './scalar-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

export function groupSchema(vocabulary: Vocabulary, { counts, parts }: ShownGroup): JsonSchema {
  const members = parts.map(([name, values]): [string, JsonSchema] => [
    name,
    exactObject(
      values.map((value) => {
        const schema = valueSchema(vocabulary, value.plan)
        return [value.name, value.isNullable ? orNull(schema) : schema]
      }),
    ),
  ])
  return exactObject([...members, ...(counts ? [['count', INTEGER] as const] : [])])
}

function exactObject(members: readonly (readonly [string, JsonSchema])[]): JsonSchema {
  return objectOf(
    Object.fromEntries(members),
    members.map(([name]) => name),
  )
}
