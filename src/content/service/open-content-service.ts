import { didYouMean } from '../../base/near-miss.ts'
import type {
  ContentService,
  DocumentService,
  SingleService,
} from '../../extensions/content-service.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { documentService, singleService } from './document-service.ts'
import type { ServiceParts } from './service-call.ts'

export interface ServiceCaller {
  readonly extension: string
  readonly depth: number
}

/** Collection types have their plural name, single types their singular name. */
export function openContentService(parts: ServiceParts): (caller: ServiceCaller) => ContentService {
  const types = [...parts.schema.contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'))
  return (caller) => {
    const origin = originOf(caller)
    const services = Object.fromEntries(types.map((plan) => [nameOf(plan), service(plan)]))
    function service(plan: ContentTypePlan): DocumentService | SingleService {
      const type = { parts, plan, origin }
      return plan.kind === 'singleType' ? singleService(type) : documentService(type)
    }
    // The types of a project name the service of each content-type.
    return refuseUnknown(services) as ContentService
  }
}

function nameOf({ kind, singularName, pluralName }: ContentTypePlan): string {
  return kind === 'singleType' ? singularName : pluralName
}

/** The commits name the extension, not the principal. */
function originOf({ extension, depth }: ServiceCaller): WriteOrigin {
  const by = { kind: 'extension', id: null, name: extension, depth }
  return { authorship: { by, requestId: null }, caller: null }
}

/** `then` is read by every `await`. */
const ABSENT: ReadonlySet<PropertyKey> = new Set(['then', 'toJSON'])

function refuseUnknown(services: Readonly<Record<string, object>>): object {
  return new Proxy(services, {
    get: (all, name) => {
      if (typeof name === 'symbol' || ABSENT.has(name)) return undefined
      if (Object.hasOwn(all, name)) return all[name]
      const hint = didYouMean(name, Object.keys(all))
      throw new TypeError(`content: there is no content-type ${name}${hint}`)
    },
  })
}
