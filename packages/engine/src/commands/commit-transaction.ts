import { toDocument } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { readTransactionNumber } from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const commitTransaction: Command = {
  options: ['recoveryToken'],
  access: 'commit',
  run: ({ engine, body, session }) => {
    if (session === null)
      throw new CommandError('InvalidOptions', 'commitTransaction must be run within a session')
    engine.sessions.commit(session, readTransactionNumber(body, 'txnNumber'))
    return toDocument({ ok: 1 })
  },
  settled: ({ engine, body, session }) => {
    if (session !== null) engine.sessions.release(session, readTransactionNumber(body, 'txnNumber'))
  },
}
