import type { Config } from '../../base/config/config.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { ApiFacts } from '../../describe/openapi/describe-api.ts'
import type { Schema } from '../../schema/plan.ts'

export async function apiFacts(
  { api, http, endUsers }: Config,
  schema: Schema,
  locales: Pick<Locales, 'current'>,
  routes: ApiFacts['routes'] = [],
): Promise<ApiFacts> {
  return {
    ...api,
    schema,
    routes,
    locales: await locales.current(),
    serverUrl: http.publicUrl,
    refresh: endUsers.sessions !== null,
    registerFields: endUsers.registerFields,
    anonymous: endUsers.anonymous !== null,
  }
}
