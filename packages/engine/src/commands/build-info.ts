import { toDocument } from '../bson/values.ts'
import type { Command } from '../request/request.ts'

/** The engine follows MongoDB 7.0. `modules` reveals that the server is not MongoDB. */
export const buildInfo: Command = {
  options: [],
  access: 'read',
  run: () =>
    toDocument({
      version: '7.0.0',
      versionArray: [7, 0, 0, 0],
      modules: ['quire-embedded'],
      bits: 64,
      maxBsonObjectSize: 16777216,
      storageEngines: ['lmdb'],
      ok: 1,
    }),
}
