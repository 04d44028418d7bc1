import { Long } from 'bson'
import { toDocument } from '../bson/values.ts'
import type { Command } from '../request/request.ts'

export const killCursors: Command = {
  options: ['cursors'],
  access: 'read',
  inTransaction: true,
  run: ({ engine, body }) => {
    const ids = Array.isArray(body['cursors'])
      ? body['cursors'].filter((id) => id instanceof Long)
      : []
    const killed = ids.filter((id) => engine.cursors.kill(id))
    return toDocument({
      cursorsKilled: killed,
      cursorsNotFound: ids.filter((id) => !killed.includes(id)),
      cursorsAlive: [],
      cursorsUnknown: [],
      ok: 1,
    })
  },
}
