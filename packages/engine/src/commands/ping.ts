import { toDocument } from '../bson/values.ts'
import type { Command } from '../request/request.ts'

export const ping: Command = { options: [], access: 'read', run: () => toDocument({ ok: 1 }) }
