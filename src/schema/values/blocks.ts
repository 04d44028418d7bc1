import { type Fault, fault, MAX_FAULTS } from '../../base/errors.ts'
import type { Data } from '../definition.ts'
import { labelOf } from './value-messages.ts'
import { isRecord } from '../../base/is-record.ts'
import {
  ENTRY_LINK_MEMBERS,
  entryLinksIn,
  isContentTypeUid,
  isEntryId,
  lostEntry,
} from './entry-links.ts'
import { findTableFaults, refuseTable } from './table-blocks.ts'

type Path = readonly (string | number)[]

type NodeCheck = (node: Data, path: Path) => readonly Fault[]

const MAX_DEPTH = 30

/** Of one value. */
const MAX_ENTRY_LINKS = 500

const IMAGE_KEYS = [
  'name',
  'url',
  'width',
  'height',
  'hash',
  'ext',
  'mime',
  'size',
  'provider',
  'createdAt',
  'updatedAt',
] as const

const TEXT_NODES: Readonly<Record<string, NodeCheck>> = { text: checkText }
const INLINE_NODES: Readonly<Record<string, NodeCheck>> = { ...TEXT_NODES, link: checkLink }
const LIST_NODES: Readonly<Record<string, NodeCheck>> = {
  'list-item': (node, path) => checkChildren(node, path, INLINE_NODES),
  list: checkList,
}
const BLOCK_NODES: Readonly<Record<string, NodeCheck>> = {
  paragraph: checkTexts,
  heading: checkHeading,
  list: checkList,
  quote: (node, path) => checkChildren(node, path, INLINE_NODES),
  code: (node, path) => checkChildren(node, path, INLINE_NODES),
  image: checkImage,
  table: refuseTable,
}
const EXTENDED_NODES: Readonly<Record<string, NodeCheck>> = {
  ...BLOCK_NODES,
  table: (node, path) => findTableFaults(node, path, checkTexts),
}

/** @param isExtended whether the texts can hold tables */
export function findBlockFaults(
  nodes: readonly unknown[],
  path: Path,
  isExtended = false,
): readonly Fault[] {
  const faults = checkEach(nodes, path, isExtended ? EXTENDED_NODES : BLOCK_NODES)
  const isFine = faults.length > 0 || entryLinksIn(nodes).length <= MAX_ENTRY_LINKS
  return isFine ? faults : [tooManyLinks(path)]
}

function tooManyLinks(path: Path): Fault {
  const message = `${labelOf(path)} must have at most ${MAX_ENTRY_LINKS} links to entries`
  const reason = { code: 'blocks.links', params: { limit: MAX_ENTRY_LINKS } } as const
  return fault(path, message, undefined, reason)
}

/** Stops at `MAX_FAULTS`, because a response lists no more, and a short text may have very many. */
function checkEach(
  nodes: readonly unknown[],
  path: Path,
  kinds: Readonly<Record<string, NodeCheck>>,
): readonly Fault[] {
  const faults: Fault[] = []
  for (const [index, node] of nodes.entries()) {
    faults.push(...checkNode(node, [...path, index], kinds))
    if (faults.length > MAX_FAULTS) break
  }
  return faults
}

function checkNode(
  node: unknown,
  path: Path,
  kinds: Readonly<Record<string, NodeCheck>>,
): readonly Fault[] {
  const { type } = isRecord(node) ? node : {}
  const known = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (!isRecord(node) || known === undefined) {
    return [fault(path, sentenceOfUnknown(kinds), node, { code: 'blocks.type' })]
  }
  if (path.length > MAX_DEPTH) {
    return [fault(path, 'Block nodes are nested too deeply', undefined, { code: 'blocks.depth' })]
  }
  return known(node, path)
}

function sentenceOfUnknown(kinds: Readonly<Record<string, NodeCheck>>): string {
  if (kinds === BLOCK_NODES || kinds === EXTENDED_NODES) return 'Block node is of invalid type'
  return kinds === LIST_NODES ? 'List node is of invalid type' : 'Inline node is of invalid type'
}

function checkChildren(
  { children }: Data,
  path: Path,
  kinds: Readonly<Record<string, NodeCheck>>,
): readonly Fault[] {
  const at = [...path, 'children']
  if (children === undefined || children === null) return [required(at, children)]
  if (!Array.isArray(children)) {
    return [fault(at, `${labelOf(at)} must be a list`, children, { code: 'array.base' })]
  }
  return checkEach(children, at, kinds)
}

