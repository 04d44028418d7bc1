import { type Fault, fault } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Data } from '../definition.ts'

/** The target of a link in blocks. Its type can have an earlier uid. */
export interface EntryLink {
  readonly type: string
  readonly documentId: string
}

const DOCUMENT_ID = /^[a-z][a-z0-9]{23}$/

export const ENTRY_LINK_MEMBERS: readonly string[] = ['type', 'documentId']

const MAX_UID_LENGTH = 200
const MAX_DEPTH = 30
const CONTENT_TYPE = /^api::[A-Za-z0-9-]+\.[A-Za-z0-9-]+$/

/** Null for other nodes, and for members that only look like a reference: older rows can have them. */
export function entryLinkOf(node: unknown): EntryLink | null {
  if (!isRecord(node) || node['type'] !== 'link' || !isRecord(node['entry'])) return null
  const { type, documentId } = node['entry']
  return isContentTypeUid(type) && isEntryId(documentId) ? { type, documentId } : null
}

export function isContentTypeUid(type: unknown): type is string {
  return typeof type === 'string' && type.length <= MAX_UID_LENGTH && CONTENT_TYPE.test(type)
}

export function isEntryId(documentId: unknown): documentId is string {
  return typeof documentId === 'string' && DOCUMENT_ID.test(documentId)
}

type Path = readonly (string | number)[]

export interface PlacedLink extends EntryLink {
  readonly path: Path
}

/** The links of a value of blocks, in order. */
export function entryLinksIn(nodes: unknown, path: Path = []): readonly PlacedLink[] {
  if (!Array.isArray(nodes)) return []
  return (nodes as readonly unknown[]).flatMap((node, index) => {
    const at = [...path, index]
    const link = entryLinkOf(node)
    if (link !== null) return [{ ...link, path: [...at, 'entry'] }]
    return isRecord(node) ? entryLinksIn(node['children'], [...at, 'children']) : []
  })
}

/** Replaces the links to entries. Returns the value itself if it has none. */
export function mapEntryLinks(
  nodes: readonly unknown[],
  map: (node: Data, link: EntryLink) => Data,
): readonly unknown[] {
  return mapLinkNodes(nodes, (node) => {
    const link = entryLinkOf(node)
    return link === null ? node : map(node, link)
  })
}

/** Ignores nodes that are too deep for a valid text. Returns the value itself if no link is replaced. */
export function mapLinkNodes(
  nodes: readonly unknown[],
  map: (node: Data) => Data,
  depth = MAX_DEPTH,
): readonly unknown[] {
  if (depth === 0) return nodes
  const mapped = nodes.map((node) => mapNode(node, map, depth))
  return mapped.some((node, index) => node !== nodes[index]) ? mapped : nodes
}

function mapNode(node: unknown, map: (node: Data) => Data, depth: number): unknown {
  if (!isRecord(node)) return node
  if (node['type'] === 'link') return map(node)
  const { children } = node
  if (!Array.isArray(children)) return node
  const mapped = mapLinkNodes(children as readonly unknown[], map, depth - 1)
  return mapped === children ? node : { ...node, children: mapped }
}

/** Copies a link for callers that do not see its target. */
export function hideTarget(node: Data): Data & Record<string, unknown> {
  const { entry: _target, ...copy } = node as Record<string, unknown>
  copy['url'] = ''
  return copy
}

/** Whether a link has neither a target nor a URL. */
export function isEmptyLink(node: Data): boolean {
  return node['entry'] === undefined && node['url'] === ''
}

/** Targets that are missing or hidden from the caller have the same fault. */
export function lostEntry(path: Path, value: unknown): Fault {
  return fault(path, 'The linked entry was not found', value, { code: 'blocks.entry' })
}
