import { toDocument } from '../bson/values.ts'
import { failedToParse } from '../errors.ts'
import type { Command } from '../request/request.ts'

/** For tests (see `Strictness`): freezes the majority, or rolls back the writes since. */
export const holdMajority: Command = {
  options: [],
  access: 'admin',
  run: ({ engine, body }) => {
    const how = body['holdMajority']
    if (how === 'begin') engine.majority.hold()
    else if (how === 'end') engine.majority.release()
    else if (how === 'rollBack') {
      engine.sessions.abortAll()
      engine.majority.rollBack()
    } else throw failedToParse("holdMajority needs 'begin', 'end' or 'rollBack'")
    return toDocument({ ok: 1 })
  },
}