/** Of a paragraph or a cell. */
function checkTexts(node: Data, path: Path): readonly Fault[] {
  if (!Array.isArray(node['children']) || node['children'].length > 0) {
    return checkChildren(node, path, INLINE_NODES)
  }
  const name = node['type'] === 'paragraph' ? 'Paragraph' : 'Cell'
  const message = `${name} node children must have at least one Text or Link node`
  return [fault([...path, 'children'], message, [], { code: 'blocks.empty' })]
}

function checkHeading(node: Data, path: Path): readonly Fault[] {
  return [
    ...checkOneOf(node['level'], [...path, 'level'], [1, 2, 3, 4, 5, 6]),
    ...checkChildren(node, path, INLINE_NODES),
  ]
}

function checkList(node: Data, path: Path): readonly Fault[] {
  return [
    ...checkOneOf(node['format'], [...path, 'format'], ['ordered', 'unordered']),
    ...checkChildren(node, path, LIST_NODES),
  ]
}

function checkImage(node: Data, path: Path): readonly Fault[] {
  const at = [...path, 'image']
  const image = node['image']
  if (image === undefined || image === null) return [required(at, image)]
  if (!isRecord(image)) {
    return [fault(at, `${labelOf(at)} must be an object`, image, { code: 'object.base' })]
  }
  const missing = IMAGE_KEYS.filter((key) => image[key] === undefined || image[key] === null)
  return [
    ...missing.map((key) => required([...at, key], image[key])),
    ...(node['children'] === undefined ? [] : checkChildren(node, path, INLINE_NODES)),
  ]
}

function checkText({ text }: Data, path: Path): readonly Fault[] {
  if (typeof text === 'string') return []
  const message = 'Text must be defined with at least an empty string'
  return [fault([...path, 'text'], message, text, { code: 'blocks.text' })]
}

function checkLink(node: Data, path: Path): readonly Fault[] {
  if (node['entry'] !== undefined) {
    return [
      ...checkEntry(node['entry'], [...path, 'entry']),
      ...checkChildren(node, path, TEXT_NODES),
    ]
  }
  return [...checkUrl(node['url'], [...path, 'url']), ...checkChildren(node, path, TEXT_NODES)]
}

function checkUrl(url: unknown, path: Path): readonly Fault[] {
  if (typeof url === 'string' && isLink(url)) return []
  const message = 'Please specify a valid link.'
  if (url !== '') return [fault(path, message, url, { code: 'blocks.link' })]
  const reason = 'A link to a hidden entry can only stay in the text that has it, with its words.'
  return [fault(path, `${message} ${reason}`, url, { code: 'blocks.hidden' })]
}

/** The URL of such a link is not stored, so any value passes. */
function checkEntry(entry: unknown, path: Path): readonly Fault[] {
  if (!isRecord(entry)) {
    return [fault(path, `${labelOf(path)} must be an object`, entry, { code: 'object.base' })]
  }
  const unknown = Object.keys(entry).find((name) => !ENTRY_LINK_MEMBERS.includes(name))
  if (unknown !== undefined) {
    const at = [...path, unknown]
    return [fault(at, `${labelOf(at)} is not allowed`, entry[unknown], { code: 'object.unknown' })]
  }
  const { type, documentId } = entry
  if (isContentTypeUid(type) && isEntryId(documentId)) return []
  const wrong = isContentTypeUid(type) ? 'documentId' : 'type'
  return [lostEntry([...path, wrong], entry[wrong])]
}

function isLink(url: string): boolean {
  return URL.canParse(url) || /^(?:[/?#]|\.\.?\/)\S*$/.test(url) || /^www\.\S+$/.test(url)
}

function checkOneOf(value: unknown, path: Path, values: readonly unknown[]): readonly Fault[] {
  if (value === undefined || value === null) return [required(path, value)]
  if (values.includes(value)) return []
  const message = `${labelOf(path)} must be one of the following values: ${values.join(', ')}`
  return [fault(path, message, value, { code: 'any.only', params: { valids: values.map(String) } })]
}

function required(path: Path, value: unknown): Fault {
  return fault(path, `${labelOf(path)} is a required field`, value, { code: 'any.required' })
}
