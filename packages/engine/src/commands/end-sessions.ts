import { documentOf, isDocument } from '../bson/values.ts'
import { sessionKey } from '../request/sessions.ts'
import type { Command } from '../request/request.ts'

export const endSessions: Command = {
  options: [],
  access: 'admin',
  run: ({ engine, body, name }) => {
    const sessions = body[name]
    for (const lsid of Array.isArray(sessions) ? sessions : []) {
      const session = isDocument(lsid) ? sessionKey(documentOf({ lsid })) : null
      if (session !== null) engine.sessions.end(session)
    }
    return documentOf({ ok: 1 })
  },
}
