import { documentOf } from '../bson/values.ts'
import type { Command } from '../server/request.ts'

export const ping: Command = { options: [], access: 'read', run: () => documentOf({ ok: 1 }) }
