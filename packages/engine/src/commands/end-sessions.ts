import { toDocument, isDocument } from '../bson/values.ts'
import { readSessionKey } from '../request/sessions.ts'
import type { Command } from '../request/request.ts'

export const endSessions: Command = {
  options: [],
  access: 'admin',
  run: ({ engine, body, name }) => {
    const sessions = body[name]
    for (const lsid of Array.isArray(sessions) ? sessions : []) {
      const session = isDocument(lsid) ? readSessionKey(toDocument({ lsid })) : null
      if (session !== null) engine.sessions.end(session)
    }
    return toDocument({ ok: 1 })
  },
}
