import {
  described,
  INTEGER,
  type JsonSchema,
  arraySchema,
  objectOf,
  orNull,
  TEXT,
} from './json-schema.ts'
import type { Vocabulary } from './vocabulary.ts'

const MOMENT: JsonSchema = { ...TEXT, format: 'date-time' }
const ANY_OBJECT: JsonSchema = { type: 'object' }

export const AT_A_TIME = objectOf({
  data: objectOf({ at: described(MOMENT, 'The time of the action, with a time zone') }, ['at']),
})

export function scheduleSchema({ refer }: Vocabulary): JsonSchema {
  return refer('Schedule', () =>
    objectOf(
      {
        data: objectOf(
          {
            id: TEXT,
            kind: TEXT,
            action: TEXT,
            uid: TEXT,
            documentId: TEXT,
            locales: arraySchema(TEXT),
            at: MOMENT,
            state: TEXT,
            attempts: INTEGER,
            nextAttemptAt: orNull(MOMENT),
            failure: orNull(ANY_OBJECT),
            by: ANY_OBJECT,
          },
          ['id', 'kind', 'action', 'uid', 'documentId', 'at', 'state'],
        ),
      },
      ['data'],
    ),
  )
}
