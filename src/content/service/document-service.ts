import { GatewayTimeoutError } from '../../base/errors.ts'
import type {
  ContentPage,
  DocumentService,
  SingleService,
} from '../../extensions/content-service.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { parseEntryQuery, parseQuery } from '../../query/parse-query.ts'
import { withDefaultPopulate } from '../../query/populate/default-populate.ts'
import {
  parseActionLocales,
  parseDeletedLocales,
  parseReadKey,
  parseWriteKey,
} from '../../query/parse-version.ts'
import type { Data } from '../../schema/definition.ts'
import { describePage } from '../read/describe-page.ts'
import { findDocument } from '../read/find-documents.ts'
import { findEntries } from '../read/find-entries.ts'
import { showWrittenVersion, type WrittenQuery } from '../write/show-written.ts'
import { createDocument } from '../write/create-document.ts'
import { deleteDocument } from '../write/delete-document.ts'
import { publishDocument, unpublishDocument } from '../write/publish-document.ts'
import { singleDocumentId } from '../write/single-document-id.ts'
import { updateDocument } from '../write/update-document.ts'
import {
  actedLocale,
  assertMayShow,
  beginCall,
  type CalledType,
  type ServiceCall,
  writtenVersion,
} from './service-call.ts'

export function documentService(type: CalledType): DocumentService {
  return {
    find: async (query, acting) => findPage(await beginCall(type, 'find', query, acting)),
    count: async (query, acting) => countAll(await beginCall(type, 'find', query, acting)),
    findOne: async (documentId, query, acting) =>
      findEntry(await beginCall(type, 'findOne', query, acting), documentId),
    create: async (data, writing) =>
      create(await beginCall(type, 'create', writtenVersion(writing), writing), data),
    update: async (documentId, data, writing) =>
      update(await beginCall(type, 'update', writtenVersion(writing), writing), documentId, data),
    publish: async (documentId, acting) =>
      publish(await beginCall(type, 'publish', actedLocale(acting), acting), documentId),
    unpublish: async (documentId, acting) =>
      unpublish(await beginCall(type, 'publish', actedLocale(acting), acting), documentId),
    delete: async (documentId, acting) =>
      remove(await beginCall(type, 'delete', actedLocale(acting), acting), documentId),
  }
}

export function singleService(type: CalledType): SingleService {
  const documentId = singleDocumentId(type.plan.uid)
  return {
    find: async (query, acting) =>
      findEntry(await beginCall(type, 'find', query, acting), documentId),
    update: async (data, writing) =>
      update(await beginCall(type, 'update', writtenVersion(writing), writing), documentId, data),
    publish: async (acting) =>
      publish(await beginCall(type, 'publish', actedLocale(acting), acting), documentId),
    unpublish: async (acting) =>
      unpublish(await beginCall(type, 'publish', actedLocale(acting), acting), documentId),
    delete: async (acting) =>
      remove(await beginCall(type, 'delete', actedLocale(acting), acting), documentId),
  }
}

async function findPage(call: ServiceCall): Promise<ContentPage<Data>> {
  const { plan, query, rules, database } = call
  const parsed = parseQuery(withDefaultPopulate(query, plan), plan, rules)
  assertMayShow(call, parsed.version.status)
  const found = await findEntries(database, parsed)
  const { entries: data, distances } = found
  const pagination = describePage(found, parsed.page)
  return { data, meta: { pagination, ...(distances !== undefined && { distances }) } }
}

async function countAll(call: ServiceCall): Promise<number> {
  const { plan, query, rules, database } = call
  const counted = { ...query, fields: 'documentId', populate: undefined, pagination: COUNTED_PAGE }
  const parsed = parseQuery(counted, plan, rules)
  assertMayShow(call, parsed.version.status)
  const { total } = await findEntries(database, parsed)
  if (total === null) throw new GatewayTimeoutError('The entries were not counted in time')
  return total
}

const COUNTED_PAGE = { page: '1', pageSize: '1', withCount: 'true' }

async function findEntry(call: ServiceCall, documentId: string): Promise<Data | null> {
  const { plan, query, rules, locales, database } = call
  const key = parseReadKey(query, plan, locales)
  if (key !== null) assertMayShow(call, key.status)
  const parsed = parseEntryQuery(withDefaultPopulate(query, plan), plan, rules)
  if (key === null) return null
  return (await findDocument(database, documentId, key, parsed))?.entry ?? null
}

async function create(call: ServiceCall, data: Data): Promise<Data> {
  const { plan, query, locales, parts, writer, origin } = call
  const { documents } = parts
  const key = parseWriteKey(query, undefined, plan, locales)
  const documentId = documents.newDocumentId(plan)
  const target = { plan, documentId, key, writer, origin }
  const version = await createDocument(documents, target, data)
  return showWritten(call, version, { verb: 'create', status: key.status })
}

async function update(call: ServiceCall, documentId: string, data: Data): Promise<Data> {
  const { plan, query, locales, parts, writer, origin } = call
  const key = parseWriteKey(query, undefined, plan, locales)
  const target = { plan, documentId, key, writer, origin }
  const version = await updateDocument(parts.documents, target, data)
  return showWritten(call, version, { verb: 'update', status: key.status })
}

async function publish(call: ServiceCall, documentId: string): Promise<Data> {
  const [version] = await publishDocument(call.parts.documents, actionTarget(call, documentId))
  const written = { verb: 'publish', status: 'published' } as const
  return version === undefined ? {} : showWritten(call, version, written)
}

async function unpublish(call: ServiceCall, documentId: string): Promise<void> {
  await unpublishDocument(call.parts.documents, actionTarget(call, documentId))
}

async function remove(
  { plan, query, locales, parts, origin, writer }: ServiceCall,
  documentId: string,
): Promise<void> {
  const deleted = parseDeletedLocales(query, plan, locales)
  await deleteDocument(parts.documents, { plan, documentId, locales: deleted, origin, writer })
}

function actionTarget({ plan, query, locales, writer, origin }: ServiceCall, documentId: string) {
  return { plan, documentId, locales: parseActionLocales(query, plan, locales), writer, origin }
}

/** From the primary, because secondaries may not have the write yet. */
async function showWritten(
  { plan, query, rules, parts, writer }: ServiceCall,
  version: StoredVersion,
  { verb, status }: Pick<WrittenQuery, 'verb' | 'status'>,
): Promise<Data> {
  const shown = parseEntryQuery({ ...query, status }, plan, rules)
  const written = { plan, verb, status, shown }
  return (await showWrittenVersion(parts.documents, writer, version, written)).entry
}
